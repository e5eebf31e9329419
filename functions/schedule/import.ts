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

// The schedule out of a sheet as the export writes it: what its days are to hold, all of them or none. The sheet is taken at its
// word: an empty cell is a free day. Whoever is not in it, and days without a column, stay as they are.

const noun = {
  columns: scheduleColumns,
  required: ['workno'] as const,
  hasDays: true as const,
  isExample: (cells: SheetRow['cells']) => isExample(cells, ['workno', 'first_name', 'last_name']),
}

/** The shifts a cell names; undefined where it is not certain which are meant. */
const shiftReader = (shifts: Item<Shift>[]) => {
  const find = nameFinder(shifts.filter(({ leavingAt }) => leavingAt === undefined))
  const only = (name: string) => {
    const found = find(name)
    return found.length === 1 ? found[0]?.id : undefined
  }
  return (cell: string): string[] | undefined => {
    const ids = namesIn(cell, '+', name => only(name) !== undefined).map(only)
    return ids.every(id => id !== undefined) && ids.length > 0 ? [...new Set(ids)] : undefined
  }
}

const isDefined = <T>(value: T | undefined): value is T => value !== undefined

/** People by their numbers, as rows write them; without whom the asker does not manage. */
const readPeople = async (
  { table, asker }: Pick<Work<'schedule/import'>, 'table' | 'asker'>,
  rows: SheetRow[],
): Promise<Map<string | undefined, Item<Employee>>> => {
  const numbers = new Map(rows.map(({ cells: { workno } }) => [workno, worknoShape.safeParse(workno).data]))
  const holders = await table.getMany([...new Set(numbers.values())].filter(isDefined).map(worknoKey))
  const found = await table.getMany(holders.filter(isDefined).map(({ employee }) => employeeKey(employee)))
  const people = new Map(
    found
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

/** The first day a sheet may change: nothing of before today, and nothing that is locked. */
const readFirstDay = async (table: Table, work: Work<'schedule/import'>): Promise<string> => {
  const { timezone, lockedTo = '' } = await readCompany({ table })
  // A midnight that passes changes nothing for a sheet that was begun before it.
  const today = (work.memory.today as string | undefined) ?? localDay(timezone, Date.now())
  if (work.memory.today === undefined) await work.remember({ today })
  return laterDay(today, lockedTo)
}

/** What the days of a row are to hold, and what is wrong with its cells. */
const readRow = (
  { row, cells }: SheetRow,
  days: DayColumn[],
  held: (day: string) => string[],
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
    else if (cell !== undefined && held(day).toSorted().join() !== shifts.toSorted().join()) refuse(60019)
  }
  return { planned, problems }
}

const read = async (work: Work<'schedule/import'>): Promise<Reading> => {
  const { table } = work
  const { sheet, columns, rows, problems, isReadable } = await readUpload(work, noun)
  if (!isReadable) return { sheet, rows, problems, people: [] }
  const days = columns.filter((column): column is DayColumn => /^\d/.test(column)).sort()
  if (days.length === 0) problems.push({ row: 1, field: 'day', code: 60001 })
  const beyond = days.filter(day => !planDay.safeParse(day).success)
  problems.push(...beyond.map((day): SheetProblem => ({ row: 1, field: day, code: 10002, value: day })))
  if (beyond.length > 0) return { sheet, rows, problems, people: [] }
  const first = await readFirstDay(table, work)
  const shiftsIn = shiftReader(await table.all<Shift>({ pk: shiftKey('').pk }))
  const people: PlannedPerson[] = []
  const seen = new Set<string>()
  let part = 0
  await inPortions(rows, async portion => {
    const found = await readPeople(work, portion)
    const past = days.filter(day => day < first)
    const ids = [...found.values()].map(({ id }) => id)
    const byEmployee = await readMonths(table, ids, past)
    for (const row of portion) {
      const person = found.get(row.cells.workno)
      const months: Months = byEmployee.get(person?.id ?? '') ?? new Map()
      const { planned, problems: ofCells } = readRow(row, days, day => shiftsOn(months, day), { shiftsIn, first })
      const isTwice = person !== undefined && seen.has(person.id)
      const code = row.cells.workno === undefined ? 60001 : isTwice ? 59014 : person ? undefined : 60004
      if (code) problems.push(...problemsOf(row, { workno: code }))
      // Of somebody one does not manage not even this is told.
      if (person) problems.push(...ofCells)
      if (person && !isTwice) people.push({ row: row.row, part, employee: person.id, days: planned })
      if (person) seen.add(person.id)
      part++
    }
  })
  return { sheet, rows, problems: oneOfCell(problems), people: people.filter(({ days }) => days.size > 0) }
}

/** A conflict stands in the cell of a day that the sheet sets. */
const inCells = (problems: SheetProblem[], { rows, people }: Reading): SheetProblem[] => {
  const planned = new Map(people.map(person => [person.row, person.days]))
  const cells = new Map(rows.map(row => [row.row, row.cells]))
  return problems.flatMap(problem => {
    const { day, withDay } = problem.about ?? {}
    const field = [day, withDay].find(day => day !== undefined && planned.get(problem.row)?.has(day)) ?? 'workno'
    const row = { row: problem.row, cells: cells.get(problem.row) ?? {} }
    return problemsOf(row, { [field]: problem.code }).map(told => ({ ...problem, ...told }))
  })
}

export const scheduleImport: Kind<'schedule/import'> = {
  async check(work) {
    // What was written, or is being calculated, stays as it was judged.
    if (work.memory.written) return undefined
    const reading = await read(work)
    const found = await findProblems(work, await openPlanning(work, reading.people))
    const problems = oneOfCell([...reading.problems, ...inCells(found.problems, reading)])
    if (problems.length === 0 && !work.input.dryRun) return undefined
    const { changedDays: dayCount } = found
    return { ...(await refuseSheet(work, reading, problems)), ...(problems.length === 0 && { dayCount }) }
  },

  async run(work) {
    const reading = await read(work)
    const planning = await openPlanning(work, reading.people)
    const spans = spansOf(planning.people)
    let written = work.memory.written as Written | undefined
    if (!written) {
      // Something has changed since it was looked at.
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
