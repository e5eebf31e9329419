import { laterDay } from '../../shared/local-day.ts'
import { type TaskPart, taskPartKey } from '../../shared/task.ts'
import { recalculateDays } from '../day/recalculation.ts'
import { publish } from '../kit/bus.ts'
import type { Kind, TakingBack, TaskOutcome, Work } from '../kit/task.ts'
import { readDrafts, readFirstDay, readMarks } from './draft.ts'
import {
  findProblems,
  handOnDays,
  openPlanning,
  type PlannedPerson,
  type Planning,
  spansOf,
  type Written,
  writeDays,
} from './write.ts'

// The task that publishes drafts. Each save turns the current draft of one person into published days, so two tasks
// never publish a day twice, and a draft written meanwhile stays. The parts note who got which days. A later run
// continues with the others, and every notice comes from such a note.

type Publishing = Work<'schedule/publish'>

const readParts = ({ table, task }: Pick<Publishing, 'table' | 'task'>): Promise<TaskPart[]> =>
  table.all<TaskPart>({ pk: taskPartKey(task, 0).pk })

/** The first day to publish. The task remembers it, so that a midnight in between does not change it. */
const firstDay = async (work: Publishing): Promise<string> => {
  const first = (work.memory.first as string | undefined) ?? (await readFirstDay(work.table))
  if (work.memory.first === undefined) await work.remember({ first })
  return first
}

/** The people to publish: those of the parts already written, and the drafts of the others. */
const readPeople = async (work: Publishing): Promise<PlannedPerson[]> => {
  const { table, input } = work
  const from = laterDay(input.from ?? '', await firstDay(work))
  const [parts, marks] = await Promise.all([readParts(work), readMarks(table, new Set(input.employees))])
  const drafts = await readDrafts(table, marks, { from, to: input.to })
  const written = new Map(parts.map(({ part, days = {} }) => [part, Object.entries(days)]))
  return input.employees
    .map((employee, part) => {
      const earlier = written.get(part)?.map(([day, { after }]) => [day, after] as const)
      const days = earlier ?? (drafts.get(employee) ?? []).map(({ day, after }) => [day, after] as const)
      return { row: part + 1, part, employee, days: new Map(days) }
    })
    .filter(({ days }) => days.size > 0)
}

const open = async (work: Publishing): Promise<Planning> => openPlanning(work, await readPeople(work), 'publish')

const check = async (work: Publishing): Promise<TaskOutcome | undefined> => {
  // Skip a second check once the task has published days.
  if (work.step !== undefined && work.step !== 'check') return undefined
  const { problems } = await findProblems(work, await open(work))
  const [first] = problems
  return first && { code: problems.some(({ code }) => code === 59031) ? 59031 : first.code, problems }
}

/** Lets a job notify each person whose days changed. The part's days and this instant make up the notice. */
const tellPublished = async (work: Pick<TakingBack<'schedule/publish'>, 'table' | 'task' | 'company' | 'by'>) => {
  const { company, task, by } = work
  const parts = await readParts(work)
  await publish(
    parts.flatMap(({ part, ids: [employee = ''], days = {} }) =>
      Object.keys(days).length > 0 ? [{ type: 'schedule.published', company, employee, task, part, by }] : [],
    ),
  )
}

export const schedulePublish: Kind<'schedule/publish'> = {
  check,
  async run(work) {
    const planning = await open(work)
    const earlier = work.memory.written as Written | undefined
    const written = earlier ?? (await writeDays(work, planning))
    if (!earlier) {
      // Before the task remembers its end, because a repeated fact makes no second notice.
      await tellPublished(work)
      await work.remember({ written })
    }
    const recalculated = await recalculateDays(work, spansOf(planning.people))
    return { rowCount: written.changedDays, problems: written.problems, recalculated }
  },
  async handOn(work) {
    await handOnDays(work)
    if (work.step !== undefined && work.step !== 'check') await tellPublished(work)
  },
}
