import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { departments, gateSerialNumber, people } from '../demo.ts'
import { startTerminal, type Terminal } from '../terminal/fleet.ts'
import { type DemoCaller, signIn } from './caller.ts'
import { type DemoWorld, type StepName, steps, todayIn } from './step.ts'

// Gives the demo company a history, and keeps one of its terminals online. Works in the background, because the stack
// is useful before the history is complete.

export interface Life {
  stop(): Promise<void>
}

type Punches = Parameters<DemoWorld['punch']>[0]

const openWorld = async (
  address: string,
  signal: AbortSignal,
  punch: (entries: Punches) => void,
): Promise<DemoWorld> => {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
  const origin = { address, zone, signal }
  const admin = await signIn(origin, 'demo@example.com', 'management')
  const manager = await signIn(origin, 'grace@example.com', 'management')
  const { list } = await admin.call('employee/grid', { size: 200 })
  const idsByNumber = new Map(list.map(({ id, workno }) => [workno, id]))
  const all = (await admin.call('department/all', {})).list
  const callers = new Map<number, Promise<DemoCaller>>()
  return {
    ...{ ...origin, today: todayIn(zone), admin, manager, punch },
    ids: people.map((_, place) => idsByNumber.get(String(place + 1)) ?? ''),
    departments: departments.map(name => all.find(department => department.name === name)?.id ?? ''),
    as(place) {
      const name = people[place]?.split(' ')[0]?.toLowerCase()
      const caller = callers.get(place) ?? signIn(origin, `${name}@example.com`, 'user')
      callers.set(place, caller)
      return caller
    },
  }
}

/** The finished steps survive a restart, so that no step runs twice. */
const openProgress = (data: string) => {
  const file = join(data, 'demo.json')
  const done: string[] = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).done : []
  return {
    isDone: (step: StepName) => done.includes(step),
    finish(step: StepName) {
      done.push(step)
      writeFileSync(file, JSON.stringify({ done }), { mode: 0o600 })
    },
  }
}

const startGate = (address: string, data: string, complain: (sentence: string) => void): Terminal =>
  startTerminal(
    {
      address: `${address.replace('http', 'ws')}/web`,
      data: join(data, 'terminals'),
      identity: { sn: gateSerialNumber },
    },
    event => {
      if (event.kind === 'refused') complain(`The demo company's terminal was refused: ${event.reason}`)
    },
  )

/** Starts the background work. A refused step is reported, and the next start of the stack does not repeat it. */
export const startLife = ({
  address,
  data,
  hasTerminal,
  say,
  complain,
}: {
  address: string
  data: string
  hasTerminal: boolean
  say: (line: string) => void
  complain: (sentence: string) => void
}): Life => {
  const ending = new AbortController()
  const { signal } = ending
  const progress = openProgress(data)
  let terminal: Terminal | undefined
  const connect = () => {
    if (hasTerminal && !terminal && !signal.aborted) terminal = startGate(address, data, complain)
  }
  const punch = (entries: Punches) =>
    void terminal?.punch(entries.map(entry => ({ ...entry, mode: 3, inout: 0, event: 0 })))
  const run = async () => {
    const names = (Object.keys(steps) as StepName[]).filter(name => !progress.isDone(name))
    if (progress.isDone('gate')) connect()
    if (names.length === 0) return
    const world = await openWorld(address, signal, punch)
    for (const name of names) {
      try {
        await steps[name](world)
      } catch (error) {
        if (signal.aborted) return
        complain(
          `The demo company lacks a part of its history (${name}): ${error instanceof Error ? error.message : error}`,
        )
      }
      progress.finish(name)
      if (name === 'gate') connect()
    }
    say('the demo company is complete')
  }
  const running = run().catch(error => {
    if (!signal.aborted) complain(`The demo company has no history: ${error}`)
  })
  return {
    async stop() {
      ending.abort()
      await running
      await terminal?.close()
    },
  }
}
