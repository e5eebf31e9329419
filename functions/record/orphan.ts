import { employmentsOf } from '../../shared/attendance/employment.ts'
import { type Employee, type FormerEmployee, formerEmployeeKey, worknoKey } from '../../shared/employee.ts'
import { addDays, laterDay } from '../../shared/local-day.ts'
import { fullName } from '../../shared/person-name.ts'
import { type Punch, punchKey } from '../../shared/punch.ts'
import {
  type AssignedNumber,
  assignedNumberKey,
  formerNumberKey,
  type Orphan,
  orphanKey,
} from '../../shared/record/orphan.ts'
import { findEmployees, keepNumbers } from '../employee/store.ts'
import type { Caller } from '../kit/caller.ts'
import { atOnce } from '../kit/each.ts'
import { again, change, saves } from '../kit/table/change.ts'
import { type Item, save, type Table, type Write } from '../kit/table.ts'
import { moveOvertaken, positionNow } from './order.ts'

// Unassigned numbers come from a typing or enrolment error. A manager assigns each number once, and the employee keeps
// it beside the employee ID. `orphan-task.ts` then recalculates the employee's days.

export const punchesPk = (number: string) => punchKey({ number, localTime: '', sn: '' }).pk

/** The first punch of a number. */
export const firstPunch = async (table: Table, number: string): Promise<Item<Punch> | undefined> =>
  (await table.page<Punch>({ pk: punchesPk(number), size: 1 })).list[0]

/** The last punches of a number, the newest first. */
export const lastPunches = async (table: Table, number: string, size: number): Promise<Item<Punch>[]> =>
  (await table.page<Punch>({ pk: punchesPk(number), reverse: true, size })).list

const punchesAtOnce = 8

/** Limits for one terminal: the numbers with the latest punches, and the last punches of each number. */
const mostShown = { numbers: 20, punches: 20, places: 50 }

/** The holders of numbers, employed or not. */
export const readWhose = async (
  table: Table,
  numbers: string[],
): Promise<Map<string, { id: string; person?: Employee }>> => {
  const holders = await table.getMany(numbers.map(worknoKey))
  const ids = holders.flatMap(holder => (holder ? [holder.employee] : []))
  const people = new Map((await findEmployees(table, ids)).map(person => [person.id, person]))
  return new Map(
    numbers.flatMap((number, i) => {
      const id = holders[i]?.employee
      const person = id === undefined ? undefined : people.get(id)
      return id === undefined ? [] : [[number, { id, ...(person && { person }) }]]
    }),
  )
}

/** A night shift ends on the day after its start. */
const lastDayOf = (endDay: string) => addDays(endDay, 1)

/** Whether the person was employed when they punched. */
const wasThere = (person: Employee, { localTime }: Punch): boolean => {
  const day = localTime.slice(0, 10)
  return employmentsOf(person).some(({ hireDay = day, endDay = day }) => day >= hireDay && day <= lastDayOf(endDay))
}

/** The ranges of days on which the person was not employed, latest first. `to` is the first day after the range. */
const rangesAway = (person: Employee): { from?: string; to?: string }[] => {
  const ranges: { from?: string; to?: string }[] = []
  let to: string | undefined
  for (const { hireDay, endDay } of employmentsOf(person).reverse()) {
    if (endDay !== undefined) ranges.push({ from: addDays(lastDayOf(endDay), 1), ...(to !== undefined && { to }) })
    if (hireDay === undefined) return ranges
    to = hireDay
  }
  return to === undefined ? ranges : [...ranges, { to }]
}

/**
 * The last unassigned punches of a number, the newest first. If the number has a holder, these are the punches outside
 * the holder's employment. Punches before the employment count only from `from` on.
 */
export const nobodysPunches = async (
  table: Table,
  number: string,
  { person, size, from }: { person: Employee | undefined; size: number; from?: string | undefined },
): Promise<Item<Punch>[]> => {
  if (!person) return lastPunches(table, number, size)
  const punches: Item<Punch>[] = []
  for (const range of rangesAway(person)) {
    const first = laterDay(range.from ?? '', from ?? '')
    if (range.to !== undefined && first >= range.to) continue
    const { list } = await table.page<Punch>({
      ...{ pk: punchesPk(number), reverse: true, size: size - punches.length },
      ...(first !== '' && { from: first }),
      ...(range.to !== undefined && { to: range.to }),
    })
    punches.push(...list)
    if (punches.length === size) break
  }
  return punches
}

/** A local day that is before the instant in any time zone. */
export const dayBefore = (at: string) => addDays(at.slice(0, 10), -1)
/** The first day of a number whose first punch is unknown. */
export const everyDay = ''

/** Checks a number this many days before the hire date, because a manager may have entered the date too late. */
const earlyDays = 31

/**
 * Lists numbers with unassigned punches, removes assigned numbers from the list, and returns the holders. Checks the
 * holders again after the write, because a holder may appear meanwhile. `firsts` maps each number to its first known
 * day, and `punchedAt` to its terminals.
 */
export const judgeNumbers = async (
  table: Table,
  firsts: ReadonlyMap<string, string>,
  punchedAt?: ReadonlyMap<string, ReadonlySet<string>>,
): Promise<Map<string, string>> => {
  const numbers = [...firsts.keys()]
  const [pages, held] = await Promise.all([
    atOnce(punchesAtOnce, numbers, number => lastPunches(table, number, 1)),
    table.getMany(numbers.map(orphanKey)),
  ])
  const punched = numbers.flatMap((number, i) => pages[i]?.map(last => ({ number, last, held: held[i] })) ?? [])
  type Punched = (typeof punched)[number]
  const holders = await readWhose(table, numbers)
  /**
   * The last unassigned punch. Assumes that earlier punches belong to the present holder, unless they are new or the
   * number is already listed.
   */
  const nobodysOf = async (whose: typeof holders, { number, last, held }: Punched): Promise<Punch | undefined> => {
    const person = whose.get(number)?.person
    if (!person || !wasThere(person, last)) return last
    const { hireDay } = person
    const first = firsts.get(number) ?? everyDay
    if (hireDay === undefined || (!held && first > hireDay)) return undefined
    const firstDays = [...(first === everyDay ? [] : [first]), ...(held ? [dayBefore(held.lastAt)] : [])]
    const from = [addDays(hireDay, -earlyDays), ...firstDays].sort()[0]
    return (await nobodysPunches(table, number, { person, size: 1, from }))[0]
  }
  const judged = await atOnce(punchesAtOnce, punched, async one => ({ one, nobodys: await nobodysOf(holders, one) }))
  const unclaimed = judged.flatMap(({ one: { number, held }, nobodys }) => (nobodys ? [{ number, nobodys, held }] : []))
  const readPlaces = async (number: string) =>
    (await nobodysPunches(table, number, { person: holders.get(number)?.person, size: mostShown.punches })).map(
      ({ sn }) => sn,
    )
  // Most punches are assigned and cause no write here.
  await atOnce(punchesAtOnce, unclaimed, async ({ number, nobodys: { sn, at }, held }) => {
    // A number with a holder also has assigned punches at these terminals, so read its unassigned punches.
    const places = punchedAt && !holders.has(number) ? [...(punchedAt.get(number) ?? [])] : await readPlaces(number)
    await again(async tries => {
      const key = orphanKey(number)
      const stored = tries === 1 ? held : await table.get(key)
      const all = new Set([...places, sn, ...(stored ? [stored.serialNumber, ...(stored.alsoAt ?? [])] : [])])
      // A concurrent call may have seen a later punch.
      const isNews = tries > 1 && stored && stored.lastAt !== held?.lastAt && stored.lastAt > at
      const last = isNews ? stored : { serialNumber: sn, lastAt: at }
      const { serialNumber, lastAt } = last
      const alsoAt = [...all].filter(terminal => terminal !== serialNumber).slice(0, mostShown.places)
      const orphan = { workno: number, serialNumber, lastAt, ...(alsoAt.length > 0 && { alsoAt }) }
      await save(stored ? table.replace(key, { ...orphan, version: stored.version }) : table.insertAnew(key, orphan))
    })
  })
  const doubtful = judged.flatMap(({ one, nobodys }) => (nobodys || one.held ? [one] : []))
  const whose = await readWhose(
    table,
    doubtful.map(({ number }) => number),
  )
  await atOnce(punchesAtOnce, doubtful, async one => {
    if (!(await nobodysOf(whose, one))) await save(table.remove(orphanKey(one.number)))
  })
  return new Map([...holders].map(([number, { id }]) => [number, id]))
}

/** Unassigned punches belong to no department, so only callers with access to all departments see them. */
export const seesOrphans = ({ departments }: Caller) => departments === undefined

/** The unassigned punches of a terminal. */
export const orphanPunches = async (table: Table, sn: string): Promise<Punch[]> => {
  const all = await table.all<Orphan>({ pk: orphanKey('').pk })
  const here = all.filter(({ serialNumber, alsoAt = [] }) => [serialNumber, ...alsoAt].includes(sn))
  const last = here.sort((a, b) => (a.lastAt < b.lastAt ? 1 : -1)).slice(0, mostShown.numbers)
  const whose = await readWhose(
    table,
    last.map(({ workno }) => workno),
  )
  const punches = await atOnce(punchesAtOnce, last, ({ workno }) =>
    nobodysPunches(table, workno, { person: whose.get(workno)?.person, size: mostShown.punches }),
  )
  return punches.flat().filter(punch => punch.sn === sn)
}

const portion = 200

/**
 * Renews punches that webhooks and `record/since` announced with a wrong person, so that they appear again. Idempotent.
 */
export const tellAgain = async (
  table: Table,
  number: string,
  { by, isTold, pause }: { by: string; isTold: (punch: Punch) => boolean; pause?: () => void },
): Promise<void> => {
  let from: string | undefined
  for (;;) {
    const { list, next } = await table.page<Punch>({ pk: punchesPk(number), size: portion, page: from })
    const left = list.filter(punch => !isTold(punch))
    const now = Date.now()
    const given = { by, at: new Date(now).toISOString() }
    const place = left.length > 0 ? await positionNow(table, now) : {}
    const changed = await atOnce(punchesAtOnce, left, punch =>
      change(table, punchKey(punch), ({ position: _, ...current }) =>
        isTold(current) ? undefined : { ...current, given, ...place },
      ),
    )
    await moveOvertaken(
      table,
      changed.flatMap(punch => (punch?.given?.at === given.at ? [punch] : [])),
    )
    if (next === undefined) return
    from = next
    pause?.()
  }
}

const nobody = 'nobody'

/**
 * Announces the punches of a number again after its assignment changed: with the new holder, or without a holder.
 * Idempotent.
 */
export const tellWhose = async (table: Table, number: string): Promise<void> => {
  const holder = await table.get(worknoKey(number))
  if (!holder) return tellAgain(table, number, { by: nobody, isTold: ({ given }) => given?.by === nobody })
  if (holder.untoldBefore === undefined) return
  const { untoldBefore: _, ...rest } = holder
  await tellAgain(table, number, { by: holder.employee, isTold: ({ given }) => given?.by === holder.employee })
  // A concurrent return of the number may have announced its punches before this loop ended.
  if (!(await saves(table.replace(worknoKey(number), rest)))) await tellWhose(table, number)
}

/** Records the assignment in the audit of the employee, because the number decides their pay. */
const tellNumber = (table: Table, { id, ...person }: Employee, field: { before?: string; after?: string }): Write =>
  table.note({
    ...{ noun: 'employee', id, name: fullName(person), change: 'changed' },
    fields: { assignedWorkno: field },
  })

/** The writes that assign a number. The save throws 59014 if another employee got the number meanwhile. */
export const assignNumber = (table: Table, employee: Item<Employee>, workno: string, by: string): Write[] => [
  table.insert(worknoKey(workno), { employee: employee.id }, { code: 59014, fields: { workno: 59014 } }),
  table.insert(assignedNumberKey(workno), { workno, employee: employee.id, by, at: new Date().toISOString() }),
  table.remove(orphanKey(workno)),
  keepNumbers(table, employee, [...(employee.formerWorknos ?? []), workno]),
  tellNumber(table, employee, { after: workno }),
]

const without = ({ formerWorknos = [] }: Employee, workno: string) => formerWorknos.filter(number => number !== workno)

/** The person of a number, who may be deleted. */
interface Former {
  holder?: Item<Employee> | undefined
  deleted?: Item<FormerEmployee> | undefined
}

const dropNumber = (table: Table, { holder, deleted }: Former, workno: string): Write[] => {
  if (holder)
    return [keepNumbers(table, holder, without(holder, workno)), tellNumber(table, holder, { before: workno })]
  return deleted
    ? [table.replace(formerEmployeeKey(deleted.id), { ...deleted, formerWorknos: without(deleted, workno) })]
    : []
}

/** The writes that take a number of a terminal from its person. Some of its punches may stay under its name. */
export const freeNumber = (
  table: Table,
  former: Former,
  { workno, version }: { workno: string; version: number },
): Write[] => [
  table.remove(worknoKey(workno)),
  table.remove(assignedNumberKey(workno), version),
  table.put(formerNumberKey(workno), { workno }),
  ...dropNumber(table, former, workno),
]

/** The writes that hand a number from one person to another. */
export const handNumber = (
  table: Table,
  change: { former: Former; employee: Item<Employee>; assigned: Item<AssignedNumber>; by: string },
): Write[] => {
  const { former, employee, assigned, by } = change
  const { workno, version } = assigned
  const given = { workno, employee: employee.id, by, at: new Date().toISOString(), version }
  return [
    table.put(worknoKey(workno), { employee: employee.id }),
    table.replace(assignedNumberKey(workno), given),
    keepNumbers(table, employee, [...(employee.formerWorknos ?? []), workno]),
    tellNumber(table, employee, { after: workno }),
    ...dropNumber(table, former, workno),
  ]
}

/** The writes that return a number and list its punches as unassigned again. */
export const returnNumber = (
  table: Table,
  employee: Item<Employee>,
  workno: string,
  { last, version }: { last: Punch | undefined; version: number },
): Write[] => {
  const orphan: Orphan | undefined = last && { workno, serialNumber: last.sn, lastAt: last.at }
  return [
    table.remove(worknoKey(workno)),
    table.remove(assignedNumberKey(workno), version),
    ...(orphan ? [table.put(orphanKey(workno), orphan)] : []),
    keepNumbers(table, employee, without(employee, workno)),
    tellNumber(table, employee, { before: workno }),
  ]
}
