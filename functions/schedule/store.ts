import { type Fields, Problem } from '../../shared/errors.ts'
import { newConflicts, type ShiftConflict } from '../../shared/schedule/conflict.ts'
import { monthOf, type ScheduleMonth, scheduleKey } from '../../shared/schedule.ts'
import { type Shift, shiftClaimKey, shiftKey, shiftUseKey } from '../../shared/shift.ts'
import { again, wasSlower } from '../kit/table/change.ts'
import { type Item, mostWrites, save, type Table, type Write } from '../kit/table.ts'

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

/** What stands in the way of the months of one employee as they are to be, by the names of the shifts. */
export const conflictsIn = (
  zone: string,
  shifts: ReadonlyMap<string, Shift>,
  months: Months,
  around: readonly string[],
): ShiftConflict<string>[] =>
  newConflicts(zone, shifts, around, {
    before: day => months.get(monthOf(day))?.before?.days[day] ?? [],
    after: day => shiftsOn(months, day),
  }).map(({ shift, withShift, ...days }) => ({ ...days, shift: shift.name, withShift: withShift.name }))

export const usedIn = (days: Record<string, string[]> | undefined): Set<string> =>
  new Set(Object.values(days ?? {}).flat())

const changedDaysOf = ({ before, days }: Month): number =>
  [...new Set([...Object.keys(before?.days ?? {}), ...Object.keys(days)])].filter(
    day => before?.days[day]?.join() !== days[day]?.join(),
  ).length

const countChanged = (months: Months): number =>
  [...months.values()].reduce((sum, month) => sum + changedDaysOf(month), 0)

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

const writesOf = (table: Table, employee: string, months: Months, task: string | undefined): Write[] =>
  [...months].map(([name, month]) => {
    const { before, days } = month
    const key = scheduleKey(name, employee)
    if (changedDaysOf(month) === 0) return table.unchanged(key, before)
    const item = { employee, month: name, days, ...(task !== undefined && { task }) }
    return before ? table.replace(key, { ...item, version: before.version }) : table.insert(key, item)
  })

/** The writes that save all months of one employee, where one save has room for them, and how many days they change. */
export const writesOfMonths = (
  table: Table,
  employee: string,
  months: Months,
): { changed: number; writes: Write[] } => {
  const changed = countChanged(months)
  if (changed === 0) return { changed, writes: [] }
  const { added, removed } = usesOf(months)
  return {
    changed,
    writes: [
      ...writesOf(table, employee, months, undefined),
      ...removed.map(({ shift, month }) => table.remove(shiftUseKey(shift, month, employee))),
      ...added.map(({ shift, month }) => table.put(shiftUseKey(shift, month, employee), { month, employee })),
    ],
  }
}

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

/** Writes that need not be saved together. */
const saveInParts = async (writes: Write[]): Promise<void> => {
  for (let i = 0; i < writes.length; i += mostWrites) await save(...writes.slice(i, i + mostWrites))
}

/** The audit takes a few entries where very much changes at once. */
export const entriesOfAudit = 4

/**
 * Saves all months of one employee together or not at all, and only on top of what was read, also of the months that stay
 * as they are: a conflict was judged by those too. What is written `along` is told how many days change. Throws 60006 where
 * somebody was quicker, or what a condition of those says. Answers how many days changed; where none does, nothing is written.
 *
 * A year may have more uses of shifts than one save has room for. A use without its schedule does no harm, but a schedule without
 * its use would be overlooked: what there is no room for is added before, and taken away after. A `task` is one that calculates
 * the days itself.
 */
export const saveMonths = async (
  table: Table,
  employee: string,
  months: Months,
  along: (changedDays: number) => Write[] = () => [],
  task?: string,
): Promise<number> => {
  const changed = countChanged(months)
  if (changed === 0) return 0
  const { added, removed } = usesOf(months)
  const others = along(changed)
  const room = mostWrites - others.length - months.size - entriesOfAudit
  const put = ({ shift, month }: Use) => table.put(shiftUseKey(shift, month, employee), { month, employee })
  const remove = ({ shift, month }: Use) => table.remove(shiftUseKey(shift, month, employee))
  const late = removed.slice(room)
  const early = added.slice(Math.max(0, room - removed.length))
  await saveInParts(early.map(put))
  try {
    await save(
      ...others,
      ...writesOf(table, employee, months, task),
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
 * Keeps shifts that are about to be scheduled from being deleted, until `releaseShifts`, and answers those that are there. Said first
 * and looked at then: whoever deletes a shift marks it and looks at its uses after that, so one of the two sees the other. A sheet
 * may name hundreds: none is looked at before all are said, so whoever dies between two portions has claimed and not yet scheduled.
 */
export const claimThose = async (table: Table, claim: string, shifts: string[]): Promise<Set<string>> => {
  const expiresAt = Math.floor(Date.now() / 1000) + claimSeconds
  await saveInParts(shifts.map(shift => table.put(shiftClaimKey(shift, claim), { expiresAt })))
  let there = new Set<string>()
  const isDecided = async () => {
    const found = (await table.getMany(shifts.map(shiftKey))).filter(shift => shift !== undefined)
    there = new Set(found.flatMap(({ id, leavingAt }) => (leavingAt === undefined ? [id] : [])))
    // Whoever is about to delete one may find it claimed, and leave it.
    if (there.size < found.length) throw new Problem(60006)
  }
  await again(isDecided).catch(error => {
    if (!wasSlower(error)) throw error
  })
  await releaseShifts(
    table,
    claim,
    shifts.filter(shift => !there.has(shift)),
  )
  return there
}

/** As `claimThose`, for who needs all of them: throws 60004 with these fields where one is not there. */
export const claimShifts = async (table: Table, claim: string, shifts: string[], fields: Fields): Promise<void> => {
  const there = await claimThose(table, claim, shifts)
  if (shifts.every(shift => there.has(shift))) return
  await releaseShifts(table, claim, shifts)
  throw new Problem(60004, fields)
}

export const releaseShifts = (table: Table, claim: string, shifts: string[]): Promise<void> =>
  saveInParts(shifts.map(shift => table.remove(shiftClaimKey(shift, claim))))
