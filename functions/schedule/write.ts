import { setImmediate as breathe } from 'node:timers/promises'
import { type Employee, employeeKey } from '../../shared/employee.ts'
import { Problem } from '../../shared/errors.ts'
import { daySpans } from '../../shared/local-day.ts'
import { withNeighbours } from '../../shared/schedule/conflict.ts'
import { monthOf } from '../../shared/schedule/month.ts'
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
  areChanged,
  claimShifts,
  claimThose,
  conflictsIn,
  draftedOn,
  type Months,
  readMonths,
  readShifts,
  releaseShifts,
  saveMonths,
  setDay,
  setDraft,
  shiftsOn,
  storedOn,
} from './store.ts'

// One task sets days of many people. The task checks everything before it writes anything. Then it saves each person's
// days together with a note, so that later runs skip that person.
//
// The task calculates these days itself, shows its progress and reports how many rows it has written. Usually a job
// calculates after each change of a schedule, which would leave the task nothing to report. So each month that the task
// saves names the task (`scheduleFacts`), and the job skips that month. If a run dies, another run continues until it
// has calculated all days. After a failed task the job calculates: `handOnDays` requests this for days that stay.
// Taking back saves months that name no task.

const peopleRead = 50
const peopleAtOnce = 16

/** The planned days of one person. */
export interface PlannedPerson {
  /** The row of the person in the plan or the sheet, for problems. */
  row: number
  /** The number of the part that writes this person, equal in every run. */
  part: number
  employee: string
  days: ReadonlyMap<string, string[]>
}

export const daysOf = (people: readonly PlannedPerson[]): string[] =>
  [...people.reduce((all, { days }) => all.union(new Set(days.keys())), new Set<string>())].sort()

/** The planned days as spans without gaps. */
export const spansOf = (people: readonly PlannedPerson[]): Span[] =>
  people.flatMap(({ employee, days }) => daySpans([...days.keys()].sort()).map(span => ({ employee, ...span })))

/** Some people as stored, with their planned months. */
interface Reading {
  employees: ReadonlyMap<string, Item<Employee>>
  byEmployee: Map<string, Months>
  shifts: ReadonlyMap<string, Shift>
}

/**
 * A task sets the planned days at once, writes them to the draft, or publishes their current draft. A day whose draft is
 * gone has been published or changed meanwhile, so it stays.
 */
export type Manner = 'set' | 'draft' | 'publish'

const setIn: Record<Manner, (months: Months, day: string, shifts: string[]) => void> = {
  set: setDay,
  draft: setDraft,
  publish: (months, day) => setDay(months, day, draftedOn(months, day)),
}

/** People with planned days, and how to read and check them. */
export interface Planning {
  people: PlannedPerson[]
  manner: Manner
  /** Reads people as stored and sets their planned days. */
  read(people: readonly PlannedPerson[]): Promise<Reading>
  /** The problems of a person's planned days. */
  judge(person: PlannedPerson, reading: Reading): SheetProblem[]
}

export const openPlanning = async (
  { table, asker }: Pick<Work<TaskKind>, 'table' | 'asker'>,
  people: PlannedPerson[],
  manner: Manner = 'set',
): Promise<Planning> => {
  const { timezone } = await readCompany({ table })
  const around = withNeighbours(daysOf(people))
  let shifts: Awaited<ReturnType<typeof readShifts>> = new Map()
  return {
    people,
    manner,
    async read(portion) {
      const ids = portion.map(({ employee }) => employee)
      const [employees, byEmployee] = await Promise.all([
        table.getMany(ids.map(employeeKey)),
        readMonths(table, ids, around),
      ])
      for (const { employee, days } of portion) {
        const months: Months = byEmployee.get(employee) ?? new Map()
        for (const [day, planned] of days) setIn[manner](months, day, planned)
      }
      shifts = await readShifts(table, byEmployee.values(), shifts)
      const entries = employees.flatMap(employee => (employee ? [[employee.id, employee] as const] : []))
      return { employees: new Map(entries), byEmployee, shifts }
    },
    judge({ row, employee: id }, { employees, byEmployee, shifts }) {
      const employee = employees.get(id)
      if (!employee || !managesEmployee(asker, employee)) return [missing({ row, employee: id })]
      return conflictsIn(timezone, shifts, byEmployee.get(id) ?? new Map(), around, manner === 'draft').map(
        conflict => ({
          ...{ row, field: 'employee', code: 59031 as const },
          about: { employee: id, ...conflict },
        }),
      )
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

/** Checks a plan before the first write. Returns the number of days that it would change, and all its problems. */
export const findProblems = async (work: Pick<Work<TaskKind>, 'tell'>, planning: Planning): Promise<Written> => {
  const { people } = planning
  const result: Written = { changedDays: 0, problems: [] }
  let checked = 0
  await work.tell('check', 0, people.length)
  for (const portion of portions(people)) {
    const reading = await planning.read(portion)
    for (const person of portion) {
      result.problems.push(...planning.judge(person, reading))
      const months: Months = reading.byEmployee.get(person.employee) ?? new Map()
      result.changedDays += Object.keys(changesOf(months, person, planning)).length
    }
    checked += portion.length
    await work.tell('check', checked, people.length)
    await breathe()
  }
  return result
}

const isSame = (one: readonly string[], other: readonly string[]) => one.join() === other.join()

/** The days that a person's plan changes, with their shifts before and after. */
const changesOf = (
  months: Months,
  { days }: PlannedPerson,
  { manner }: Pick<Planning, 'manner'>,
): NonNullable<TaskPart['days']> =>
  Object.fromEntries(
    [...days.keys()].flatMap(day => {
      const before = storedOn(months, day, manner === 'draft')
      const after = manner === 'draft' ? draftedOn(months, day) : shiftsOn(months, day)
      return isSame(before, after) ? [] : [[day, { before, after }]]
    }),
  )

/** The drafts that the planned days replace. A publication has none, because it keeps what it takes. */
const droppedDrafts = (
  months: Months,
  { days }: PlannedPerson,
  { manner }: Pick<Planning, 'manner'>,
): NonNullable<TaskPart['drafts']> =>
  Object.fromEntries(
    [...days.keys()].flatMap(day => {
      const draft = manner === 'set' ? months.get(monthOf(day))?.before?.draft?.[day] : undefined
      return draft ? [[day, draft]] : []
    }),
  )

/** Saves one person's days together with a note. */
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
      // An earlier run that died may have written the part already.
      const earlier = tries > 1 ? await table.get(key) : undefined
      if (earlier) return { changedDays: earlier.count ?? 0, problems: [] }
      const reading = tries === 1 ? first : await planning.read([person])
      const problems = planning.judge(person, reading)
      if (problems.length > 0) return { changedDays: 0, problems: problems.slice(0, 1) }
      const months: Months = reading.byEmployee.get(person.employee) ?? new Map()
      const days = changesOf(months, person, planning)
      const count = Object.keys(days).length
      const drafts = droppedDrafts(months, person, planning)
      const note = {
        ...{ part, state: 'written' as const, ids: [person.employee], days, count, expiresAt: taskExpiry() },
        ...(Object.keys(drafts).length > 0 && { drafts }),
      }
      await saveMonths(table, person.employee, months, () => [isThere, table.insert(key, note)], task)
      return { changedDays: count, problems: [] }
    })
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    const { row, employee } = person
    return { changedDays: 0, problems: [{ row, field: 'employee', code: error.code, about: { employee } }] }
  }
}

/** Saves the days of all people. The problems name the people whose days the task could not save. */
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
      // An unchanged person leaves no note, so a pause after that person would make no progress.
      if (changedDays > 0) work.pause()
    })
  }
  await releaseShifts(table, task, shifts)
  return { ...written, problems: written.problems.toSorted((one, other) => one.row - other.row) }
}

/** Restores the days and drafts of one part, except later changed days and drafts, and deleted shifts. */
const takeBackPart = async (
  { table, task }: Pick<TakingBack<TaskKind>, 'table' | 'task'>,
  part: number,
  existing: ReadonlySet<string>,
): Promise<void> => {
  const key = taskPartKey(task, part)
  await again(async () => {
    const stored = await table.get(key)
    if (stored?.state === 'takenBack') return
    const { ids = [], days = {}, drafts = {} } = stored ?? {}
    const note = { part, state: 'takenBack' as const, ids, expiresAt: taskExpiry() }
    // Mark missing parts too, so that a run that is still alive cannot write them.
    if (!stored) return save(table.insert(key, note))
    const [employee = ''] = ids
    const isStill = (shift: string) => existing.has(shift)
    const read = await readMonths(table, [employee], [...Object.keys(days), ...Object.keys(drafts)])
    const months: Months = read.get(employee) ?? new Map()
    for (const day of new Set([...Object.keys(days), ...Object.keys(drafts)])) {
      const written = days[day]
      if (written && !isSame(shiftsOn(months, day), written.after)) continue
      const draft = months.get(monthOf(day))?.draft[day] ?? drafts[day]?.filter(isStill)
      if (written) setDay(months, day, written.before.filter(isStill))
      if (draft) setDraft(months, day, draft)
    }
    const isBack = table.replace(key, { ...note, version: stored.version })
    // The task may have calculated these days already. The saved months name no task, so the job calculates them again.
    if (areChanged(months)) await saveMonths(table, employee, months, () => [isBack])
    else await save(isBack)
  })
}

/**
 * Takes back the parts that `writeDays` has written, in this run or an earlier one. `count` is the number of all parts.
 */
export const takeBackDays = async (
  work: Pick<TakingBack<TaskKind>, 'table' | 'task' | 'tell' | 'pause'>,
  count: number,
): Promise<void> => {
  const { table, task } = work
  const parts = await table.all<TaskPart>({ pk: taskPartKey(task, 0).pk })
  const takenBack = new Set(parts.flatMap(({ part, state }) => (state === 'takenBack' ? [part] : [])))
  let done = takenBack.size
  await work.tell('takeBack', done, count)
  const shifts = parts.flatMap(({ days = {}, drafts = {} }) => [
    ...Object.values(days).flatMap(({ before }) => before),
    ...Object.values(drafts).flat(),
  ])
  const existing = await claimThose(table, task, [...new Set(shifts)])
  const left = Array.from({ length: count }, (_, part) => part).filter(part => !takenBack.has(part))
  await atOnce(peopleAtOnce, left, async part => {
    await takeBackPart(work, part, existing)
    await work.tell('takeBack', ++done, count)
    work.pause()
  })
}

/**
 * Cleans up after a failed task. Makes the job calculate the days that stay written, because their months name the
 * task. Releases the claimed shifts.
 */
export const handOnDays = async ({
  table,
  task,
  company,
  step,
}: Pick<TakingBack<TaskKind>, 'table' | 'task' | 'company' | 'step'>): Promise<void> => {
  // Before the write step, the task has changed nothing.
  if (step === undefined || step === 'check') return
  const parts = await table.all<TaskPart>({ pk: taskPartKey(task, 0).pk })
  await publish(
    parts.flatMap(({ state, ids: [employee = ''], days = {} }) => {
      const [from, to] = [Object.keys(days).sort()[0], Object.keys(days).sort().at(-1)]
      return state === 'written' && from && to ? [{ type: 'schedule.changed', company, employee, from, to }] : []
    }),
  )
  await releaseAll({ table, task })
}

/** Releases the shifts that a failed task has claimed. */
export const releaseAll = async ({ table, task }: Pick<TakingBack<TaskKind>, 'table' | 'task'>): Promise<void> => {
  const shifts = await table.all<Shift>({ pk: shiftKey('').pk, only: ['id'] })
  await releaseShifts(
    table,
    task,
    shifts.map(({ id }) => id),
  )
}
