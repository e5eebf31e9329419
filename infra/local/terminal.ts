import { createInterface, type Interface } from 'node:readline'
import { planDay } from './terminal/day.ts'
import { startLink } from './terminal/link.ts'
import { type LogEntry, openMemory } from './terminal/memory.ts'

// A terminal to play with: it connects as a stock terminal would and shares no code with the server.

const usage = `Usage: npm run terminal -- [options]

Type an employee number and Enter to punch now; numbers can also be piped in, one on each line.

  --address <ws://…>     where to connect                (ws://127.0.0.1:8080/web)
  --sn <serial number>   which terminal to be            (DEMO0001)
  --day [YYYY-MM-DD]     replay a day of the whole company and end; without a date, today so far
  --people <number>      how many people the day has     (24, employee numbers 1 to 24)
  --seed <number>        another seed, another day       (1)
  --company <number>     company number and
  --password <digits>    communication password, for a terminal that must give them
  --data <folder>        where the terminal's memory is  (.data/terminals)
`

interface Options {
  address: string
  sn: string
  /** Empty for today. */
  day?: string
  people: number
  seed: number
  company?: string
  password?: string
  data: string
}

/** Throws one sentence about the first thing that is wrong. */
function readOptions(words: string[]): Options {
  const options: Options = {
    address: 'ws://127.0.0.1:8080/web',
    sn: 'DEMO0001',
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
    if (word === '--address') options.address = value(word).replace(/^http/, 'ws')
    else if (word === '--sn') options.sn = value(word)
    else if (word === '--day') options.day = left[0] === undefined || left[0].startsWith('--') ? '' : value(word)
    else if (word === '--people') options.people = number(word, 100_000)
    else if (word === '--seed') options.seed = number(word, 2 ** 32)
    else if (word === '--company') options.company = value(word)
    else if (word === '--password') options.password = value(word)
    else if (word === '--data') options.data = value(word)
    else throw new Error(`The option ${word} is not known; --help lists what is.`)
  }
  if (!/^wss?:$/.test(URL.parse(options.address)?.protocol ?? '')) {
    throw new Error(`${options.address} is not an address of a websocket, such as ws://127.0.0.1:8080/web.`)
  }
  if (!/^[\w.-]{1,32}$/.test(options.sn)) throw new Error(`${options.sn} cannot be a serial number.`)
  if (options.day && !isDay(options.day))
    throw new Error(`${options.day} is not a day of the calendar, such as 2026-03-02.`)
  return options
}

const isDay = (text: string) =>
  /^\d{4}-\d\d-\d\d$/.test(text) && new Date(`${text}T00:00:00Z`).toJSON()?.slice(0, 10) === text

/** Plays the terminal until it has nothing left to do; the exit code. */
async function play(options: Options): Promise<number> {
  const { sn, address } = options
  const memory = openMemory(options.data, sn)
  const isTyped = Boolean(process.stdin.isTTY) && options.day === undefined
  let reader: Interface | undefined
  const over = Promise.withResolvers<number>()
  let hasRegistered = false
  let isFed = false
  let lastTrouble = ''

  const say = (text: string) => {
    if (isTyped) process.stdout.write('\r\u001b[K')
    console.log(text)
    if (isTyped) reader?.prompt(true)
  }
  const line = ({ time, enrollid }: LogEntry, what: string) => {
    const [day, clock] = time.split(' ')
    say(`${day === memory.time().slice(0, 10) ? clock : time}  employee ${enrollid}  ${what}`)
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
  const endIfDone = () => {
    if (isFed && memory.unacknowledged().length === 0) over.resolve(0)
  }

  const link = startLink(address, options, memory, event => {
    if (event.kind === 'registered') {
      lastTrouble = ''
      const waiting = memory.unacknowledged().length
      say(
        `Terminal ${sn} is connected to ${new URL(address).host}${waiting ? `; kept punches being sent: ${waiting}` : ''}.`,
      )
      if (!hasRegistered) start()
      hasRegistered = true
    } else if (event.kind === 'acknowledged') {
      for (const entry of event.entries) line(entry, 'stored')
      endIfDone()
    } else if (event.kind === 'lost') {
      if (hasRegistered) complain(`${event.why} Trying again.`)
      else fail(event.why)
    } else if (event.kind === 'refused') {
      const text = `The server refused the serial number ${sn}: ${event.reason}.`
      if (hasRegistered) complain(`${text} Trying again.`)
      else fail(`${text} Is it added on the device page, and is the address the one shown there?`)
    }
  })
  const punch = (number: number) => {
    const time = memory.time()
    const entries = memory.record([{ enrollid: number, time, mode: 3, inout: 0, event: 0 }])
    if (!link.isRegistered) for (const entry of entries) line(entry, 'kept until the connection is back')
    link.wake()
  }

  const replay = () => {
    const day = options.day || memory.time().slice(0, 10)
    const now = memory.time()
    const planned = planDay({ day, people: options.people, seed: options.seed })
    const past = planned.filter(entry => entry.time <= now)
    if (past.length < planned.length)
      say(
        `${planned.length - past.length} of ${planned.length} punches of ${day} are still to come and left out; --day with an earlier date replays a whole one.`,
      )
    memory.record(past)
    isFed = true
    link.wake()
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

  process.once('SIGINT', () => over.resolve(0))
  process.once('SIGTERM', () => over.resolve(0))
  const code = await over.promise
  reader?.close()
  await link.close()
  const left = memory.unacknowledged().length
  if (left) console.log(`Punches kept and sent the next time: ${left}.`)
  memory.close()
  return code
}

try {
  const words = process.argv.slice(2)
  if (words.includes('--help')) console.log(usage)
  else process.exitCode = await play(readOptions(words))
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
