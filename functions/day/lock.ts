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

/**
 * The last settled day, at most yesterday. Up to this day, no row awaits a calculation, a punch or the end of its week.
 */
export const settledTo = async (
  { table }: Pick<Caller, 'table'>,
  { timezone }: Pick<Company, 'timezone'>,
  lockedTo: string | undefined,
): Promise<string> => {
  const yesterday = addDays(localDay(timezone, Date.now()), -1)
  // A day settles two days later, even without all deliveries. Only failed calculations stay open longer.
  const from = laterDay(lockedTo === undefined ? '' : addDays(lockedTo, 1), addDays(yesterday, -recentDays))
  if (from > yesterday) return yesterday
  const open = (await readSummaries(table, wholeCompany, from, yesterday)).flatMap(({ open }) => Object.keys(open))
  const [first] = open.sort()
  return first !== undefined && first <= yesterday ? addDays(first, -1) : yesterday
}

/**
 * Notes how an employee's locked days would change, and removes stale notes. Without a locked day in the range, stale
 * notes can come from a moved lock or from just before (`isNoted`). Returns whether it wrote anything. Idempotent.
 */
export const noteLocked = async (
  table: Table,
  { span, range, company, locked }: Walked,
  cause: Cause,
  isNoted = false,
): Promise<boolean> => {
  if (!isNoted && cause.kind !== 'report/lock/update' && !isLocked(company, range.from)) return false
  const { pk } = lockedChangeKey({ ...span, day: '', shift: null })
  const stored = await table.all<LockedChange>({
    pk,
    from: `${span.employee}#${range.from}`,
    to: `${span.employee}#${range.to}#~`,
  })
  const changes = locked.flatMap(({ day, before, after }): LockedChange[] => {
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
  const textOf = ({ before, after }: LockedChange) => [before, after].map(row => row && toldText(row)).join()
  const byKey = new Map(stored.map(change => [keyOf(change), change]))
  const writes: Write[] = []
  for (const change of changes) {
    const previous = byKey.get(keyOf(change))
    byKey.delete(keyOf(change))
    if (!previous || textOf(previous) !== textOf(change)) writes.push(table.put(lockedChangeKey(change), change))
  }
  for (const previous of byKey.values()) writes.push(table.remove(lockedChangeKey(previous)))
  for (const write of writes) await save(write)
  return writes.length > 0
}

/** Sorts the exceptions, because the table does not keep their order. */
const toldText = ({ kind, exceptions, kinds = {}, ...figures }: ToldRow) =>
  [
    kind,
    ...exceptions.toSorted(),
    ...figureNames.map(name => figures[name]),
    ...Object.entries(kinds).sort().flat(),
  ].join()
