import { planDay } from '../../shared/contract.ts'
import { type Employee, employeeKey, worknoKey, workno as worknoShape } from '../../shared/employee.ts'
import { laterDay, localDay } from '../../shared/local-day.ts'
import { namesIn } from '../../shared/name-list.ts'
import { planLimits } from '../../shared/schedule/limit.ts'
import { type Shift, shiftKey } from '../../shared/shift.ts'
import type { SheetProblem } from '../../shared/task.ts'
import { readCompany } from '../company/store.ts'
import { recalculateDays } from '../day/recalculation.ts'
import { managesEmployee } from '../kit/caller.ts'
import { isDefined } from '../kit/defined.ts'
import type { Item, Table } from '../kit/table.ts'
import type { Kind, Work } from '../kit/task.ts'
import {
  inPortions,
  oneOfCell,
  problemsOf,
  readUpload,
  refuseSheet,
  type SheetRow,
  type Upload,
} from '../sheet/import.ts'
import { nameFinder } from '../sheet/name-finder.ts'
import { type DayColumn, isExample } from '../sheet/words.ts'
import { scheduleColumns } from './sheet.ts'
import { type Months, readMonths, shiftsOn } from './store.ts'
import {
  findProblems,
  handOnDays,
  openPlanning,
  type PlannedPerson,
  spansOf,
  takeBackDays,
  type Written,
  writeDays,
} from './write.ts'

// Imports the schedule from a sheet in the format of the export, all days or none. An empty cell means a free day.
// People without a row and days without a column stay unchanged.

const noun = {
  columns: scheduleColumns,
  required: ['workno'] as const,
  hasDays: true as const,
  isExample: (cells: SheetRow['cells']) => isExample(cells, ['workno', 'first_name', 'last_name']),
}

/** Reads the shifts that a cell names. Returns undefined for an unknown or ambiguous name. */
const shiftReader = (shifts: Item<Shift>[]) => {
  const findShifts = nameFinder(shifts.filter(({ leavingAt }) => leavingAt === undefined))
  const idOf = (name: string) => {
    const matches = findShifts(name)
    return matches.length === 1 ? matches[0]?.id : undefined
  }
  return (cell: string): string[] | undefined => {
    const ids = namesIn(cell, '+', name => idOf(name) !== undefined).map(idOf)
    return ids.every(id => id !== undefined) && ids.length > 0 ? [...new Set(ids)] : undefined
  }
}

/** People by their employee IDs as written in the rows, without people whom the asker does not manage. */
const readPeople = async (
  { table, asker }: Pick<Work<'schedule/import'>, 'table' | 'asker'>,
  rows: SheetRow[],
): Promise<Map<string | undefined, Item<Employee>>> => {
  const numbers = new Map(rows.map(({ cells: { workno } }) => [workno, worknoShape.safeParse(workno).data]))
  const holders = await table.getMany([...new Set(numbers.values())].filter(isDefined).map(worknoKey))
  const employees = await table.getMany(holders.filter(isDefined).map(({ employee }) => employeeKey(employee)))
  const people = new Map(
    employees
      .filter(isDefined)
      .flatMap(person => (managesEmployee(asker, person) ? [[person.workno, person] as const] : [])),
  )
  return new Map(
    [...numbers].flatMap(([written, number]) => {
      const person = people.get(number ?? '')
      return person ? [[written, person] as const] : []
    }),
  )
}

interface Reading extends Pick<Upload, 'sheet' | 'rows' | 'problems'> {
  people: PlannedPerson[]
}

/** The first day that a sheet may change: no day before today and no locked day. */
const readFirstDay = async (table: Table, work: Work<'schedule/import'>): Promise<string> => {
  const { timezone, lockedTo = '' } = await readCompany({ table })
  // Remember the day, so that a midnight during the import does not change it.
  const today = (work.memory.today as string | undefined) ?? localDay(timezone, Date.now())
  if (work.memory.today === undefined) await work.remember({ today })
  return laterDay(today, lockedTo)
}

/** The planned shifts of a row, and the problems of its cells. */
const readRow = (
  { row, cells }: SheetRow,
  days: DayColumn[],
  currentShifts: (day: string) => string[],
  { shiftsIn, first }: { shiftsIn: ReturnType<typeof shiftReader>; first: string },
) => {
  const planned = new Map<string, string[]>()
  const problems: SheetProblem[] = []
  for (const day of days) {
    const cell = cells[day]
    const refuse = (code: SheetProblem['code']) => problems.push(...problemsOf({ row, cells }, { [day]: code }))
    const shifts = cell === undefined ? [] : shiftsIn(cell)
    if (!shifts) refuse(60004)
    else if (shifts.length > planLimits.shiftsOfDay) refuse(60002)
    else if (day >= first) planned.set(day, shifts)
    else if (cell !== undefined && currentShifts(day).toSorted().join() !== shifts.toSorted().join()) refuse(60019)
  }
  return { planned, problems }
}

const read = async (work: Work<'schedule/import'>): Promise<Reading> => {
  const { table } = work
  const { sheet, columns, rows, problems, isReadable } = await readUpload(work, noun)
  if (!isReadable) return { sheet, rows, problems, people: [] }
  const days = columns.filter((column): column is DayColumn => /^\d/.test(column)).sort()
  if (days.length === 0) problems.push({ row: 1, field: 'day', code: 60001 })
  const invalidDays = days.filter(day => !planDay.safeParse(day).success)
  problems.push(...invalidDays.map((day): SheetProblem => ({ row: 1, field: day, code: 10002, value: day })))
  if (invalidDays.length > 0) return { sheet, rows, problems, people: [] }
  const first = await readFirstDay(table, work)
  const shiftsIn = shiftReader(await table.all<Shift>({ pk: shiftKey('').pk }))
  const people: PlannedPerson[] = []
  const seen = new Set<string>()
  let part = 0
  await inPortions(rows, async portion => {
    const peopleByNumber = await readPeople(work, portion)
    const past = days.filter(day => day < first)
    const ids = [...peopleByNumber.values()].map(({ id }) => id)
    const byEmployee = await readMonths(table, ids, past)
    for (const row of portion) {
      const person = peopleByNumber.get(row.cells.workno)
      const months: Months = byEmployee.get(person?.id ?? '') ?? new Map()
      const { planned, problems: cellProblems } = readRow(row, days, day => shiftsOn(months, day), { shiftsIn, first })
      const isTwice = person !== undefined && seen.has(person.id)
      const code = row.cells.workno === undefined ? 60001 : isTwice ? 59014 : person ? undefined : 60004
      if (code) problems.push(...problemsOf(row, { workno: code }))
      // Report cell problems only for people whom the asker manages, because these problems reveal data.
      if (person) problems.push(...cellProblems)
      if (person && !isTwice) people.push({ row: row.row, part, employee: person.id, days: planned })
      if (person) seen.add(person.id)
      part++
    }
  })
  return { sheet, rows, problems: oneOfCell(problems), people: people.filter(({ days }) => days.size > 0) }
}

/** Moves a conflict to the cell of a day that the sheet sets. */
const inCells = (problems: SheetProblem[], { rows, people }: Reading): SheetProblem[] => {
  const planned = new Map(people.map(person => [person.row, person.days]))
  const cells = new Map(rows.map(row => [row.row, row.cells]))
  return problems.flatMap(problem => {
    const { day, withDay } = problem.about ?? {}
    const field = [day, withDay].find(day => day !== undefined && planned.get(problem.row)?.has(day)) ?? 'workno'
    const row = { row: problem.row, cells: cells.get(problem.row) ?? {} }
    return problemsOf(row, { [field]: problem.code }).map(inRow => ({ ...problem, ...inRow }))
  })
}

export const scheduleImport: Kind<'schedule/import'> = {
  async check(work) {
    // Skip a second check once the task has written the days.
    if (work.memory.written) return undefined
    const reading = await read(work)
    const checked = await findProblems(work, await openPlanning(work, reading.people))
    const problems = oneOfCell([...reading.problems, ...inCells(checked.problems, reading)])
    if (problems.length === 0 && !work.input.dryRun) return undefined
    const { changedDays: dayCount } = checked
    return { ...(await refuseSheet(work, reading, problems)), ...(problems.length === 0 && { dayCount }) }
  },

  async run(work) {
    const reading = await read(work)
    const planning = await openPlanning(work, reading.people)
    const spans = spansOf(planning.people)
    let written = work.memory.written as Written | undefined
    if (!written) {
      // The data has changed since the check.
      if (reading.problems.length > 0) return refuseSheet(work, reading, reading.problems)
      await work.remember({ parts: reading.rows.length })
      written = await writeDays(work, planning)
      if (written.problems.length > 0) return refuseSheet(work, reading, inCells(written.problems, reading))
      await work.remember({ written })
    }
    return { rowCount: written.changedDays, recalculated: await recalculateDays(work, spans) }
  },

  takeBack: work => takeBackDays(work, Number(work.memory.parts ?? 0)),
  handOn: handOnDays,
}
