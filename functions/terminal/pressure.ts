import { Problem } from '../../shared/errors.ts'
import { limit } from '../kit/rate.ts'

// One company's terminals must not use up the capacity of other companies. The server does not acknowledge excess
// records: terminals keep these records and send them again.

/**
 * Enough for a hundred thousand punches within two minutes. One index partition takes a thousand writes a second, so a
 * backlog does not throttle the company's pages.
 */
const usualRecordsPerMinute = 50_000
/**
 * The count at which this process reports to the counter that all processes share. A company with few records causes no
 * write.
 */
const mostPortion = 200

const recordsPerMinute = Number(process.env.RECORDS_PER_MINUTE ?? usualRecordsPerMinute)
const portion = Math.min(mostPortion, Math.ceil(recordsPerMinute / 10))

let countedMinute = 0
const counts = new Map<string, { uncounted: number; isFull: boolean }>()

/** Whether the server may take this many records of a company now. */
export const mayTake = async (company: string, records: number, now: number): Promise<boolean> => {
  const minute = Math.floor(now / 60_000)
  if (minute !== countedMinute) counts.clear()
  countedMinute = minute
  const count = counts.get(company) ?? { uncounted: 0, isFull: false }
  counts.set(company, count)
  if (count.isFull) return false
  count.uncounted += records
  if (count.uncounted < portion) return true
  const together = count.uncounted
  count.uncounted = 0
  try {
    await limit({ scope: 'records', key: company, times: recordsPerMinute, minutes: 1, count: together })
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    count.isFull = true
  }
  return !count.isFull
}

// Counts in this process only, because a shared counter would cost as much as the limit saves. A sender may reach
// several processes in the cloud, but a flood soon exceeds the limit in one.

let countedSecond = 0

const messageCounts = new Map<string, number>()

/** The number of messages from this sender in this second. */
export const countMessage = (sender: string, now: number): number => {
  const current = Math.floor(now / 1000)
  if (current !== countedSecond) messageCounts.clear()
  countedSecond = current
  const count = (messageCounts.get(sender) ?? 0) + 1
  messageCounts.set(sender, count)
  return count
}
