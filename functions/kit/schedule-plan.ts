import { createHash } from 'node:crypto'
import { setImmediate as breathe } from 'node:timers/promises'
import { type Employee, employeeKey, fullName } from '../../shared/employee.ts'
import { Problem } from '../../shared/errors.ts'
import { addDays } from '../../shared/local-day.ts'
import { type SchedulePlan, schedulePlanKey } from '../../shared/schedule.ts'
import type { Shift } from '../../shared/shift.ts'
import { type SheetProblem, type TaskPart, taskPartKey } from '../../shared/task.ts'
import { again } from './again.ts'
import { atOnce } from './at-once.ts'
import { type Caller, managesEmployee } from './caller.ts'
import { readCompany } from './company.ts'
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

// Days of many people, set at once. Everything is looked at before anything is written; then each person's days are saved together,
// with a note that they are, so that a run that takes this up again neither forgets nor repeats anybody.

const peopleRead = 50
const peopleAtOnce = 16

/** What days of one person are to hold. */
export interface PlannedPerson {
  /** The row of the plan, counted from 1. */
  row: number
  employee: string
  days: readonly (readonly [day: string, shifts: string[]])[]
}

export const daysOf = (people: readonly PlannedPerson[]): string[] =>
  [...new Set(people.flatMap(({ days }) => days.map(([day]) => day)))].sort()

/** The people of a plan, without those whose days it all leaves as they are. */
export const peopleOf = ({ from, shifts, rows }: SchedulePlan): PlannedPerson[] =>
  rows.flatMap(({ employees, cells }, i) => {
    const days = cells.flatMap((cell, place) =>
      cell ? [[addDays(from, place), cell.flatMap(shift => shifts[shift] ?? [])] as const] : [],
    )
    return days.length > 0 ? employees.map(employee => ({ row: i + 1, employee, days })) : []
  })

/** Keeps a plan for the task that is about to be begun; answers the hash it is found by. */
export const keepPlan = async ({ table, employee }: Caller, plan: SchedulePlan): Promise<string> => {
  const text = JSON.stringify(plan)
  const hash = createHash('sha256').update(text).digest('base64url')
  await save(table.put(schedulePlanKey(employee.id, hash), { plan: text, expiresAt: taskExpiry() }))
  return hash
}

const readPlan = async ({ table, asker, input }: Work<'schedule/plan'>): Promise<SchedulePlan> => {
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
  people: PlannedPerson[]
  shifts: string[]
  /** Reads people as they are now, their days set. */
  read(people: readonly PlannedPerson[]): Promise<Reading>
  /** What stands in the way of somebody's days. */
  judge(person: PlannedPerson, reading: Reading): SheetProblem[]
}

const open = async (work: Pick<Work<'schedule/plan'>, 'table' | 'asker'>, plan: SchedulePlan): Promise<Planning> => {
  const { table, asker } = work
  const { timezone } = await readCompany(work)
  const people = peopleOf(plan)
  const around = withNeighbours(daysOf(people))
  let shifts: Awaited<ReturnType<typeof readShifts>> = new Map()
  return {
    people,
    shifts: plan.shifts,
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
const check = async (work: Work<'schedule/plan'>): Promise<Outcome | undefined> => {
  const planning = await open(work, await readPlan(work))
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
  part: number,
  first: Reading,
): Promise<Written> => {
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
  const { people, shifts } = planning
  await work.tell('write', 0, people.length)
  await claimShifts(table, task, shifts, { 'plan.shifts': 60004 })
  const parts = await table.all<TaskPart>({ pk: taskPartKey(task, 0).pk })
  const counts = new Map(parts.map(({ part, count = 0 }) => [part, count]))
  const written: Written = { changedDays: counts.values().reduce((sum, count) => sum + count, 0), problems: [] }
  let done = counts.size
  const left = people.flatMap((person, part) => (counts.has(part) ? [] : [{ person, part }]))
  for (const portion of portions(left)) {
    const reading = await planning.read(portion.map(({ person }) => person))
    await atOnce(peopleAtOnce, portion, async ({ person, part }) => {
      const { changedDays, problems } = await writePerson(work, planning, person, part, reading)
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

export const schedulePlan: Kind<'schedule/plan'> = {
  check,
  async run(work) {
    const planning = await open(work, await readPlan(work))
    const { changedDays, problems } = await writePlan(work, planning)
    return { rowCount: changedDays, problems }
  },
}
