import { pollMinutes } from '../../shared/device.ts'
import { jobs } from '../../shared/jobs.ts'
import { type Count, countMonth, dollarsOf } from '../kit/cost.ts'
import type { Report } from './main.ts'

// What many companies amount to: the requests of one employee's month are counted on this machine, and then the morning of a day
// is played through, second by second, in which they all come to work, in one zone, which is the worst there is. Only what no
// machine can count is assumed, and stands here.

/** What an account has before it asks for more, and what nobody gets more of. */
const limits = {
  writesPerKey: 1000,
  readsPerKey: 3000,
  gigabytesPerPartition: 10,
  connectionsPerSecond: 500,
  functionsAtOnce: 1000,
  scheduleSeconds: 300,
}
const assumed = {
  peoplePerCompany: 10,
  terminalsPerCompany: 1,
  browsersPerCompany: 1,
  /** People come within so long of when they should: two thirds of them, the rest are earlier or later still. */
  spreadMinutes: 10,
  /** From a function to the table and back, or to a socket. */
  secondsPerQuestion: 0.005,
  /** What is asked in a row: for a punch that is taken, for one that is calculated, for a terminal that is looked after, for a company whose day ends. */
  questions: { taking: 6, calculating: 10, polling: 8, closing: 8 },
  terminalsPolledAtOnce: 32,
  companiesClosedAtOnce: 32,
  outageMinutes: 10,
  socketHours: 2,
  monthsKept: 12,
}

const workdays = 22
const punchesOfDay = 4
const hour = 3600

/** Numbers that look drawn by lot and are the same every time. */
const lots = (seed: number) => () => {
  seed = (seed * 1_664_525 + 1_013_904_223) % 2 ** 32
  return seed / 2 ** 32
}

/** How many come in each second of the two hours around the time they should. */
const arrivals = (people: number): number[] => {
  const next = lots(42)
  const seconds = Array.from({ length: 2 * hour }, () => 0)
  for (let n = 0; n < people; n++) {
    const normal = Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next())
    const second = Math.floor(hour + normal * assumed.spreadMinutes * 60)
    if (second in seconds) seconds[second] = (seconds[second] ?? 0) + 1
  }
  return seconds
}

/** The most that wait, and how long it takes from the end of the outage until nobody does. Nothing is calculated meanwhile. */
const outage = (coming: number[], perSecond: number) => {
  const begins = hour - (assumed.outageMinutes * 60) / 2
  const ends = begins + assumed.outageMinutes * 60
  let waiting = 0
  let most = 0
  for (let second = 0; ; second++) {
    waiting += coming[second] ?? 0
    if (second < begins || second >= ends) waiting = Math.max(0, waiting - perSecond)
    most = Math.max(most, waiting)
    if (second >= ends && waiting === 0) return { most, seconds: second - ends }
  }
}

const each = (count: Count, by: number) => (name: keyof Count) => count[name] * by

export const bench = async (report: Report): Promise<void> => {
  const { people, count, parts, terminal, deployment, bytes } = await countMonth(assumed.peoplePerCompany)
  const punch = each(parts['four punches on each workday'] as Count, 1 / (workdays * punchesOfDay))
  for (const name of ['readUnit', 'writeUnit', 'message', 'fact', 'run'] as const)
    report(`a punch: ${name}s`, punch(name), 'each')

  for (const companies of [10, 1_000, 100_000]) {
    const of = `${companies} companies`
    const say = (figure: string, value: number, unit: string) => report(`${of}: ${figure}`, value, unit)
    const employees = companies * people
    const terminals = companies * assumed.terminalsPerCompany
    const coming = arrivals(employees)
    const peak = Math.max(...coming)
    say('employees', employees, 'people')
    say('punches in the busiest second', peak, 'a second')
    say(
      'punches in the busiest minute',
      Math.max(
        ...coming.map((_, n) => coming.slice(n, n + 60).reduce((a, b) => a + b, 0)).filter((_, n) => n % 60 === 0),
      ),
      'a minute',
    )

    // The table: as many partitions as its busiest second and its size ask for; the stream has a shard for each.
    const [writes, reads] = [peak * punch('writeUnit'), peak * punch('readUnit')]
    const gigabytes = (employees * bytes * assumed.monthsKept) / 1e9
    say('written', writes, 'units a second')
    say('read', reads, 'units a second')
    say('stored after a year', gigabytes, 'GB')
    const partitions = Math.max(
      4,
      writes / limits.writesPerKey,
      reads / limits.readsPerKey,
      gigabytes / limits.gigabytesPerPartition,
    )
    say('partitions, and shards of the stream', Math.ceil(partitions), 'partitions')

    // The keys all companies share: the list of terminals that are there, and of those that owe an answer.
    const polled = terminals / (pollMinutes * 60)
    say('hot key: terminals that owe an answer', (2 * polled) / limits.writesPerKey, 'of what a key takes')
    say(
      'hot key: terminals that are there',
      (terminals * 0.05) / limits.readsPerKey,
      'seconds of what a key gives, each minute',
    )

    // Sockets: each begins anew every two hours, and all of them at once when the region is back.
    const sockets = terminals + companies * assumed.browsersPerCompany
    say('sockets', sockets, 'open')
    say('sockets begun anew', sockets / (assumed.socketHours * hour) / limits.connectionsPerSecond, 'of the quota')
    say('all sockets come back', sockets / limits.connectionsPerSecond, 'seconds')

    // Functions: what takes punches has no limit but its own part of the account; what calculates has that of its queue.
    const taking = peak * assumed.questions.taking * assumed.secondsPerQuestion
    say('functions that take punches at once', taking / (limits.functionsAtOnce * 0.2), 'of what is kept for them')
    const { atOnce = 20 } = jobs.recalculate as { atOnce?: number }
    const perSecond = atOnce / (assumed.questions.calculating * assumed.secondsPerQuestion)
    say('calculated in the busiest second', peak / perSecond, 'of what can be')
    const late = outage(coming, perSecond)
    say('waiting after an outage of ten minutes at nine', late.most, 'punches')
    say('until nobody waits', late.seconds, 'seconds')

    // What goes by the clock, one thing after the other.
    const round = (polled * 60 * assumed.questions.polling * assumed.secondsPerQuestion) / assumed.terminalsPolledAtOnce
    say('a minute’s round of the terminals', round / 60, 'of its minute')
    const closing = (companies * assumed.questions.closing * assumed.secondsPerQuestion) / assumed.companiesClosedAtOnce
    say('the end of the day in one zone', closing / limits.scheduleSeconds, 'of what a run may take')

    const shared = dollarsOf(terminal) * assumed.terminalsPerCompany + dollarsOf(deployment) / companies
    say('an employee’s month', dollarsOf(count, bytes) + shared / people, 'dollars')
    say('all of them', employees * dollarsOf(count, bytes) + companies * shared, 'dollars a month')
  }
}
