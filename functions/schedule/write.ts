import { setImmediate as breathe } from 'node:timers/promises'
import { type Employee, employeeKey } from '../../shared/employee.ts'
import { Problem } from '../../shared/errors.ts'
import { addDays } from '../../shared/local-day.ts'
import { withNeighbours } from '../../shared/schedule/conflict.ts'
import { monthOf } from '../../shared/schedule.ts'
import { type Shift, shiftKey } from '../../shared/shift.ts'
import { type SheetProblem, type TaskKind, type TaskPart, taskPartKey } from '../../shared/task.ts'
import { readCompany } from '../company/store.ts'
import type { Span } from '../day/walk.ts'
import { publish } from '../kit/bus.ts'
import { managesEmployee } from '../kit/caller.ts'
import { atOnce } from '../kit/each.ts'
import { again } from '../kit/table/change.ts'
import { type Item, save } from '../kit/table.ts'
import { type TakingBack, taskExpiry, type Work } from '../kit/task.ts'
import {
  claimShifts,
  claimThose,
  conflictsIn,
  type Months,
  readMonths,
  readShifts,
  releaseShifts,
  saveMonths,
  setDay,
  shiftsOn,
} from './store.ts'

// Days of many people, set by one task. Everything is looked at before anything is written; then each person's days are saved
// together, with a note that they are, so that a run that takes this up again neither forgets nor repeats anybody.
//
// The task calculates these days itself, in sight of who waits for it, and tells how many rows it has written. The job that else follows
// each change of a schedule would write them first and leave it nothing to tell, so a month the task saves says that it was the
// task (`scheduleFacts`). A run that dies after that is followed by another, until all is calculated. What ends otherwise is handed
// on to the job: `handOnDays` for what stays, and taking back saves months that name no task.

const peopleRead = 50
const peopleAtOnce = 16

/** What days of one person are to hold. */
export interface PlannedPerson {
  /** Where the person stands, as it is told: of a plan or of a sheet. */
  row: number
  /** The number of the part that writes it, the same in every run. */
  part: number
  employee: string
  days: ReadonlyMap<string, string[]>
}

export const daysOf = (people: readonly PlannedPerson[]): string[] =>
  [...people.reduce((all, { days }) => all.union(new Set(days.keys())), new Set<string>())].sort()

/** The days that are set, in stretches without a gap. */
export const spansOf = (people: readonly PlannedPerson[]): Span[] =>
  people.flatMap(({ employee, days }) => {
    const spans: Span[] = []
    for (const day of [...days.keys()].sort()) {
      const last = spans.at(-1)
      if (last && addDays(last.to, 1) === day) last.to = day
      else spans.push({ employee, from: day, to: day })
    }
    return spans
  })

/** Some people as they are, with what their months are to hold. */
interface Reading {
  employees: ReadonlyMap<string, Item<Employee>>
  byEmployee: Map<string, Months>
  shifts: ReadonlyMap<string, Shift>
}

/** People whose days are to be set, how they are read and judged. */
export interface Planning {
  people: PlannedPerson[]
  /** Reads people as they are now, their days set. */
  read(people: readonly PlannedPerson[]): Promise<Reading>
  /** What stands in the way of somebody's days. */
  judge(person: PlannedPerson, reading: Reading): SheetProblem[]
}

export const openPlanning = async (
  { table, asker }: Pick<Work<TaskKind>, 'table' | 'asker'>,
  people: PlannedPerson[],
): Promise<Planning> => {
  const { timezone } = await readCompany({ table })
  const around = withNeighbours(daysOf(people))
  let shifts: Awaited<ReturnType<typeof readShifts>> = new Map()
  return {
    people,
    async read(some) {
      const ids = some.map(({ employee }) => employee)
      const [employees, byEmployee] = await Promise.all([
        table.getMany(ids.map(employeeKey)),
        readMonths(table, ids, around),
      ])
      for (const { employee, days } of some) {
        const months: Months = byEmployee.get(employee) ?? new Map()
        for (const [day, held] of days) setDay(months, day, held)
      }
      shifts = await readShifts(table, byEmployee.values(), shifts)
      const found = employees.flatMap(employee => (employee ? [[employee.id, employee] as const] : []))
      return { employees: new Map(found), byEmployee, shifts }
    },
    judge({ row, employee: id }, { employees, byEmployee, shifts }) {
      const employee = employees.get(id)
      if (!employee || !managesEmployee(asker, employee)) return [missing({ row, employee: id })]
      return conflictsIn(timezone, shifts, byEmployee.get(id) ?? new Map(), around).map(conflict => ({
        ...{ row, field: 'employee', code: 59031 as const },
        about: { employee: id, ...conflict },
      }))
    },
  }
}

const missing = ({ row, employee }: Pick<PlannedPerson, 'row' | 'employee'>): SheetProblem => ({
  ...{ row, field: 'employee', code: 60004 },
  about: { employee },
})

export interface Written {
  changedDays: number
  problems: SheetProblem[]
}

const portions = <T>(list: readonly T[]): T[][] =>
  Array.from({ length: Math.ceil(list.length / peopleRead) }, (_, i) =>
    list.slice(i * peopleRead, (i + 1) * peopleRead),
  )

/** How many days a plan would change, and all that stands in its way, before anything is written. */
export const findProblems = async (work: Pick<Work<TaskKind>, 'tell'>, planning: Planning): Promise<Written> => {
  const { people } = planning
  const found: Written = { changedDays: 0, problems: [] }
  let looked = 0
  await work.tell('check', 0, people.length)
  for (const portion of portions(people)) {
    const reading = await planning.read(portion)
    for (const person of portion) {
      found.problems.push(...planning.judge(person, reading))
      const months: Months = reading.byEmployee.get(person.employee) ?? new Map()
      found.changedDays += Object.keys(changesOf(months, person)).length
    }
    looked += portion.length
    await work.tell('check', looked, people.length)
    await breathe()
  }
  return found
}

const isSame = (one: readonly string[], other: readonly string[]) => one.join() === other.join()

/** The days a person's plan changes. */
const changesOf = (months: Months, { days }: PlannedPerson): NonNullable<TaskPart['days']> =>
  Object.fromEntries(
    [...days].flatMap(([day, after]) => {
      const before = months.get(monthOf(day))?.before?.days[day] ?? []
      return isSame(before, after) ? [] : [[day, { before, after }]]
    }),
  )

/** Saves one person's days, and notes that they are saved. */
const writePerson = async (
  { task, table }: Pick<Work<TaskKind>, 'task' | 'table'>,
  planning: Planning,
  person: PlannedPerson,
  first: Reading,
): Promise<Written> => {
  const { part } = person
  const key = taskPartKey(task, part)
  const isThere = table.require(employeeKey(person.employee), { code: 60004 })
  try {
    return await again(async tries => {
      // It may be there, written by a run that did not live to say so.
      const known = tries > 1 ? await table.get(key) : undefined
      if (known) return { changedDays: known.count ?? 0, problems: [] }
      const reading = tries === 1 ? first : await planning.read([person])
      const problems = planning.judge(person, reading)
      if (problems.length > 0) return { changedDays: 0, problems: problems.slice(0, 1) }
      const months: Months = reading.byEmployee.get(person.employee) ?? new Map()
      const note = { part, state: 'written' as const, ids: [person.employee], days: changesOf(months, person) }
      const along = (count: number) => [isThere, table.insert(key, { ...note, count, expiresAt: taskExpiry() })]
      const changedDays = await saveMonths(table, person.employee, months, along, task)
      return { changedDays, problems: [] }
    })
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    const { row, employee } = person
    return { changedDays: 0, problems: [{ row, field: 'employee', code: error.code, about: { employee } }] }
  }
}

/** Saves everybody's days; who cannot be saved is named, and stays as they are. */
export const writeDays = async (
  work: Pick<Work<TaskKind>, 'task' | 'table' | 'tell' | 'pause'>,
  planning: Planning,
): Promise<Written> => {
  const { table, task } = work
  const { people } = planning
  const shifts = [...new Set(people.flatMap(({ days }) => [...days.values()].flat()))]
  await work.tell('write', 0, people.length)
  await claimShifts(table, task, shifts, { shifts: 60004 })
  const parts = await table.all<TaskPart>({ pk: taskPartKey(task, 0).pk })
  const counts = new Map(parts.map(({ part, count = 0 }) => [part, count]))
  const written: Written = { changedDays: counts.values().reduce((sum, count) => sum + count, 0), problems: [] }
  let done = counts.size
  for (const portion of portions(people.filter(({ part }) => !counts.has(part)))) {
    const reading = await planning.read(portion)
    await atOnce(peopleAtOnce, portion, async person => {
      const { changedDays, problems } = await writePerson(work, planning, person, reading)
      written.changedDays += changedDays
      written.problems.push(...problems)
      await work.tell('write', ++done, people.length)
      // Who is left as they are leaves no note: to end behind them would be to begin with them again.
      if (changedDays > 0) work.pause()
    })
  }
  await releaseShifts(table, task, shifts)
  return { ...written, problems: written.problems.toSorted((one, other) => one.row - other.row) }
}

/** Gives the days of one part back what they held, but for those somebody has changed since, and for shifts that have gone since. */
const takeBackPart = async (
  { table, task }: Pick<TakingBack<TaskKind>, 'table' | 'task'>,
  part: number,
  there: ReadonlySet<string>,
): Promise<void> => {
  const key = taskPartKey(task, part)
  await again(async () => {
    const found = await table.get(key)
    if (found?.state === 'takenBack') return
    const { ids = [], days = {} } = found ?? {}
    const note = { part, state: 'takenBack' as const, ids, expiresAt: taskExpiry() }
    // Also what is not there yet is taken back, so that no run that is still about can write it.
    if (!found) return save(table.insert(key, note))
    const [employee = ''] = ids
    const months: Months = (await readMonths(table, [employee], Object.keys(days))).get(employee) ?? new Map()
    for (const [day, { before, after }] of Object.entries(days))
      if (isSame(shiftsOn(months, day), after))
        setDay(
          months,
          day,
          before.filter(shift => there.has(shift)),
        )
    const isBack = table.replace(key, { ...note, version: found.version })
    // Somebody may have calculated these days meanwhile: the job does, and is told by the months, which name no task.
    if ((await saveMonths(table, employee, months, () => [isBack])) === 0) await save(isBack)
  })
}

/** Takes back what `writeDays` has written of so many parts, in this run or an earlier one. */
export const takeBackDays = async (
  work: Pick<TakingBack<TaskKind>, 'table' | 'task' | 'tell' | 'pause'>,
  count: number,
): Promise<void> => {
  const { table, task } = work
  const parts = await table.all<TaskPart>({ pk: taskPartKey(task, 0).pk })
  const back = new Set(parts.flatMap(({ part, state }) => (state === 'takenBack' ? [part] : [])))
  let done = back.size
  await work.tell('takeBack', done, count)
  const held = parts.flatMap(({ days = {} }) => Object.values(days).flatMap(({ before }) => before))
  const there = await claimThose(table, task, [...new Set(held)])
  const left = Array.from({ length: count }, (_, part) => part).filter(part => !back.has(part))
  await atOnce(peopleAtOnce, left, async part => {
    await takeBackPart(work, part, there)
    await work.tell('takeBack', ++done, count)
    work.pause()
  })
}

/**
 * What there is to do where a task fails: has the job calculate what stays written, for the months that were saved said that the task
 * does, and releases what it claimed.
 */
export const handOnDays = async ({
  table,
  task,
  company,
  step,
}: Pick<TakingBack<TaskKind>, 'table' | 'task' | 'company' | 'step'>): Promise<void> => {
  // Until then it has only looked.
  if (step === undefined || step === 'check') return
  const parts = await table.all<TaskPart>({ pk: taskPartKey(task, 0).pk })
  await publish(
    parts.flatMap(({ state, ids: [employee = ''], days = {} }) => {
      const [from, to] = [Object.keys(days).sort()[0], Object.keys(days).sort().at(-1)]
      return state === 'written' && from && to ? [{ type: 'schedule.changed', company, employee, from, to }] : []
    }),
  )
  const shifts = await table.all<Shift>({ pk: shiftKey('').pk, only: ['id'] })
  await releaseShifts(
    table,
    task,
    shifts.map(({ id }) => id),
  )
}
