import { hasSameHours } from '../../../shared/attendance/zone.ts'
import { addDays, countDays } from '../../../shared/local-day.ts'
import { planLimits } from '../../../shared/schedule/limit.ts'

// What is painted on the schedule board and not saved yet, and the requests that save it.

/** The shifts each day of an employee is to hold; none means that the day is to be free. */
export type OwnPlan = Readonly<Record<string, readonly string[]>>
/** What is to be, by employee. Whoever is left as they are keeps the same object. */
export type Plan = Readonly<Record<string, OwnPlan>>

/** What the server holds of an employee: every day that was ever read, a free one as an empty list. */
export interface Known {
  readonly employee: string
  readonly name: string
  readonly department: string
  readonly days: Readonly<Record<string, readonly string[]>>
}
export type KnownPeople = ReadonlyMap<string, Known>

/** A day of an employee, and what it is to hold. */
export interface Cell {
  employee: string
  day: string
  wanted: readonly string[]
}

export interface Change extends Cell {
  /** What the day holds on the server. */
  held: readonly string[]
}

export const isSame = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((shift, index) => shift === other[index])

const none: readonly string[] = []
export const heldOn = (known: Known | undefined, day: string): readonly string[] => known?.days[day] ?? none

/**
 * A plan with these cells painted. A day that is as the server has it is no change, unless it is just on its way there:
 * then the server will hold something else.
 */
export const withCells = (plan: Plan, cells: readonly Cell[], people: KnownPeople, sent: Plan = {}): Plan => {
  const next: Record<string, OwnPlan> = { ...plan }
  for (const [employee, own] of Map.groupBy(cells, ({ employee }) => employee)) {
    const days: Record<string, readonly string[]> = { ...next[employee] }
    const known = people.get(employee)
    for (const { day, wanted } of own) {
      const held = known?.days[day]
      if (held && isSame(held, wanted) && !sent[employee]?.[day]) delete days[day]
      else days[day] = wanted
    }
    if (Object.keys(days).length > 0) next[employee] = days
    else delete next[employee]
  }
  return next
}

/** A plan without what has arrived: the very cells that were sent. What was painted over them meanwhile stays. */
export const withoutSent = (plan: Plan, sent: Plan): Plan => {
  const next: Record<string, OwnPlan> = {}
  for (const [employee, own] of Object.entries(plan)) {
    const before = sent[employee]
    const left = before === own ? [] : Object.entries(own).filter(([day, wanted]) => before?.[day] !== wanted)
    if (left.length > 0) next[employee] = Object.fromEntries(left)
  }
  return next
}

/** What an employee's plan changes, in the order of the days. */
export const changesOf = (employee: string, own: OwnPlan, known: Known | undefined): Change[] =>
  Object.entries(own)
    .map(([day, wanted]) => ({ employee, day, wanted, held: heldOn(known, day) }))
    .filter(({ wanted, held, day }) => known?.days[day] === undefined || !isSame(wanted, held))
    .sort((one, other) => (one.day < other.day ? -1 : 1))

/** What `schedule/plan` takes: cell i of a row is the day `from` + i; `null` leaves it as it is, `[]` frees it. */
export interface PlanInput {
  from: string
  shifts: string[]
  rows: { employees: string[]; cells: (number[] | null)[] }[]
}

/** The most one request may have: of people, days and shifts, and of characters. */
const most = { ...planLimits, characters: 200_000 }

type Row = PlanInput['rows'][number]
const sizeOf = (row: Row) => JSON.stringify(row).length

/** Rows in as few requests as their bounds allow; who shares a row may be parted. */
const portions = (rows: readonly Row[]): Row[][] => {
  const found: Row[][] = []
  let room = { employees: 0, characters: 0 }
  for (const row of rows) {
    for (let start = 0; start < row.employees.length; ) {
      if (room.employees === 0 || room.characters < sizeOf({ employees: [], cells: row.cells })) {
        found.push([])
        room = { employees: most.employees, characters: most.characters }
      }
      const part = { employees: row.employees.slice(start, start + room.employees), cells: row.cells }
      found.at(-1)?.push(part)
      start += part.employees.length
      room = { employees: room.employees - part.employees.length, characters: room.characters - sizeOf(part) }
    }
  }
  return found
}

/** The days in stretches of at most so many, as one request may have. */
const stretchOf = (from: string, day: string) => Math.floor((countDays(from, day) - 1) / most.days)

export interface PlanRequest {
  input: PlanInput
  changes: Change[]
}

/** The requests that bring about the changes. Employees whose days are to be alike stand in one row. */
export const requestsFor = (changes: readonly Change[]): PlanRequest[] => {
  const first = changes.reduce((least, { day }) => (day < least ? day : least), changes[0]?.day ?? '')
  return [...Map.groupBy(changes, ({ day }) => stretchOf(first, day))]
    .sort(([one], [other]) => one - other)
    .flatMap(([stretch, some]) => {
      const from = addDays(first, stretch * most.days)
      const shifts = [...new Set(some.flatMap(({ wanted }) => wanted))]
      if (shifts.length > most.shifts) throw new RangeError('More shifts than one request may name')
      const places = new Map(shifts.map((shift, place) => [shift, place]))
      const rows = new Map<string, Row>()
      const byEmployee = Map.groupBy(some, ({ employee }) => employee)
      for (const [employee, own] of byEmployee) {
        const cells: (number[] | null)[] = []
        for (const { day, wanted } of own) {
          const index = countDays(from, day) - 1
          while (cells.length < index) cells.push(null)
          cells[index] = wanted.flatMap(shift => places.get(shift) ?? [])
        }
        const alike = JSON.stringify(cells)
        const row = rows.get(alike)
        if (row) row.employees.push(employee)
        else rows.set(alike, { employees: [employee], cells })
      }
      return portions([...rows.values()]).map(rows => ({
        input: { from, shifts, rows },
        changes: rows.flatMap(({ employees }) => employees.flatMap(employee => byEmployee.get(employee) ?? [])),
      }))
    })
}

/**
 * Whether a browser in a zone of its own means the hours of the company on the days one may plan on what is shown, from the company's
 * today on, and on all that is planned already, which is refused where it does not.
 */
export const meansSameHours = (
  own: string,
  zone: string,
  { days, plan, today }: { days: readonly string[]; plan: Plan; today: string },
): boolean =>
  hasSameHours(own, zone, new Set([...days.filter(day => day >= today), ...Object.values(plan).flatMap(Object.keys)]))

/** What takes a save back, of the days that still hold what it saved and may still be changed. */
export const inverseOf = (saved: readonly Change[], people: KnownPeople, least: string): Cell[] =>
  saved.flatMap(({ employee, day, wanted, held }) =>
    day >= least && isSame(heldOn(people.get(employee), day), wanted) ? [{ employee, day, wanted: held }] : [],
  )

/**
 * What of a save is certain to have arrived, by the tasks that carried out its parts. Whoever is named in a problem stays as they
 * were; where a task had more problems than it names, nobody can say whom else it left out, and nothing of it counts as saved.
 */
export const savedOf = (
  parts: readonly { id: string; changes: readonly Change[] }[],
  ended: readonly {
    id: string
    state: string
    problemCount: number
    problems: readonly { about?: { employee: string } | undefined }[]
  }[],
): Change[] =>
  parts.flatMap(({ id, changes }) => {
    const task = ended.find(other => other.id === id)
    if (task?.state !== 'done' || task.problemCount > task.problems.length) return []
    const unsaved = new Set(task.problems.map(({ about }) => about?.employee))
    return changes.filter(({ employee }) => !unsaved.has(employee))
  })
