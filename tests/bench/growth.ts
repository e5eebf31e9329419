import { pollMinutes } from '../../shared/device.ts'
import { jobs } from '../../shared/jobs.ts'
import { type Count, countMonth, dollarsOf } from '../kit/cost.ts'
import type { Report } from './main.ts'

// Projects the load of many companies. The test counts the requests of one employee’s month on this machine. Then it
// simulates the worst case, second by second: a morning on which all employees arrive in the same zone. The constants
// contain the values that the test cannot measure.

/** The quotas of an account before an increase, and the fixed limits of the services. */
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
  /** The standard deviation of arrivals in minutes: two thirds arrive within this time. */
  spreadMinutes: 10,
  /** Seconds for a request from a function to the table or to a socket. */
  secondsPerQuestion: 0.005,
  /**
   * The number of sequential requests to store a punch, calculate a punch, serve a terminal in the round, and close a
   * day.
   */
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

/** Pseudo-random numbers, equal in each run. */
const drawNumbers = (seed: number) => () => {
  seed = (seed * 1_664_525 + 1_013_904_223) % 2 ** 32
  return seed / 2 ** 32
}

/** The number of arrivals in each second of the two hours around the start of work. */
const countArrivals = (people: number): number[] => {
  const draw = drawNumbers(42)
  const seconds = Array.from({ length: 2 * hour }, () => 0)
  for (let n = 0; n < people; n++) {
    const normal = Math.sqrt(-2 * Math.log(1 - draw())) * Math.cos(2 * Math.PI * draw())
    const second = Math.floor(hour + normal * assumed.spreadMinutes * 60)
    if (second in seconds) seconds[second] = (seconds[second] ?? 0) + 1
  }
  return seconds
}

/**
 * The largest number of waiting punches, and the seconds from the end of the outage until no punch waits. The
 * calculation stops during the outage.
 */
const simulateOutage = (coming: number[], perSecond: number) => {
  const beginsAt = hour - (assumed.outageMinutes * 60) / 2
  const endsAt = beginsAt + assumed.outageMinutes * 60
  let waiting = 0
  let mostWaiting = 0
  for (let second = 0; ; second++) {
    waiting += coming[second] ?? 0
    if (second < beginsAt || second >= endsAt) waiting = Math.max(0, waiting - perSecond)
    mostWaiting = Math.max(mostWaiting, waiting)
    if (second >= endsAt && waiting === 0) return { most: mostWaiting, seconds: second - endsAt }
  }
}

const scaled = (count: Count, by: number) => (name: keyof Count) => count[name] * by

export const bench = async (report: Report): Promise<void> => {
  const { people, count, parts, terminal, deployment, bytes } = await countMonth(assumed.peoplePerCompany)
  const punch = scaled(parts['four punches on each workday'] as Count, 1 / (workdays * punchesOfDay))
  for (const name of ['readUnit', 'writeUnit', 'message', 'fact', 'run'] as const)
    report(`a punch: ${name}s`, punch(name), 'each')

  for (const companies of [10, 1_000, 100_000]) {
    const prefix = `${companies} companies`
    const reportOf = (figure: string, value: number, unit: string) => report(`${prefix}: ${figure}`, value, unit)
    const employees = companies * people
    const terminals = companies * assumed.terminalsPerCompany
    const coming = countArrivals(employees)
    const peak = Math.max(...coming)
    reportOf('employees', employees, 'people')
    reportOf('punches in the busiest second', peak, 'a second')
    reportOf(
      'punches in the busiest minute',
      Math.max(
        ...coming.map((_, n) => coming.slice(n, n + 60).reduce((a, b) => a + b, 0)).filter((_, n) => n % 60 === 0),
      ),
      'a minute',
    )

    // The table needs partitions for its busiest second and for its size, and the stream has a shard per partition.
    const [writes, reads] = [peak * punch('writeUnit'), peak * punch('readUnit')]
    const gigabytes = (employees * bytes * assumed.monthsKept) / 1e9
    reportOf('written', writes, 'units a second')
    reportOf('read', reads, 'units a second')
    reportOf('stored after a year', gigabytes, 'GB')
    const partitions = Math.max(
      4,
      writes / limits.writesPerKey,
      reads / limits.readsPerKey,
      gigabytes / limits.gigabytesPerPartition,
    )
    reportOf('partitions, and shards of the stream', Math.ceil(partitions), 'partitions')

    // The keys that all companies share: the list of connected terminals, and the list of terminals with an unanswered
    // request.
    const polled = terminals / (pollMinutes * 60)
    reportOf('hot key: terminals that owe an answer', (2 * polled) / limits.writesPerKey, 'of what a key takes')
    reportOf(
      'hot key: terminals that are there',
      (terminals * 0.05) / limits.readsPerKey,
      'seconds of what a key gives, each minute',
    )

    // Each socket reconnects every two hours. After an outage of the region, all sockets reconnect at once.
    const sockets = terminals + companies * assumed.browsersPerCompany
    reportOf('sockets', sockets, 'open')
    reportOf('sockets begun anew', sockets / (assumed.socketHours * hour) / limits.connectionsPerSecond, 'of the quota')
    reportOf('all sockets come back', sockets / limits.connectionsPerSecond, 'seconds')

    // Functions that store punches may use 20% of the account's concurrency. The queue limits the concurrency of the
    // calculation.
    const taking = peak * assumed.questions.taking * assumed.secondsPerQuestion
    reportOf('functions that take punches at once', taking / (limits.functionsAtOnce * 0.2), 'of what is kept for them')
    const { atOnce = 20 } = jobs.recalculate as { atOnce?: number }
    const perSecond = atOnce / (assumed.questions.calculating * assumed.secondsPerQuestion)
    reportOf('calculated in the busiest second', peak / perSecond, 'of what can be')
    const afterOutage = simulateOutage(coming, perSecond)
    reportOf('waiting after an outage of ten minutes at nine', afterOutage.most, 'punches')
    reportOf('until nobody waits', afterOutage.seconds, 'seconds')

    // Scheduled work runs in sequence.
    const round = (polled * 60 * assumed.questions.polling * assumed.secondsPerQuestion) / assumed.terminalsPolledAtOnce
    reportOf('a minute’s round of the terminals', round / 60, 'of its minute')
    const closing = (companies * assumed.questions.closing * assumed.secondsPerQuestion) / assumed.companiesClosedAtOnce
    reportOf('the end of the day in one zone', closing / limits.scheduleSeconds, 'of what a run may take')

    const shared = dollarsOf(terminal) * assumed.terminalsPerCompany + dollarsOf(deployment) / companies
    reportOf('an employee’s month', dollarsOf(count, bytes) + shared / people, 'dollars')
    reportOf('all of them', employees * dollarsOf(count, bytes) + companies * shared, 'dollars a month')
  }
}
