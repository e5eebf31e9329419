import { createHash } from 'node:crypto'
import { setImmediate as breathe } from 'node:timers/promises'
import { type Employee, employeeKey, fullName } from '../../shared/employee.ts'
import { Problem } from '../../shared/errors.ts'
import { addDays } from '../../shared/local-day.ts'
import { type SchedulePlan, schedulePlanKey } from '../../shared/schedule.ts'
import { type Shift, shiftKey } from '../../shared/shift.ts'
import { type SheetProblem, type TaskPart, taskPartKey } from '../../shared/task.ts'
import { again } from './again.ts'
import { atOnce } from './at-once.ts'
import { type Caller, managesEmployee } from './caller.ts'
import { readCompany } from './company.ts'
import type { Span } from './days.ts'
import { previewDays } from './preview.ts'
import { recalculateDays } from './recalculation.ts'
import {
  claimShifts,
  type Months,
  newConflicts,
  readMonths,
  readShifts,
  releaseShifts,
  saveMonths,
  setDay,
  withNeighbours,
} from './schedule.ts'
import { type Item, save } from './table.ts'
import { type Kind, type Outcome, taskExpiry, type Work } from './task.ts'

// Days of many people, set at once, or only looked at. Everything is looked at before anything is written; then each person's days are saved together,
// with a note that they are, so that a run that takes this up again neither forgets nor repeats anybody.

type PlanKind = 'schedule/plan' | 'schedule/preview'

const peopleRead = 50
const peopleAtOnce = 16

/** What days of one person are to hold. */
export interface PlannedPerson {
  /** The row of the plan, counted from 1, and the place among all its people. */
  row: number
  part: number
  employee: string
  days: ReadonlyMap<string, string[]>
}

export const daysOf = (people: readonly PlannedPerson[]): string[] =>
  [...people.reduce((all, { days }) => all.union(new Set(days.keys())), new Set<string>())].sort()

/** The people of a plan with the days it sets of them, but for those up to `lockedTo`; without whom it leaves as they are. */
export const peopleOf = ({ from, shifts, rows }: SchedulePlan, lockedTo = ''): PlannedPerson[] => {
  let part = 0
  const people = rows.flatMap(({ employees, cells }, i) => {
    const days = new Map<string, string[]>()
    for (const [place, cell] of cells.entries()) {
      const day = addDays(from, place)
      if (cell && day > lockedTo)
        days.set(
          day,
          cell.flatMap(shift => shifts[shift] ?? []),
        )
    }
    return employees.map(employee => ({ row: i + 1, part: part++, employee, days }))
  })
  return people.filter(({ days }) => days.size > 0)
}

export const hashOf = (plan: SchedulePlan): string =>
  createHash('sha256').update(JSON.stringify(plan)).digest('base64url')

/** Keeps a plan for the task that is about to be begun. */
export const keepPlan = ({ table, employee }: Caller, plan: SchedulePlan): Promise<void> => {
  const key = schedulePlanKey(employee.id, hashOf(plan))
  return save(table.put(key, { plan: JSON.stringify(plan), expiresAt: taskExpiry() }))
}

const readPlan = async ({ table, asker, input }: Work<PlanKind>): Promise<SchedulePlan> => {
  const kept = await table.get(schedulePlanKey(asker.employee.id, input.plan))
  if (!kept) throw new Problem(60004, { plan: 60004 })
  return JSON.parse(kept.plan) as SchedulePlan
}

/** Some people as they are, with what their months are to hold. */
interface Reading {
  employees: ReadonlyMap<string, Item<Employee>>
  byEmployee: Map<string, Months>
  shifts: ReadonlyMap<string, Shift>
}

interface Planning {
  plan: SchedulePlan
  /** Whose days are to be written, without locked ones. */
  people: PlannedPerson[]
  /** Reads people as they are now, their days set. */
  read(people: readonly PlannedPerson[]): Promise<Reading>
  /** What stands in the way of somebody's days. */
  judge(person: PlannedPerson, reading: Reading): SheetProblem[]
}

const open = async (work: Work<PlanKind>): Promise<Planning> => {
  const { table, asker } = work
  const [plan, { timezone, lockedTo }] = await Promise.all([readPlan(work), readCompany(work)])
  const people = peopleOf(plan, lockedTo)
  const around = withNeighbours(daysOf(people))
  let shifts: Awaited<ReturnType<typeof readShifts>> = new Map()
  return {
    plan,
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
      const name = fullName(employee)
      return newConflicts(timezone, shifts, byEmployee.get(id) ?? new Map(), around).map(conflict => ({
        ...{ row, field: 'employee', code: 59031 as const, value: name },
        about: { employee: id, name, ...conflict },
      }))
    },
  }
}

const missing = ({ row, employee }: Pick<PlannedPerson, 'row' | 'employee'>): SheetProblem => ({
  ...{ row, field: 'employee', code: 60004 },
  about: { employee, name: '' },
})

const portions = <T>(list: readonly T[]): T[][] =>
  Array.from({ length: Math.ceil(list.length / peopleRead) }, (_, i) =>
    list.slice(i * peopleRead, (i + 1) * peopleRead),
  )

/** All that stands in the way of a plan, before anything is written. */
const check = async (work: Work<PlanKind>): Promise<Outcome | undefined> => {
  // What was looked at when it was begun to be written or calculated stays as it was judged.
  if (work.step === 'calculate') return undefined
  const planning = await open(work)
  const { people } = planning
  const problems: SheetProblem[] = []
  let looked = 0
  await work.tell('check', 0, people.length)
  for (const portion of portions(people)) {
    const reading = await planning.read(portion)
    for (const person of portion) problems.push(...planning.judge(person, reading))
    looked += portion.length
    await work.tell('check', looked, people.length)
    await breathe()
  }
  const [first] = problems
  if (!first) return undefined
  return { code: problems.some(({ code }) => code === 59031) ? 59031 : first.code, problems }
}

interface Written {
  changedDays: number
  problems: SheetProblem[]
}

/** Saves one person's days, and notes that they are saved. */
const writePerson = async (
  { task, table }: Pick<Work<'schedule/plan'>, 'task' | 'table'>,
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
      const changedDays = await saveMonths(table, person.employee, months, count => [
        isThere,
        table.insert(key, { part, state: 'written', ids: [person.employee], count, expiresAt: taskExpiry() }),
      ])
      return { changedDays, problems: [] }
    })
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    const { row, employee } = person
    const known = first.employees.get(employee)
    const about = { employee, name: known ? fullName(known) : '' }
    return { changedDays: 0, problems: [{ row, field: 'employee', code: error.code, about }] }
  }
}

/** Saves everybody's days; who cannot be saved is named, and stays as they are. */
const writePlan = async (work: Work<'schedule/plan'>, planning: Planning): Promise<Written> => {
  const { table, task } = work
  const { people, plan } = planning
  await work.tell('write', 0, people.length)
  await claimShifts(table, task, plan.shifts, { 'plan.shifts': 60004 })
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
  await releaseShifts(table, task, plan.shifts)
  return { ...written, problems: written.problems.toSorted((one, other) => one.row - other.row) }
}

/** The days a plan sets, in stretches without a gap. */
const spansOf = (people: readonly PlannedPerson[]): Span[] =>
  people.flatMap(({ employee, days }) => {
    const spans: Span[] = []
    for (const day of days.keys()) {
      const last = spans.at(-1)
      if (last && addDays(last.to, 1) === day) last.to = day
      else spans.push({ employee, from: day, to: day })
    }
    return spans
  })

export const schedulePlan: Kind<'schedule/plan'> = {
  check,
  async run(work) {
    const planning = await open(work)
    const known = work.memory.written as Written | undefined
    const written = known ?? (await writePlan(work, planning))
    if (!known) await work.remember({ written })
    // Each change told the job that calculates; here it is done in sight of who waits for it.
    const recalculated = await recalculateDays(work, spansOf(planning.people))
    return { rowCount: written.changedDays, problems: written.problems, recalculated }
  },
}

export const schedulePreview: Kind<'schedule/preview'> = {
  check,
  async run(work) {
    const { plan } = await open(work)
    // Locked days too: what they would come out as is told, and that they stay.
    const people = peopleOf(plan)
    const shifts = (await work.table.getMany(plan.shifts.map(shiftKey))).filter(shift => shift !== undefined)
    const planned = new Map(people.map(({ employee, days }) => [employee, days]))
    const preview = await previewDays(work, spansOf(people), {
      shifts: Object.fromEntries(shifts.map(shift => [shift.id, shift])),
      schedule: (employee, day, held) => planned.get(employee)?.get(day) ?? held,
    })
    return { preview }
  },
}
