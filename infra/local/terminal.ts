import { createInterface, type Interface } from 'node:readline'
import { planDay } from './terminal/day.ts'
import { type Faults, noFaults, readFaults } from './terminal/fault.ts'
import { startTerminal, type Terminal } from './terminal/fleet.ts'
import type { LinkEvent } from './terminal/manner.ts'
import type { LogEntry } from './terminal/memory.ts'
import { stopSignals } from './terminal/process.ts'
import { type ProfileName, profileNames, profiles } from './terminal/profile.ts'
import { findRunning } from './terminal/running.ts'

// Terminals to play with, one or many: they connect as stock terminals would and share no code with the server.

const usage = `Usage: npm run terminal -- [options]

Type an employee number and Enter to punch now; numbers can also be piped in, one on each line.

  --address <ws://…>     where to connect; for adms http://… (the stack of the data folder, else the newest that runs)
  --sn <serial number>   which terminal to be            (DEMO0001)
  --count <number>       so many of them, numbered on from that serial number; each punch goes to one by lot
  --profile <firmware>   v24, new, dixi, topdata or echo-cmd, or adms, which comes over HTTP (new)
  --delay <seconds>      adms asks so often what there is to do, whatever the server says
  --fault <faults>       what goes wrong, such as drop-after,duplicate=0.1,skew=90: drop-before, drop-after, duplicate,
                         reorder, stall (parts of the frames), skew, dst (seconds), photo (KB; not adms), double
  --day [YYYY-MM-DD]     replay a day of the whole company and end; without a date, today so far
  --people <number>      how many people the day has     (24, employee numbers 1 to 24)
  --seed <number>        another seed, another day and other lots (1)
  --company <number>     company number and
  --password <digits>    communication password, for a terminal that must give them
  --data <folder>        where the terminal's memory is, in the data folder of its stack (.data/terminals)
`

interface Options {
  address: string
  sn: string
  count: number
  profile: ProfileName | 'adms'
  delaySeconds?: number
  faults: Faults
  /** Empty for today. */
  day?: string
  people: number
  seed: number
  company?: string
  password?: string
  data: string
}

/** Throws one sentence about the first thing that is wrong. */
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
  const left = [...words]
  const value = (name: string): string => {
    const given = left.shift()
    if (given === undefined || given.startsWith('--')) throw new Error(`${name} needs a value.`)
    return given
  }
  const number = (name: string, most: number): number => {
    const given = Number(value(name))
    if (!Number.isInteger(given) || given < 0 || given > most)
      throw new Error(`${name} must be a number from 0 to ${most}.`)
    return given
  }
  for (let word = left.shift(); word !== undefined; word = left.shift()) {
    if (word === '--address') options.address = value(word)
    else if (word === '--sn') options.sn = value(word)
    else if (word === '--count') options.count = number(word, 10_000)
    else if (word === '--profile') options.profile = profileIn(value(word))
    else if (word === '--delay') options.delaySeconds = number(word, 3600)
    else if (word === '--fault') options.faults = readFaults(value(word))
    else if (word === '--day') options.day = left[0] === undefined || left[0].startsWith('--') ? '' : value(word)
    else if (word === '--people') options.people = number(word, 100_000)
    else if (word === '--seed') options.seed = number(word, 2 ** 32)
    else if (word === '--company') options.company = value(word)
    else if (word === '--password') options.password = value(word)
    else if (word === '--data') options.data = value(word)
    else throw new Error(`The option ${word} is not known; --help lists what is.`)
  }
  const isPush = options.profile === 'adms'
  const usual = isPush ? 'http://127.0.0.1:8080' : 'ws://127.0.0.1:8080/web'
  options.address ||= await findStack(options.data, isPush)
  options.address = options.address.replace(/^(ws|http)(?=s?:)/, isPush ? 'http' : 'ws').replace(/\/$/, '')
  if (!(isPush ? /^https?:$/ : /^wss?:$/).test(URL.parse(options.address)?.protocol ?? ''))
    throw new Error(`${options.address} is not an address of a ${isPush ? 'server' : 'websocket'}, such as ${usual}.`)
  if (isPush && options.faults.photoKilobytes > 0)
    throw new Error('The fault photo is none of adms: it sends no pictures.')
  if (options.count < 1) throw new Error('--count must be at least 1.')
  if (!/^[\w.-]{1,32}$/.test(options.sn)) throw new Error(`${options.sn} cannot be a serial number.`)
  if (options.day && !isDay(options.day))
    throw new Error(`${options.day} is not a day of the calendar, such as 2026-03-02.`)
  return options
}

/** Without a note of a running stack, it is taken to listen on the usual port. */
const findStack = async (data: string, isPush: boolean) =>
  `${(await findRunning(data)) ?? 'http://127.0.0.1:8080'}${isPush ? '' : '/web'}`

/** As a rule the server asks the next thing within a second; where hundreds are heard at once it takes longer. */
const quietMilliseconds = 5_000

const profileIn = (text: string): Options['profile'] => {
  const known = [...profileNames, 'adms'] as const
  const found = known.find(name => name === text)
  if (!found) throw new Error(`The profile ${text} is not known; there are: ${known.join(', ')}.`)
  return found
}

/** DEMO0001, DEMO0002, …: the digits at the end go on counting. */
function serialNumbers(first: string, count: number): string[] {
  const digits = /\d*$/.exec(first)?.[0] ?? ''
  const letters = first.slice(0, first.length - digits.length)
  return Array.from({ length: count }, (_, i) =>
    i === 0 ? first : `${letters}${String(Number(digits) + i).padStart(digits.length, '0')}`,
  )
}

const isDay = (text: string) =>
  /^\d{4}-\d\d-\d\d$/.test(text) && new Date(`${text}T00:00:00Z`).toJSON()?.slice(0, 10) === text

/** Plays the terminals until they have nothing left to do; the exit code. */
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
  const line = (of: string, { time: at, enrollid }: LogEntry, what: string) => {
    const [day, clock] = at.split(' ')
    say(`${count > 1 ? `${of}  ` : ''}${day === time().slice(0, 10) ? clock : at}  employee ${enrollid}  ${what}`)
  }
  /** A trouble that lasts is told once. */
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
  /** What went as a page nobody acknowledges: it is kept once the server asks for nothing more. */
  const endIfQuiet = () => {
    clearTimeout(quiet)
    quiet = setTimeout(endIfDone, quietMilliseconds)
  }

  const hear = (of: string, event: LinkEvent) => {
    if (event.kind === 'registered') {
      lastTrouble = ''
      const kept = terminals.find(terminal => terminal.sn === of)?.memory.waiting
      const more = kept ? `; kept punches being sent: ${kept}` : ''
      say(`Terminal ${of} is connected to ${new URL(address).host}${more}.`)
      if (registered.size < count && registered.add(of).size === count) start()
    } else if (event.kind === 'acknowledged') {
      for (const entry of event.entries) line(of, entry, 'stored')
      endIfDone()
    } else if (event.kind === 'lost') {
      if (registered.has(of)) complain(`${event.why} Trying again.`)
      else fail(event.why)
    } else if (event.kind === 'refused') {
      const text = `The server refused the serial number ${of}: ${event.reason}.`
      if (registered.has(of)) complain(`${text} Trying again.`)
      else if (event.reason === 'needs approval')
        fail(`${text} By that serial number the server knows other hardware: approve this one on its device page.`)
      else fail(`${text} Is it added on the device page, and is the address the one shown there?`)
    } else if (event.kind === 'commanded') {
      endIfQuiet()
      if (!isTyped) return
      // Names and templates behind the first words are long.
      const said = event.command.replace(/\t.*$/s, ' …')
      if (!said.startsWith('get')) say(`${count > 1 ? `${of}  ` : ''}the server says ${said}`)
    }
  }
  /** With two connections, which register apart, and with many terminals any of them may be the one. */
  const anyOf = () => terminals[Math.floor(Math.random() * terminals.length)]
  const punch = (number: number) => {
    const terminal = anyOf()
    if (!terminal) return
    const isKept = !terminal.isRegistered
    const punched = { enrollid: number, time: terminal.memory.time(), mode: 3, inout: 0, event: 0 }
    for (const entry of terminal.punch([punched]))
      if (isKept) line(terminal.sn, entry, 'kept until the connection is back')
  }

  const replay = () => {
    const day = options.day || time().slice(0, 10)
    const now = time()
    const planned = planDay({ day, people: options.people, seed })
    const past = planned.filter(entry => entry.time <= now)
    if (past.length < planned.length)
      say(
        `${planned.length - past.length} of ${planned.length} punches of ${day} are still to come and left out; --day with an earlier date replays a whole one.`,
      )
    // Everybody has a door of their own.
    for (const [i, terminal] of terminals.entries())
      terminal.punch(past.filter(({ enrollid }) => enrollid % count === i))
    isFed = true
    endIfDone()
  }

  // The first registration sets the clock; punches before it would carry this machine's time in place of the company's.
  const start = () => {
    if (options.day !== undefined) return replay()
    const lines = createInterface({ input: process.stdin, output: process.stdout, terminal: isTyped })
    reader = lines
    if (isTyped) {
      say('Type an employee number and Enter to punch; help tells more, quit ends.')
      lines.prompt()
    }
    lines.on('line', text => {
      const word = text.trim()
      if (/^0*[1-9]\d{0,11}$/.test(word)) punch(Number(word))
      else if (word === 'quit') return lines.close()
      else if (word === 'help') say(usage)
      else if (word) say(`${word} is not an employee number: digits only, please.`)
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
  const left = waiting()
  await Promise.all(terminals.map(terminal => terminal.close()))
  if (left) console.log(`Punches kept and sent the next time: ${left}.`)
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
