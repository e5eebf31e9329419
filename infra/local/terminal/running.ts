import { mkdirSync, readdirSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isAlive } from './process.ts'

// Every running stack writes a note with its address and data folder. A simulated terminal finds the stack's port
// there.

export interface Running {
  process: number
  /** The address, such as `http://127.0.0.1:8080`. */
  address: string
  data: string
  startedAt: number
}

const notes = fileURLToPath(new URL('../../../.build/running', import.meta.url))

/** Writes the note of this stack, and returns a function that removes it. Ignores a write failure. */
export const noteRunning = (stack: Running, folder = notes): (() => void) => {
  const file = join(folder, `${stack.process}.json`)
  try {
    mkdirSync(folder, { recursive: true })
    // Renames the complete file, because a terminal deletes an unreadable note.
    writeFileSync(`${file}.new`, JSON.stringify(stack))
    renameSync(`${file}.new`, file)
  } catch {
    return () => undefined
  }
  return () => rmSync(file, { force: true })
}

const listens = (address: string) =>
  new Promise<boolean>(answer => {
    const { hostname, port } = new URL(address)
    const socket = connect(Number(port), hostname, () => {
      socket.destroy()
      answer(true)
    })
    socket.on('error', () => answer(false))
  })

const readNote = (file: string): Running | undefined => {
  try {
    const note: Running = JSON.parse(readFileSync(file, 'utf8'))
    return URL.canParse(note.address) ? note : undefined
  } catch {
    return undefined
  }
}

/** The running stacks, newest first. Removes the notes of crashed stacks. */
const readRunning = async (folder: string): Promise<Running[]> => {
  const running: Running[] = []
  let files: string[] = []
  try {
    files = readdirSync(folder)
  } catch {
    return []
  }
  for (const name of files.filter(file => file.endsWith('.json'))) {
    const file = join(folder, name)
    const note = readNote(file)
    if (note && isAlive(note.process) && (await listens(note.address))) running.push(note)
    else rmSync(file, { force: true })
  }
  return running.sort((a, b) => b.startedAt - a.startedAt)
}

/** The real path of a folder, because two names may lead to the same folder. */
const placeOf = (folder: string) => {
  try {
    return realpathSync(folder)
  } catch {
    return resolve(folder)
  }
}

/** The address of the stack whose data folder is or contains `data`. Without such a stack, the newest running stack. */
export const findRunning = async (data: string, folder = notes): Promise<string | undefined> => {
  const running = await readRunning(folder)
  const places = [placeOf(data), placeOf(dirname(resolve(data)))]
  const own = running.find(stack => places.includes(placeOf(stack.data)))
  return (own ?? running[0])?.address
}
