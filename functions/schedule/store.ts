import { type Fields, Problem } from '../../shared/errors.ts'
import { newConflicts, type ShiftConflict } from '../../shared/schedule/conflict.ts'
import { draftedMonthKey, monthOf, type ScheduleMonth, scheduleKey } from '../../shared/schedule/month.ts'
import { type Shift, shiftClaimKey, shiftKey, shiftUseKey } from '../../shared/shift.ts'
import { again, wasSlower } from '../kit/table/change.ts'
import { type Item, mostWrites, save, type Table, type Write } from '../kit/table.ts'

// Reads, checks and writes an employee's schedule by months. A use marks that an employee has a shift in a month.

interface Month {
  before: Item<ScheduleMonth> | undefined
  days: Record<string, string[]>
  draft: Record<string, string[]>
}

/** The months of one employee, each with the stored and the planned days, and the draft. */
export type Months = Map<string, Month>

/** The months of these days, for each of the employees. */
export const readMonths = async (table: Table, employees: string[], days: string[]): Promise<Map<string, Months>> => {
  const months = [...new Set(days.map(monthOf))]
  const keys = employees.flatMap(employee => months.map(month => ({ employee, month })))
  const items = await table.getMany(keys.map(({ employee, month }) => scheduleKey(month, employee)))
  const byEmployee = new Map<string, Months>(employees.map(employee => [employee, new Map()]))
  keys.forEach(({ employee, month }, i) => {
    const before = items[i]
    byEmployee.get(employee)?.set(month, { before, days: { ...before?.days }, draft: { ...before?.draft } })
  })
  return byEmployee
}

export const shiftsOn = (months: Months, day: string): string[] => months.get(monthOf(day))?.days[day] ?? []

/** The shifts of a day once its draft is published. */
export const draftedOn = (months: Months, day: string): string[] =>
  months.get(monthOf(day))?.draft[day] ?? shiftsOn(months, day)

/** Sets a published day. Drops its draft, because a direct change wins. */
export const setDay = (months: Months, day: string, shifts: string[]): void => {
  const month = months.get(monthOf(day))
  if (!month) return
  if (shifts.length > 0) month.days[day] = shifts
  else delete month.days[day]
  delete month.draft[day]
}

/** Sets a day of the draft. A day equal to the published one needs no draft. */
export const setDraft = (months: Months, day: string, shifts: string[]): void => {
  const month = months.get(monthOf(day))
  if (!month) return
  if (shifts.join() === (month.days[day] ?? []).join()) delete month.draft[day]
  else month.draft[day] = shifts
}

/** Drops a day of the draft. Returns whether there was one. */
export const dropDraft = (months: Months, day: string): boolean => {
  const month = months.get(monthOf(day))
  if (!month?.draft[day]) return false
  delete month.draft[day]
  return true
}

/** The shifts in these months and `others` by id. Uses the `known` shifts without reading them again. */
export const readShifts = async (
  table: Table,
  months: Iterable<Months>,
  known: ReadonlyMap<string, Item<Shift>> = new Map(),
  others: readonly string[] = [],
): Promise<Map<string, Item<Shift>>> => {
  const inMonths = [...months].flatMap(ofPerson => [...ofPerson.values()].flatMap(month => [...usedIn(month)]))
  const ids = new Set([...inMonths, ...others])
  const unknown = [...ids].filter(id => !known.has(id))
  const shifts = await table.getMany(unknown.map(shiftKey))
  return new Map([...known, ...shifts.flatMap(shift => (shift ? [[shift.id, shift] as const] : []))])
}

/** The new conflicts in the planned months of one employee, with the names of the shifts. `isDraft` judges the draft. */
export const conflictsIn = (
  zone: string,
  shifts: ReadonlyMap<string, Shift>,
  months: Months,
  around: readonly string[],
  isDraft = false,
): ShiftConflict<string>[] =>
  newConflicts(zone, shifts, around, {
    before: day => storedOn(months, day, isDraft),
    after: day => (isDraft ? draftedOn(months, day) : shiftsOn(months, day)),
  }).map(({ shift, withShift, ...days }) => ({ ...days, shift: shift.name, withShift: withShift.name }))

/** The shifts of a month, with those of its draft: nobody may delete a shift before its publication. */
export const usedIn = (month: Pick<ScheduleMonth, 'days' | 'draft'> | undefined): Set<string> =>
  new Set([...Object.values(month?.days ?? {}), ...Object.values(month?.draft ?? {})].flat())

/** The shifts of a day as stored. */
export const storedOn = (months: Months, day: string, isDraft: boolean): string[] => {
  const before = months.get(monthOf(day))?.before
  return (isDraft ? before?.draft?.[day] : undefined) ?? before?.days[day] ?? []
}

type Days = Record<string, string[]>

const countDifferent = (before: Days = {}, after: Days = {}): number =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    day => before[day]?.join() !== after[day]?.join(),
  ).length

const changedDaysOf = ({ before, days }: Month): number => countDifferent(before?.days, days)
const isDraftChanged = ({ before, draft }: Month): boolean => countDifferent(before?.draft, draft) > 0
const isMonthChanged = (month: Month): boolean => changedDaysOf(month) > 0 || isDraftChanged(month)

/** Whether a save of these months would change a day or a draft. */
export const areChanged = (months: Months): boolean => [...months.values()].some(isMonthChanged)

const countChanged = (months: Months): number =>
  [...months.values()].reduce((sum, month) => sum + changedDaysOf(month), 0)

interface Use {
  shift: string
  month: string
}

const usesOf = (months: Months) => {
  const [added, removed]: [Use[], Use[]] = [[], []]
  for (const [month, { before, ...planned }] of months) {
    const [previous, next] = [usedIn(before), usedIn(planned)]
    for (const shift of next.difference(previous)) added.push({ shift, month })
    for (const shift of previous.difference(next)) removed.push({ shift, month })
  }
  return { added, removed }
}

const writesOf = (table: Table, employee: string, months: Months, task: string | undefined): Write[] =>
  [...months].flatMap(([name, month]) => {
    const { before, days, draft } = month
    const key = scheduleKey(name, employee)
    if (!isMonthChanged(month)) return [table.unchanged(key, before)]
    const drafted = Object.keys(draft).sort()
    const changedAt = changedDaysOf(month) > 0 ? new Date().toISOString() : before?.changedAt
    const item = {
      ...{ employee, month: name, days },
      ...(changedAt !== undefined && { changedAt }),
      ...(drafted.length > 0 && { draft }),
      ...(task !== undefined && { task }),
    }
    const mark = draftedMonthKey(employee, name)
    return [
      before ? table.replace(key, { ...item, version: before.version }) : table.insert(key, item),
      ...(!isDraftChanged(month)
        ? []
        : [drafted.length > 0 ? table.put(mark, { employee, month: name, days: drafted }) : table.remove(mark)]),
    ]
  })

/**
 * The writes that save all months of one employee, if one save has room, and the number of changed published days.
 * Dropping a draft also takes writes.
 */
export const writesOfMonths = (
  table: Table,
  employee: string,
  months: Months,
): { changed: number; writes: Write[] } => {
  const changed = countChanged(months)
  if (!areChanged(months)) return { changed, writes: [] }
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

/** Removes uses that the current months no longer have. */
const dropUses = async (table: Table, employee: string, uses: Use[]): Promise<void> => {
  for (const { shift, month } of uses)
    await again(async () => {
      const key = scheduleKey(month, employee)
      const current = await table.get(key)
      if (!usedIn(current).has(shift))
        await save(table.unchanged(key, current), table.remove(shiftUseKey(shift, month, employee)))
    })
}

/** Saves writes that need no common transaction. */
const saveInParts = async (writes: Write[]): Promise<void> => {
  for (let i = 0; i < writes.length; i += mostWrites) await save(...writes.slice(i, i + mostWrites))
}

/** The most audit entries of one save. A very large change takes several entries. */
export const entriesOfAudit = 4

/**
 * Saves all months of one employee, or none if a month has changed since the caller read it. This condition includes
 * unchanged months, because the conflict check used them. `along` returns extra writes for the number of changed days.
 * Throws 60006 after a concurrent change, or the code of a failed condition of the extra writes. Returns the number of
 * changed published days. Writes nothing if neither a day nor the draft changes. `task` names a task that calculates
 * the days itself.
 *
 * A year may have more uses of shifts than fit in one save. A use without its schedule is harmless, but readers would
 * overlook a schedule without its use. So the function adds surplus uses before the save, and removes surplus uses
 * after it.
 */
export const saveMonths = async (
  table: Table,
  employee: string,
  months: Months,
  along: (changedDays: number) => Write[] = () => [],
  task?: string,
): Promise<number> => {
  const changed = countChanged(months)
  if (!areChanged(months)) return 0
  const { added, removed } = usesOf(months)
  const others = [...along(changed), ...writesOf(table, employee, months, task)]
  const room = Math.max(0, mostWrites - others.length - entriesOfAudit)
  const put = ({ shift, month }: Use) => table.put(shiftUseKey(shift, month, employee), { month, employee })
  const remove = ({ shift, month }: Use) => table.remove(shiftUseKey(shift, month, employee))
  const late = removed.slice(room)
  const early = added.slice(Math.max(0, room - removed.length))
  await saveInParts(early.map(put))
  try {
    await save(
      ...others,
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

/** The claim of a crashed call expires after this time. */
const claimSeconds = 3600

/**
 * Protects shifts against deletion until `releaseShifts`, and returns the existing shifts. Claims the shifts before
 * reading them. A deletion marks the shift before reading its claims and uses, so one of the two sees the other. A
 * crash during the claims of a large sheet leaves claims, but no schedule.
 */
export const claimThose = async (table: Table, claim: string, shifts: string[]): Promise<Set<string>> => {
  const expiresAt = Math.floor(Date.now() / 1000) + claimSeconds
  await saveInParts(shifts.map(shift => table.put(shiftClaimKey(shift, claim), { expiresAt })))
  let existing = new Set<string>()
  const isDecided = async () => {
    const shiftItems = (await table.getMany(shifts.map(shiftKey))).filter(shift => shift !== undefined)
    existing = new Set(shiftItems.flatMap(({ id, leavingAt }) => (leavingAt === undefined ? [id] : [])))
    // A pending deletion may still find the claim and give up, so retry.
    if (existing.size < shiftItems.length) throw new Problem(60006)
  }
  await again(isDecided).catch(error => {
    if (!wasSlower(error)) throw error
  })
  await releaseShifts(
    table,
    claim,
    shifts.filter(shift => !existing.has(shift)),
  )
  return existing
}

/** As `claimThose`, for all or none. Throws 60004 with these fields if a shift is missing. */
export const claimShifts = async (table: Table, claim: string, shifts: string[], fields: Fields): Promise<void> => {
  const existing = await claimThose(table, claim, shifts)
  if (shifts.every(shift => existing.has(shift))) return
  await releaseShifts(table, claim, shifts)
  throw new Problem(60004, fields)
}

export const releaseShifts = (table: Table, claim: string, shifts: string[]): Promise<void> =>
  saveInParts(shifts.map(shift => table.remove(shiftClaimKey(shift, claim))))
