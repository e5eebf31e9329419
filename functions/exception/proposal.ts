import { isElsewhere, type UsedPunch } from '../../shared/attendance/row.ts'
import type { DayRow } from '../../shared/day.ts'
import type { RaisedException } from '../../shared/exception.ts'
import { dayOfPunch } from '../../shared/record/correction.ts'

/** The fix that the server proposes: add the missing punch, or ignore the punches of a leave day. */
export type Proposal = { kind: 'in' | 'out'; at: number } | { kind: 'ignore'; punches: string[] }

/** Managers correct no punch of a request, and a punch between two shifts also belongs to the other shift. */
const canBeIgnored = ({ use, key }: UsedPunch) => use !== 'handOver' && dayOfPunch(key) !== undefined

/** Undefined if nobody can know the right fix. */
export const proposalOf = (
  { dutyFrom, dutyTo, punches }: Pick<DayRow, 'dutyFrom' | 'dutyTo' | 'punches'>,
  type: RaisedException['type'],
): Proposal | undefined => {
  if (type === 'missingIn') return dutyFrom === null ? undefined : { kind: 'in', at: dutyFrom }
  if (type === 'missingOut') return dutyTo === null ? undefined : { kind: 'out', at: dutyTo }
  const own = punches.filter(punch => !isElsewhere(punch))
  return type === 'punchedOnLeave' && own.length > 0 && own.every(canBeIgnored)
    ? { kind: 'ignore', punches: own.map(({ key }) => key) }
    : undefined
}
