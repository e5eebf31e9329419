import { type Company, isLocked } from '../../shared/company.ts'
import type { Cause } from '../../shared/day.ts'
import { figureNames } from '../../shared/figure.ts'
import { addDays, laterDay, localDay } from '../../shared/local-day.ts'
import { type LockedChange, lockedChangeKey } from '../../shared/lock.ts'
import { saysTheSame, type ToldRow, toldOf } from '../../shared/preview.ts'
import { wholeCompany } from '../../shared/summary.ts'
import type { Caller } from '../kit/caller.ts'
import { save, type Table, type Write } from '../kit/table.ts'
import { readSummaries } from './summary.ts'
import type { Walked } from './walk.ts'

const recentDays = 62

/** The last day up to which all is known that can be: nothing is calculated, awaited or part of a week that goes on. */
export const settledTo = async (
  { table }: Pick<Caller, 'table'>,
  { timezone }: Pick<Company, 'timezone'>,
  lockedTo: string | undefined,
): Promise<string> => {
  const yesterday = addDays(localDay(timezone, Date.now()), -1)
  // Whatever terminals deliver, a day is settled two days later; only what could not be calculated is open longer.
  const from = laterDay(lockedTo === undefined ? '' : addDays(lockedTo, 1), addDays(yesterday, -recentDays))
  if (from > yesterday) return yesterday
  const open = (await readSummaries(table, wholeCompany, from, yesterday)).flatMap(({ open }) => Object.keys(open))
  const [first] = open.sort()
  return first !== undefined && first <= yesterday ? addDays(first, -1) : yesterday
}

/**
 * Notes what the locked days of somebody would be, as far as they were looked at, and strikes out what no longer holds; where no
 * day of them is locked there is nothing to be struck out but what was noted just before (`isNoted`), or locked until now. Answers
 * whether it wrote something; the same again writes nothing.
 */
export const noteLocked = async (
  table: Table,
  { span, range, company, locked }: Walked,
  cause: Cause,
  isNoted = false,
): Promise<boolean> => {
  if (!isNoted && cause.kind !== 'report/lock/update' && !isLocked(company, range.from)) return false
  const { pk } = lockedChangeKey({ ...span, day: '', shift: null })
  const noted = await table.all<LockedChange>({
    pk,
    from: `${span.employee}#${range.from}`,
    to: `${span.employee}#${range.to}#~`,
  })
  const found = locked.flatMap(({ day, before, after }): LockedChange[] => {
    const row = after ?? before
    if (!row || (before && after && saysTheSame(before, after))) return []
    const { employee, department, shift } = row
    return [
      {
        ...{ employee, department, day, shift, cause, at: new Date().toISOString() },
        before: before ? toldOf(before) : null,
        after: after ? toldOf(after) : null,
      },
    ]
  })
  const keyOf = (change: LockedChange) => lockedChangeKey(change).sk
  const said = ({ before, after }: LockedChange) => [before, after].map(row => row && toldText(row)).join()
  const byKey = new Map(noted.map(change => [keyOf(change), change]))
  const writes: Write[] = []
  for (const change of found) {
    const old = byKey.get(keyOf(change))
    byKey.delete(keyOf(change))
    if (!old || said(old) !== said(change)) writes.push(table.put(lockedChangeKey(change), change))
  }
  for (const old of byKey.values()) writes.push(table.remove(lockedChangeKey(old)))
  for (const write of writes) await save(write)
  return writes.length > 0
}

/** The table gives what it keeps back in an order of its own. */
const toldText = ({ kind, exceptions, ...figures }: ToldRow) =>
  [kind, ...exceptions.toSorted(), ...figureNames.map(name => figures[name])].join()
