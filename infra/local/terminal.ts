import { createInterface, type Interface } from 'node:readline'
import { planDay } from './terminal/day.ts'
import { type Faults, noFaults, readFaults } from './terminal/fault.ts'
import { startTerminal, type Terminal } from './terminal/fleet.ts'
import type { LinkEvent } from './terminal/manner.ts'
import type { LogEntry } from './terminal/memory.ts'
import { stopSignals } from './terminal/process.ts'
import { type ProfileName, profileNames, profiles } from './terminal/profile.ts'
import { findRunning } from './terminal/running.ts'

// Simulates one or many terminals, which connect like real terminals and share no code with the server.

const usage = `Usage: npm run terminal -- [options]

Type an employee ID and Enter to punch now. IDs can also be piped in, one per line.

  --address <ws://…>     address of the server; for adms http://… (the stack of the data folder, else the newest one)
  --sn <serial number>   serial number of the terminal   (DEMO0001)
  --count <number>       number of terminals, with consecutive serial numbers; each punch goes to a random one
  --profile <firmware>   v24, new, dixi, topdata or echo-cmd; or adms, which polls over HTTP (new)
  --delay <seconds>      polling interval of adms, instead of the server’s
  --fault <faults>       faults such as drop-after,duplicate=0.1,skew=90: drop-before, drop-after, duplicate,
                         reorder, stall (shares of the frames), skew, dst (seconds), photo (KB; not adms), double
  --day [YYYY-MM-DD]     replays a day of the whole company and ends; without a date, today so far
  --people <number>      number of people of the day     (24, employee IDs 1 to 24)
  --seed <number>        seed of the random numbers      (1)
  --company <number>     company number and
  --password <digits>    communication password, for a terminal that needs them
  --data <folder>        folder of the terminal's memory (.data/terminals in the data folder of its stack)
`

interface Options {
  address: string
  sn: string
  count: number
  profile: ProfileName | 'adms'
  delaySeconds?: number
  faults: Faults
  /** The day of the punches; empty means today. */
  day?: string
  people: number
  seed: number
  company?: string
  password?: string
  data: string
}

/** Throws one sentence about the first invalid option. */
async function readOptions(words: string[]): Promise<Options> {
  const options: Options = {
    address: '',
    sn: 'DEMO0001',
    count: 1,
    profile: 'new',
    faults: noFaults,
    people: 24,
    seed: 1,
    data: '.data/terminals',
  }
  const remaining = [...words]
  const value = (name: string): string => {
    const text = remaining.shift()
    if (text === undefined || text.startsWith('--')) throw new Error(`${name} needs a value.`)
    return text
  }
  const number = (name: string, most: number): number => {
    const parsed = Number(value(name))
    if (!Number.isInteger(parsed) || parsed < 0 || parsed > most)
      throw new Error(`${name} must be a number from 0 to ${most}.`)
    return parsed
  }
  for (let word = remaining.shift(); word !== undefined; word = remaining.shift()) {
    if (word === '--address') options.address = value(word)
    else if (word === '--sn') options.sn = value(word)
    else if (word === '--count') options.count = number(word, 10_000)
    else if (word === '--profile') options.profile = profileIn(value(word))
    else if (word === '--delay') options.delaySeconds = number(word, 3600)
    else if (word === '--fault') options.faults = readFaults(value(word))
    else if (word === '--day')
      options.day = remaining[0] === undefined || remaining[0].startsWith('--') ? '' : value(word)
    else if (word === '--people') options.people = number(word, 100_000)
    else if (word === '--seed') options.seed = number(word, 2 ** 32)
    else if (word === '--company') options.company = value(word)
    else if (word === '--password') options.password = value(word)
    else if (word === '--data') options.data = value(word)
    else throw new Error(`Unknown option ${word}; --help lists all options.`)
  }
  const isPush = options.profile === 'adms'
  const usual = isPush ? 'http://127.0.0.1:8080' : 'ws://127.0.0.1:8080/web'
  options.address ||= await findStack(options.data, isPush)
  options.address = options.address.replace(/^(ws|http)(?=s?:)/, isPush ? 'http' : 'ws').replace(/\/$/, '')
  if (!(isPush ? /^https?:$/ : /^wss?:$/).test(URL.parse(options.address)?.protocol ?? ''))
    throw new Error(`${options.address} is not a ${isPush ? 'server' : 'websocket'} address such as ${usual}.`)
  if (isPush && options.faults.photoKilobytes > 0)
    throw new Error('The fault photo does not apply to adms, which sends no pictures.')
  if (options.count < 1) throw new Error('--count must be at least 1.')
  if (!/^[\w.-]{1,32}$/.test(options.sn)) throw new Error(`${options.sn} is not a valid serial number.`)
  if (options.day && !isDay(options.day)) throw new Error(`${options.day} is not a calendar date such as 2026-03-02.`)
  return options
}

/** The address of the running stack. Without one, assumes the default port. */
const findStack = async (data: string, isPush: boolean) =>
  `${(await findRunning(data)) ?? 'http://127.0.0.1:8080'}${isPush ? '' : '/web'}`

/**
 * After this pause the simulation assumes that the server is done. The server usually sends its next command within a
 * second, but later with hundreds of terminals.
 */
const quietMilliseconds = 5_000

const profileIn = (text: string): Options['profile'] => {
  const names = [...profileNames, 'adms'] as const
  const profile = names.find(name => name === text)
  if (!profile) throw new Error(`Unknown profile ${text}; choose one of ${names.join(', ')}.`)
  return profile
}

/** Serial numbers that count up the trailing digits: DEMO0001, DEMO0002, … */
function serialNumbers(first: string, count: number): string[] {
  const digits = /\d*$/.exec(first)?.[0] ?? ''
  const letters = first.slice(0, first.length - digits.length)
  return Array.from({ length: count }, (_, i) =>
    i === 0 ? first : `${letters}${String(Number(digits) + i).padStart(digits.length, '0')}`,
  )
}

const isDay = (text: string) =>
  /^\d{4}-\d\d-\d\d$/.test(text) && new Date(`${text}T00:00:00Z`).toJSON()?.slice(0, 10) === text

/** Runs the terminals until all are done. Returns the exit code. */
async function play(options: Options): Promise<number> {
  const { sn, address, count, faults, seed } = options
  const isTyped = Boolean(process.stdin.isTTY) && options.day === undefined
  let reader: Interface | undefined
  const over = Promise.withResolvers<number>()
  const terminals: Terminal[] = []
  const registered = new Set<string>()
  let isFed = false
  let quiet: NodeJS.Timeout | undefined
  let lastTrouble = ''

  const say = (text: string) => {
    if (isTyped) process.stdout.write('\r\u001b[K')
    console.log(text)
    if (isTyped) reader?.prompt(true)
  }
  const time = () => terminals[0]?.memory.time() ?? ''
  const line = (serialNumber: string, { time: entryTime, enrollid }: LogEntry, status: string) => {
    const [day, clock] = entryTime.split(' ')
    say(
      `${count > 1 ? `${serialNumber}  ` : ''}${day === time().slice(0, 10) ? clock : entryTime}  employee ${enrollid}  ${status}`,
    )
  }
  /** Reports repeated trouble only once. */
  const complain = (text: string) => {
    if (text !== lastTrouble) say(text)
    lastTrouble = text
  }
  const fail = (text: string) => {
    console.error(text)
    over.resolve(1)
  }
  const waiting = () => terminals.reduce((sum, { memory }) => sum + memory.waiting, 0)
  const endIfDone = () => {
    if (isFed && waiting() === 0) over.resolve(0)
  }
  /** The server does not acknowledge pages. They count as stored once the server sends no further command. */
  const endIfQuiet = () => {
    clearTimeout(quiet)
    quiet = setTimeout(endIfDone, quietMilliseconds)
  }

  const hear = (serialNumber: string, event: LinkEvent) => {
    if (event.kind === 'registered') {
      lastTrouble = ''
      const unsent = terminals.find(terminal => terminal.sn === serialNumber)?.memory.waiting
      const suffix = unsent ? `; sending stored punches: ${unsent}` : ''
      say(`Terminal ${serialNumber} is connected to ${new URL(address).host}${suffix}.`)
      if (registered.size < count && registered.add(serialNumber).size === count) start()
    } else if (event.kind === 'acknowledged') {
      for (const entry of event.entries) line(serialNumber, entry, 'stored')
      endIfDone()
    } else if (event.kind === 'lost') {
      if (registered.has(serialNumber)) complain(`${event.why} Retrying.`)
      else fail(event.why)
    } else if (event.kind === 'refused') {
      const text = `The server refused the serial number ${serialNumber}: ${event.reason}.`
      if (registered.has(serialNumber)) complain(`${text} Retrying.`)
      else if (event.reason === 'needs approval')
        fail(
          `${text} The server knows other hardware with this serial number: approve this terminal on its device page.`,
        )
      else fail(`${text} Add the terminal on the device page, and use the address shown there.`)
    } else if (event.kind === 'commanded') {
      endIfQuiet()
      if (!isTyped) return
      // Shows only the first words, because names and templates are long.
      const shown = event.command.replace(/\t.*$/s, ' …')
      if (!shown.startsWith('get')) say(`${count > 1 ? `${serialNumber}  ` : ''}command of the server: ${shown}`)
    }
  }
  /** A random terminal. */
  const drawTerminal = () => terminals[Math.floor(Math.random() * terminals.length)]
  const punch = (number: number) => {
    const terminal = drawTerminal()
    if (!terminal) return
    const isKept = !terminal.isRegistered
    const punched = { enrollid: number, time: terminal.memory.time(), mode: 3, inout: 0, event: 0 }
    for (const entry of terminal.punch([punched])) if (isKept) line(terminal.sn, entry, 'waits for the connection')
  }

  const replay = () => {
    const day = options.day || time().slice(0, 10)
    const now = time()
    const planned = planDay({ day, people: options.people, seed })
    const past = planned.filter(entry => entry.time <= now)
    if (past.length < planned.length)
      say(
        `${planned.length - past.length} of ${planned.length} punches of ${day} are in the future and left out. To replay a whole day, pass --day with an earlier date.`,
      )
    // Each employee always uses the same terminal.
    for (const [i, terminal] of terminals.entries())
      terminal.punch(past.filter(({ enrollid }) => enrollid % count === i))
    isFed = true
    endIfDone()
  }

  // The first registration sets the clock. Earlier punches would have this machine's time instead of the company's.
  const start = () => {
    if (options.day !== undefined) return replay()
    const lines = createInterface({ input: process.stdin, output: process.stdout, terminal: isTyped })
    reader = lines
    if (isTyped) {
      say('Type an employee ID and Enter to punch. Type “help” for the options, “quit” to end.')
      lines.prompt()
    }
    lines.on('line', text => {
      const word = text.trim()
      if (/^0*[1-9]\d{0,11}$/.test(word)) punch(Number(word))
      else if (word === 'quit') return lines.close()
      else if (word === 'help') say(usage)
      else if (word) say(`${word} is not an employee ID: type only digits.`)
      if (isTyped) lines.prompt()
    })
    lines.on('close', () => {
      reader = undefined
      isFed = true
      if (isTyped) over.resolve(0)
      else endIfDone()
    })
  }

  for (const name of serialNumbers(sn, count)) {
    const identity = { sn: name, company: options.company, password: options.password }
    const profile = options.profile === 'adms' ? 'adms' : profiles[options.profile]
    const { data, delaySeconds } = options
    terminals.push(
      startTerminal(
        { address, data, identity, profile, faults, seed, ...(delaySeconds !== undefined && { delaySeconds }) },
        event => hear(name, event),
      ),
    )
  }
  for (const signal of stopSignals) process.once(signal, () => over.resolve(0))
  const code = await over.promise
  reader?.close()
  clearTimeout(quiet)
  const unsent = waiting()
  await Promise.all(terminals.map(terminal => terminal.close()))
  if (unsent) console.log(`Unsent punches, stored for the next start: ${unsent}.`)
  return code
}

try {
  const words = process.argv.slice(2)
  if (words.includes('--help')) console.log(usage)
  else process.exitCode = await play(await readOptions(words))
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
