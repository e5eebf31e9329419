import { employmentsOf } from '../../shared/attendance/employment.ts'
import { type Employee, worknoKey } from '../../shared/employee.ts'
import { addDays, laterDay } from '../../shared/local-day.ts'
import { fullName } from '../../shared/person-name.ts'
import { type Punch, punchKey } from '../../shared/punch.ts'
import { assignedNumberKey, type Orphan, orphanKey } from '../../shared/record/orphan.ts'
import { findEmployees, keepNumbers } from '../employee/store.ts'
import type { Caller } from '../kit/caller.ts'
import { atOnce } from '../kit/each.ts'
import { again, change, saves } from '../kit/table/change.ts'
import { type Item, save, type Table, type Write } from '../kit/table.ts'
import { moveOvertaken, positionNow } from './order.ts'

// Numbers that punch and are nobody's: somebody typed or enrolled another one than theirs. Who it was is said once, the number is
// theirs beside their own, and the days it was punched on are calculated (`orphan-task.ts`).

export const punchesPk = (number: string) => punchKey({ number, localTime: '', sn: '' }).pk

/** The first punch of a number, if there is any. */
export const firstPunch = async (table: Table, number: string): Promise<Item<Punch> | undefined> =>
  (await table.page<Punch>({ pk: punchesPk(number), size: 1 })).list[0]

/** The last punches of a number, the newest first. */
export const lastPunches = async (table: Table, number: string, size: number): Promise<Item<Punch>[]> =>
  (await table.page<Punch>({ pk: punchesPk(number), reverse: true, size })).list

const punchesAtOnce = 8

/** Of very many numbers those that punched last are shown among the punches of their terminals, and the last punches of each. */
const mostShown = { numbers: 20, punches: 20, places: 50 }

/** Whose some numbers are, whether they are there on a day or not. */
export const readWhose = async (
  table: Table,
  numbers: string[],
): Promise<Map<string, { id: string; person?: Employee }>> => {
  const found = await table.getMany(numbers.map(worknoKey))
  const ids = found.flatMap(holder => (holder ? [holder.employee] : []))
  const people = new Map((await findEmployees(table, ids)).map(person => [person.id, person]))
  return new Map(
    numbers.flatMap((number, i) => {
      const id = found[i]?.employee
      const person = id === undefined ? undefined : people.get(id)
      return id === undefined ? [] : [[number, { id, ...(person && { person }) }]]
    }),
  )
}

/** The last night shift ends the day after. */
const lastDayOf = (endDay: string) => addDays(endDay, 1)

/** Whether the person was employed when their number was punched. */
const wasThere = (person: Employee, { localTime }: Punch): boolean => {
  const day = localTime.slice(0, 10)
  return employmentsOf(person).some(({ hireDay = day, endDay = day }) => day >= hireDay && day <= lastDayOf(endDay))
}

/** The ranges of days on which the person was not employed, latest first. `to` is the first day that no longer belongs. */
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
 * The last punches of a number that are nobody's, the newest first: all of them where it has no holder, else those of days on which
 * its holder was not there, of which those before they came count from a day on.
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

/** Of an instant, by whatever clock: no local day is earlier. */
export const dayBefore = (at: string) => addDays(at.slice(0, 10), -1)
/** Where nobody knows on which day a number was punched first. */
export const everyDay = ''

/** So long before somebody was there their number is looked at: a hire day that was typed too late is not later by more. */
const earlyDays = 31

/**
 * Numbers that were punched as nobody's (they have no holder, or not on that day) are held up to the managers. Judged anew from what
 * stands in the table, and looked at again after it was written, because a holder may have come meanwhile. Of many at once most is
 * read in a few questions: a terminal's backlog names hundreds. `firsts` are the numbers with the first day they were punched on as far
 * as is known, `punchedAt` where each was punched, where punches are what it is judged for: else that is read. Answers whose they are, whether they are there on that day or not.
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
  /** The last that is nobody's. Who is there now was so before as well, but for who has just come, or whose number is held up. */
  const nobodysOf = async (whose: typeof holders, { number, last, held }: Punched): Promise<Punch | undefined> => {
    const person = whose.get(number)?.person
    if (!person || !wasThere(person, last)) return last
    const { hireDay } = person
    const first = firsts.get(number) ?? everyDay
    if (hireDay === undefined || (!held && first > hireDay)) return undefined
    const known = [...(first === everyDay ? [] : [first]), ...(held ? [dayBefore(held.lastAt)] : [])]
    const from = [addDays(hireDay, -earlyDays), ...known].sort()[0]
    return (await nobodysPunches(table, number, { person, size: 1, from }))[0]
  }
  const found = await atOnce(punchesAtOnce, punched, async one => ({ one, nobodys: await nobodysOf(holders, one) }))
  const unclaimed = found.flatMap(({ one: { number, held }, nobodys }) => (nobodys ? [{ number, nobodys, held }] : []))
  const readPlaces = async (number: string) =>
    (await nobodysPunches(table, number, { person: holders.get(number)?.person, size: mostShown.punches })).map(
      ({ sn }) => sn,
    )
  // A punch of somebody's, as nearly all are, writes nothing here; whoever holds it up from now on looks again as well.
  await atOnce(punchesAtOnce, unclaimed, async ({ number, nobodys: { sn, at }, held }) => {
    // Where it has a holder, not all of them are nobody's.
    const places = punchedAt && !holders.has(number) ? [...(punchedAt.get(number) ?? [])] : await readPlaces(number)
    await again(async tries => {
      const key = orphanKey(number)
      const known = tries === 1 ? held : await table.get(key)
      const all = new Set([...places, sn, ...(known ? [known.serialNumber, ...(known.alsoAt ?? [])] : [])])
      // Somebody may have seen a later one meanwhile.
      const isNews = tries > 1 && known && known.lastAt !== held?.lastAt && known.lastAt > at
      const last = isNews ? known : { serialNumber: sn, lastAt: at }
      const { serialNumber, lastAt } = last
      const alsoAt = [...all].filter(one => one !== serialNumber).slice(0, mostShown.places)
      const orphan = { workno: number, serialNumber, lastAt, ...(alsoAt.length > 0 && { alsoAt }) }
      await save(known ? table.replace(key, { ...orphan, version: known.version }) : table.insertAnew(key, orphan))
    })
  })
  const doubtful = found.flatMap(({ one, nobodys }) => (nobodys || one.held ? [one] : []))
  const whose = await readWhose(
    table,
    doubtful.map(({ number }) => number),
  )
  await atOnce(punchesAtOnce, doubtful, async one => {
    if (!(await nobodysOf(whose, one))) await save(table.remove(orphanKey(one.number)))
  })
  return new Map([...holders].map(([number, { id }]) => [number, id]))
}

/** Nobody's punches belong to no department, so only those who see everybody see them. */
export const seesOrphans = ({ departments }: Caller) => departments === undefined

/** What was punched at a terminal with numbers that are nobody's. */
export const orphanPunches = async (table: Table, sn: string): Promise<Punch[]> => {
  const all = await table.all<Orphan>({ pk: orphanKey('').pk })
  const here = all.filter(({ serialNumber, alsoAt = [] }) => [serialNumber, ...alsoAt].includes(sn))
  const last = here.sort((one, other) => (one.lastAt < other.lastAt ? 1 : -1)).slice(0, mostShown.numbers)
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

/** Others were told of the punches by whose they were: each is written anew, and so is told of and listed once more. Safe twice. */
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
 * What others were told of a number's punches is made true again: the punches there were when it became an employee's are theirs, and
 * all are nobody's where it was taken back with whom it was given to. Safe twice.
 */
export const tellWhose = async (table: Table, number: string): Promise<void> => {
  const holder = await table.get(worknoKey(number))
  if (!holder) return tellAgain(table, number, { by: nobody, isTold: ({ given }) => given?.by === nobody })
  if (holder.untoldBefore === undefined) return
  const { untoldBefore: _, ...rest } = holder
  await tellAgain(table, number, { by: holder.employee, isTold: ({ given }) => given?.by === holder.employee })
  // Whoever took it back meanwhile may have told so before all this was told.
  if (!(await saves(table.replace(worknoKey(number), rest)))) await tellWhose(table, number)
}

/** The audit tells it of the employee: whose punches these are is what they are paid by. */
const tellNumber = (table: Table, { id, ...person }: Employee, field: { before?: string; after?: string }): Write =>
  table.note({
    ...{ noun: 'employee', id, name: fullName(person), change: 'changed' },
    fields: { assignedWorkno: field },
  })

/** Refused with 59014 where it has been somebody's since. */
export const assignNumber = (table: Table, employee: Item<Employee>, workno: string, by: string): Write[] => [
  table.insert(worknoKey(workno), { employee: employee.id }, { code: 59014, fields: { workno: 59014 } }),
  table.insert(assignedNumberKey(workno), { workno, employee: employee.id, by, at: new Date().toISOString() }),
  table.remove(orphanKey(workno)),
  keepNumbers(table, employee, [...(employee.formerWorknos ?? []), workno]),
  tellNumber(table, employee, { after: workno }),
]

/** What was punched with it is held up to the managers again. */
export const returnNumber = (
  table: Table,
  employee: Item<Employee>,
  workno: string,
  { last, version }: { last: Punch | undefined; version: number },
): Write[] => {
  const kept = (employee.formerWorknos ?? []).filter(number => number !== workno)
  const orphan: Orphan | undefined = last && { workno, serialNumber: last.sn, lastAt: last.at }
  return [
    table.remove(worknoKey(workno)),
    table.remove(assignedNumberKey(workno), version),
    ...(orphan ? [table.put(orphanKey(workno), orphan)] : []),
    keepNumbers(table, employee, kept),
    tellNumber(table, employee, { before: workno }),
  ]
}
