import { Problem } from '../../shared/errors.ts'
import { type SchedulePlan, schedulePlanKey } from '../../shared/schedule.ts'
import { shiftKey } from '../../shared/shift.ts'
import { readCompany } from '../company/store.ts'
import { previewDays } from '../day/preview.ts'
import { recalculateDays } from '../day/recalculation.ts'
import type { Kind, TaskOutcome, Work } from '../kit/task.ts'
import { peopleOf } from './plan.ts'
import {
  findProblems,
  handOnDays,
  openPlanning,
  type PlannedPerson,
  type Planning,
  releaseAll,
  spansOf,
  type Written,
  writeDays,
} from './write.ts'

// The tasks that save, draft or preview a plan.

type PlanKind = 'schedule/draft/update' | 'schedule/plan' | 'schedule/preview'

const readPlan = async ({ table, asker, input }: Work<PlanKind>): Promise<SchedulePlan> => {
  const stored = await table.get(schedulePlanKey(asker.employee.id, input.plan))
  if (!stored) throw new Problem(60004, { plan: 60004 })
  return JSON.parse(stored.plan) as SchedulePlan
}

/** The plan and the people whose days it sets, without locked days. */
const open = async (work: Work<PlanKind>): Promise<{ plan: SchedulePlan; planning: Planning }> => {
  const [plan, { lockedTo }] = await Promise.all([readPlan(work), readCompany(work)])
  const manner = work.kind === 'schedule/draft/update' ? 'draft' : 'set'
  return { plan, planning: await openPlanning(work, peopleOf(plan, lockedTo), manner) }
}

const check = async (work: Work<PlanKind>): Promise<TaskOutcome | undefined> => {
  // Skip a second check once the task has written the days.
  if (work.step === 'calculate') return undefined
  const { planning } = await open(work)
  const { problems } = await findProblems(work, planning)
  const [first] = problems
  return first && { code: problems.some(({ code }) => code === 59031) ? 59031 : first.code, problems }
}

export const schedulePlan: Kind<'schedule/plan'> = {
  check,
  async run(work) {
    const { planning } = await open(work)
    const earlier = work.memory.written as Written | undefined
    const written = earlier ?? (await writeDays(work, planning))
    if (!earlier) await work.remember({ written })
    const recalculated = await recalculateDays(work, spansOf(planning.people))
    return { rowCount: written.changedDays, problems: written.problems, recalculated }
  },
  handOn: handOnDays,
}

/** A draft changes no published day, so there is nothing to calculate. */
export const scheduleDraft: Kind<'schedule/draft/update'> = {
  check,
  async run(work) {
    const { planning } = await open(work)
    const written = await writeDays(work, planning)
    return { rowCount: written.changedDays, problems: written.problems }
  },
  handOn: releaseAll,
}

export const schedulePreview: Kind<'schedule/preview'> = {
  check,
  async run(work) {
    const [plan, { lockedTo }] = await Promise.all([readPlan(work), readCompany(work)])
    // The preview assumes the effect of a save: locked days stay unchanged, also as neighbours of other days.
    const people = peopleOf(plan, lockedTo)
    const shifts = (await work.table.getMany(plan.shifts.map(shiftKey))).filter(shift => shift !== undefined)
    const planned = new Map(people.map(({ employee, days }) => [employee, days]))
    const previewed = await previewDays(work, spansOf(people), {
      shifts: Object.fromEntries(shifts.map(shift => [shift.id, shift])),
      schedule: (employee, day, current) => planned.get(employee)?.get(day) ?? current,
    })
    const daysIn = (list: PlannedPerson[]) => list.reduce((sum, { days }) => sum + days.size, 0)
    const preview = { ...previewed, lockedDays: daysIn(peopleOf(plan)) - daysIn(people) }
    return { preview }
  },
}
