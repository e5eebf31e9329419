import { conflicts } from '../../shared/attendance/shift.ts'
import { type Fields, Problem } from '../../shared/errors.ts'
import { addDays } from '../../shared/local-day.ts'
import { monthOf, type ScheduleMonth, scheduleKey } from '../../shared/schedule.ts'
import { type Shift, shiftClaimKey, shiftKey, shiftUseKey } from '../../shared/shift.ts'
import { again } from './again.ts'
import { type Item, mostWrites, save, type Table, type Write } from './table.ts'

// An employee's schedule, read, judged and written by months: which months there are, and which uses of shifts they stand for.

interface Month {
  before: Item<ScheduleMonth> | undefined
  days: Record<string, string[]>
}

/** Months of one employee as they stand and as they are to be. */
export type Months = Map<string, Month>

/** The months in which these days lie, of each of the employees. */
export const readMonths = async (table: Table, employees: string[], days: string[]): Promise<Map<string, Months>> => {
  const months = [...new Set(days.map(monthOf))]
  const keys = employees.flatMap(employee => months.map(month => ({ employee, month })))
  const items = await table.getMany(keys.map(({ employee, month }) => scheduleKey(month, employee)))
  const byEmployee = new Map<string, Months>(employees.map(employee => [employee, new Map()]))
  keys.forEach(({ employee, month }, i) => {
    const before = items[i]
    byEmployee.get(employee)?.set(month, { before, days: { ...before?.days } })
  })
  return byEmployee
}

export const shiftsOn = (months: Months, day: string): string[] => months.get(monthOf(day))?.days[day] ?? []

export const setDay = (months: Months, day: string, shifts: string[]): void => {
  const month = months.get(monthOf(day))
  if (!month) return
  if (shifts.length > 0) month.days[day] = shifts
  else delete month.days[day]
}

/** The days and those before and after them: a night shift reaches into the next day. */
export const withNeighbours = (days: readonly string[]): string[] =>
  [...new Set(days.flatMap(day => [addDays(day, -1), day, addDays(day, 1)]))].sort()

/** The shifts some months hold, by their ids; `known` ones are not read again. */
export const readShifts = async (
  table: Table,
  months: Iterable<Months>,
  known: ReadonlyMap<string, Item<Shift>> = new Map(),
): Promise<Map<string, Item<Shift>>> => {
  const ids = new Set([...months].flatMap(own => [...own.values()].flatMap(({ days }) => [...usedIn(days)])))
  const unknown = [...ids].filter(id => !known.has(id))
  const found = await table.getMany(unknown.map(shiftKey))
  return new Map([...known, ...found.flatMap(shift => (shift ? [[shift.id, shift] as const] : []))])
}

/** When one shift of somebody meets another one, by the names of the shifts. */
export interface Conflict {
  day: string
  shift: string
  withDay: string
  withShift: string
}

/**
 * The conflicts (59031) that a change of one employee's months brings about. What stood in conflict before is not this change's
 * to answer for: taking away is always allowed, because it must also mend what a changed shift has brought into conflict.
 * `around` are the days that changed, with their neighbours.
 */
export const newConflicts = (
  zone: string,
  shifts: ReadonlyMap<string, Shift>,
  months: Months,
  around: readonly string[],
): Conflict[] => {
  const entries = around.flatMap(day =>
    shiftsOn(months, day).flatMap(id => {
      const shift = shifts.get(id)
      const isNew = !months.get(monthOf(day))?.before?.days[day]?.includes(id)
      return shift ? [{ day, shift, isNew }] : []
    }),
  )
  if (!entries.some(({ isNew }) => isNew)) return []
  return conflicts(zone, entries)
    .filter(pair => pair.some(({ isNew }) => isNew))
    .map(([one, other]) => ({
      ...{ day: one.day, shift: one.shift.name },
      ...{ withDay: other.day, withShift: other.shift.name },
    }))
}

export const usedIn = (days: Record<string, string[]> | undefined): Set<string> =>
  new Set(Object.values(days ?? {}).flat())

const changedDaysOf = ({ before, days }: Month): number =>
  [...new Set([...Object.keys(before?.days ?? {}), ...Object.keys(days)])].filter(
    day => before?.days[day]?.join() !== days[day]?.join(),
  ).length

interface Use {
  shift: string
  month: string
}

const usesOf = (months: Months) => {
  const [added, removed]: [Use[], Use[]] = [[], []]
  for (const [month, { before, days }] of months) {
    const [was, is] = [usedIn(before?.days), usedIn(days)]
    for (const shift of is.difference(was)) added.push({ shift, month })
    for (const shift of was.difference(is)) removed.push({ shift, month })
  }
  return { added, removed }
}

const writesOf = (table: Table, employee: string, months: Months): Write[] =>
  [...months].map(([name, month]) => {
    const { before, days } = month
    const key = scheduleKey(name, employee)
    if (changedDaysOf(month) === 0) return table.unchanged(key, before)
    const item = { employee, month: name, days }
    return before ? table.replace(key, { ...item, version: before.version }) : table.insert(key, item)
  })

/** Takes away what stands for no use any more, as the months are then. */
const dropUses = async (table: Table, employee: string, uses: Use[]): Promise<void> => {
  for (const { shift, month } of uses)
    await again(async () => {
      const key = scheduleKey(month, employee)
      const now = await table.get(key)
      if (!usedIn(now?.days).has(shift))
        await save(table.unchanged(key, now), table.remove(shiftUseKey(shift, month, employee)))
    })
}

/** The audit takes a few entries where very much changes at once. */
const entriesOfAudit = 4

/**
 * Saves all months of one employee together or not at all, and only on top of what was read, also of the months that stay
 * as they are: a conflict was judged by those too. What is written `along` is told how many days change. Throws 60006 where
 * somebody was quicker, or what a condition of those says. Answers how many days changed; where none does, nothing is written.
 *
 * A year may have more uses of shifts than one save has room for. A use without its schedule does no harm, but a schedule without
 * its use would be overlooked: what there is no room for is added before, and taken away after.
 */
export const saveMonths = async (
  table: Table,
  employee: string,
  months: Months,
  along: (changedDays: number) => Write[] = () => [],
): Promise<number> => {
  const changed = [...months.values()].reduce((sum, month) => sum + changedDaysOf(month), 0)
  if (changed === 0) return 0
  const { added, removed } = usesOf(months)
  const others = along(changed)
  const room = mostWrites - others.length - months.size - entriesOfAudit
  const put = ({ shift, month }: Use) => table.put(shiftUseKey(shift, month, employee), { month, employee })
  const remove = ({ shift, month }: Use) => table.remove(shiftUseKey(shift, month, employee))
  const late = removed.slice(room)
  const early = added.slice(Math.max(0, room - removed.length))
  for (let i = 0; i < early.length; i += mostWrites) await save(...early.slice(i, i + mostWrites).map(put))
  try {
    await save(
      ...others,
      ...writesOf(table, employee, months),
      ...removed.slice(0, room).map(remove),
      ...added.slice(0, Math.max(0, room - removed.length)).map(put),
    )
  } catch (error) {
    await dropUses(table, employee, early)
    throw error
  }
  await dropUses(table, employee, late)
  return changed
}

/** A claim of who has died is worth nothing after that. */
const claimSeconds = 3600

/**
 * Keeps shifts that are about to be scheduled from being deleted, until `releaseShifts`. Said first and looked at then: whoever
 * deletes a shift marks it and looks at its uses after that, so one of the two sees the other. Throws 60004 with these fields
 * where a shift is not there.
 */
export const claimShifts = async (table: Table, claim: string, shifts: string[], fields: Fields): Promise<void> => {
  if (shifts.length === 0) return
  const expiresAt = Math.floor(Date.now() / 1000) + claimSeconds
  await save(...shifts.map(shift => table.put(shiftClaimKey(shift, claim), { expiresAt })))
  let isOpen = false
  try {
    await again(
      async () => {
        const found = await table.getMany(shifts.map(shiftKey))
        isOpen = found.every(shift => shift !== undefined)
        if (found.some(shift => !shift || shift.leavingAt)) throw new Problem(60004, fields)
      },
      // Whoever is about to delete one may find it claimed, and leave it.
      () => isOpen,
    )
  } catch (error) {
    await releaseShifts(table, claim, shifts)
    throw error
  }
}

export const releaseShifts = async (table: Table, claim: string, shifts: string[]): Promise<void> => {
  if (shifts.length > 0) await save(...shifts.map(shift => table.remove(shiftClaimKey(shift, claim))))
}
