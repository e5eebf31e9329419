import { isElsewhere, type Use } from '../../shared/attendance/row.ts'
import { Problem } from '../../shared/errors.ts'
import { type Correction, correctedDays } from '../../shared/record/correction.ts'
import { type RowChange, type Supposed, walkDays } from '../day/walk.ts'
import type { Table } from '../kit/table.ts'

// A correction must not exchange a clock-in and a clock-out. The engine orders punches by time, so a clock-out before
// the clock-in would become the clock-in, and the clock-in the clock-out. A clock-in after the end of a shift would
// become the later end of that shift, and pay hours that nobody worked.

/** The correction that a punch would get; without `next`, it would lose its correction. */
interface Change {
  punch: string
  next: Correction | undefined
}

/** The assumed corrections after a change. Assumes that the employee agrees to a proposal. */
export const supposed = ({ punch, next }: Change): Supposed => {
  const { state: _, ...agreed } = next ?? {}
  return {
    corrections: present => [
      ...present.filter(correction => correction.punch !== punch),
      ...(next ? [agreed as Correction] : []),
    ],
  }
}

type Uses = ReadonlyMap<string, Use>
const flipped: Partial<Record<Use, Use>> = { in: 'out', out: 'in' }

/** Whether one side of a day's pair changed into the other side. */
const isExchanged = (before: Use | undefined, after: Use | undefined) =>
  before !== undefined && after !== undefined && flipped[before] === after

/** Whether a shift counts the punch beside another one. The engine only guesses the direction of a lone punch. */
const hasCompany = (changes: readonly RowChange[], punch: string) =>
  changes.some(({ after }) => {
    const counted = (after?.punches ?? []).filter(used => used.use !== 'repeat' && !isElsewhere(used))
    return counted.length > 1 && counted.some(({ key }) => key === punch)
  })

/**
 * Throws 10002 if a correction puts a clock-out before its clock-in, or a clock-in behind its clock-out. Also throws it
 * if an entered clock-in would count as a clock-out, or an entered clock-out as a clock-in.
 */
export const checkOrder = async (table: Table, change: Change): Promise<void> => {
  const { punch, next } = change
  if (next?.at === undefined || next.isIgnored) return
  const span = { employee: next.employee, ...correctedDays(change) }
  const { walked } = await walkDays(table, [span], supposed(change))
  const changes = walked.flatMap(walk => walk.changes)
  const usesOf = (side: 'before' | 'after'): Uses =>
    new Map(
      changes
        .flatMap(each => each[side]?.punches ?? [])
        // The row that counts a punch knows its direction.
        .filter(used => !isElsewhere(used))
        .map(({ key, use }) => [key, use] as const),
    )
  const [before, after] = [usesOf('before'), usesOf('after')]
  const entered = next.inout === undefined ? undefined : next.inout === 0 ? 'in' : 'out'
  const [former, result] = [before.get(punch), after.get(punch)]
  const hasPartner = [...after].some(([key, use]) => key !== punch && isExchanged(before.get(key), use))
  const isWrong = former !== result && isExchanged(entered, result) && hasCompany(changes, punch)
  if (isWrong || (hasPartner && isExchanged(former ?? entered, result))) throw new Problem(10002, { time: 10002 })
}
