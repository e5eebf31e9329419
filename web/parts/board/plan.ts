import { hasSameHours } from '../../../shared/attendance/zone.ts'
import { addDays, countDays } from '../../../shared/local-day.ts'
import { planLimits } from '../../../shared/schedule/limit.ts'

// The unsaved changes of the schedule board, and the requests that save them.

/** The planned shifts of an employee by day; an empty list plans a free day. */
export type OwnPlan = Readonly<Record<string, readonly string[]>>
/** The planned shifts by employee. An employee whose plan does not change keeps the same object. */
export type Plan = Readonly<Record<string, OwnPlan>>

/** The schedule of an employee on the server: every day that the board has read. A free day is an empty list. */
export interface Known {
  readonly employee: string
  readonly name: string
  readonly department: string
  readonly days: Readonly<Record<string, readonly string[]>>
  /** The days on which the employee is on approved leave for the whole day, as far as the board has read them. */
  readonly away?: Readonly<Record<string, boolean>>
}
export type KnownPeople = ReadonlyMap<string, Known>

/** A day of an employee with its planned shifts. */
export interface Cell {
  employee: string
  day: string
  wanted: readonly string[]
}

export interface Change extends Cell {
  /** The shifts of the day on the server. */
  held: readonly string[]
}

export const isSame = (left: readonly string[], right: readonly string[]): boolean =>
  left.length === right.length && left.every((shift, index) => shift === right[index])

const none: readonly string[] = []
export const heldOn = (known: Known | undefined, day: string): readonly string[] => known?.days[day] ?? none

/** Whether the employee is on approved leave for the whole day. */
export const isAwayOn = (known: Known | undefined, day: string): boolean => known?.away?.[day] ?? false

/**
 * Assigns shifts to cells of a plan. A day that equals the server's day counts as unchanged. If a running save contains
 * the day, it counts as a change, because the server will soon hold other shifts.
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

/** Removes the saved cells from a plan. Cells that the user has changed since the save began stay. */
export const withoutSent = (plan: Plan, sent: Plan): Plan => {
  const next: Record<string, OwnPlan> = {}
  for (const [employee, own] of Object.entries(plan)) {
    const before = sent[employee]
    const unsaved = before === own ? [] : Object.entries(own).filter(([day, wanted]) => before?.[day] !== wanted)
    if (unsaved.length > 0) next[employee] = Object.fromEntries(unsaved)
  }
  return next
}

/** The changes of an employee's plan, in the order of days. */
export const changesOf = (employee: string, own: OwnPlan, known: Known | undefined): Change[] =>
  Object.entries(own)
    .map(([day, wanted]) => ({ employee, day, wanted, held: heldOn(known, day) }))
    .filter(({ wanted, held, day }) => known?.days[day] === undefined || !isSame(wanted, held))
    .sort((a, b) => (a.day < b.day ? -1 : 1))

/**
 * The input of `schedule/plan`. Cell i of a row is the day `from` + i. `null` leaves the day unchanged, and `[]` frees
 * it.
 */
export interface PlanInput {
  from: string
  shifts: string[]
  rows: { employees: string[]; cells: (number[] | null)[] }[]
}

/** The limits of one request: people, days, shifts and characters. */
const limits = { ...planLimits, characters: 200_000 }

type Row = PlanInput['rows'][number]
const sizeOf = (row: Row) => JSON.stringify(row).length

/** Splits rows into the fewest requests that the limits allow. Employees of one row may go into different requests. */
const splitRows = (rows: readonly Row[]): Row[][] => {
  const requests: Row[][] = []
  let room = { employees: 0, characters: 0 }
  for (const row of rows) {
    for (let start = 0; start < row.employees.length; ) {
      if (room.employees === 0 || room.characters < sizeOf({ employees: [], cells: row.cells })) {
        requests.push([])
        room = { employees: limits.employees, characters: limits.characters }
      }
      const part = { employees: row.employees.slice(start, start + room.employees), cells: row.cells }
      requests.at(-1)?.push(part)
      start += part.employees.length
      room = { employees: room.employees - part.employees.length, characters: room.characters - sizeOf(part) }
    }
  }
  return requests
}

/** The number of the stretch that contains a day. A stretch has as many days as one request may contain. */
const stretchOf = (from: string, day: string) => Math.floor((countDays(from, day) - 1) / limits.days)

export interface PlanRequest {
  input: PlanInput
  changes: Change[]
}

/**
 * The requests that save the changes. Employees with the same cells share a row. Throws a RangeError if a request
 * exceeds the limit of shifts.
 */
export const requestsFor = (changes: readonly Change[]): PlanRequest[] => {
  const first = changes.reduce((least, { day }) => (day < least ? day : least), changes[0]?.day ?? '')
  return [...Map.groupBy(changes, ({ day }) => stretchOf(first, day))]
    .sort(([a], [b]) => a - b)
    .flatMap(([stretch, stretchChanges]) => {
      const from = addDays(first, stretch * limits.days)
      const shifts = [...new Set(stretchChanges.flatMap(({ wanted }) => wanted))]
      if (shifts.length > limits.shifts) throw new RangeError('More shifts than one request may name')
      const places = new Map(shifts.map((shift, place) => [shift, place]))
      const rows = new Map<string, Row>()
      const byEmployee = Map.groupBy(stretchChanges, ({ employee }) => employee)
      for (const [employee, own] of byEmployee) {
        const cells: (number[] | null)[] = []
        for (const { day, wanted } of own) {
          const index = countDays(from, day) - 1
          while (cells.length < index) cells.push(null)
          cells[index] = wanted.flatMap(shift => places.get(shift) ?? [])
        }
        const cellsKey = JSON.stringify(cells)
        const row = rows.get(cellsKey)
        if (row) row.employees.push(employee)
        else rows.set(cellsKey, { employees: [employee], cells })
      }
      return splitRows([...rows.values()]).map(rows => ({
        input: { from, shifts, rows },
        changes: rows.flatMap(({ employees }) => employees.flatMap(employee => byEmployee.get(employee) ?? [])),
      }))
    })
}

/**
 * Whether the browser's zone has the same hours as the company's zone. Compares the shown days from the company's today
 * on, and all planned days. The server refuses a plan from a zone with other hours.
 */
export const meansSameHours = (
  own: string,
  zone: string,
  { days, plan, today }: { days: readonly string[]; plan: Plan; today: string },
): boolean =>
  hasSameHours(own, zone, new Set([...days.filter(day => day >= today), ...Object.values(plan).flatMap(Object.keys)]))

/** The cells that undo a save: the days from `least` on whose shifts the save has set. */
export const inverseOf = (saved: readonly Change[], people: KnownPeople, least: string): Cell[] =>
  saved.flatMap(({ employee, day, wanted, held }) =>
    day >= least && isSame(heldOn(people.get(employee), day), wanted) ? [{ employee, day, wanted: held }] : [],
  )

/**
 * The changes of a save that the server has certainly stored, according to its tasks. A task does not save an employee
 * with a problem. If a task has more problems than it lists, none of its changes count.
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
