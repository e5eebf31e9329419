import type { PathOutput } from '../../shared/api.ts'
import { companyKey, isLocked } from '../../shared/company.ts'
import { Problem } from '../../shared/errors.ts'
import { language as languageShape } from '../../shared/language.ts'
import { type Sample, sampleKey } from '../../shared/sample.ts'
import { isOver, taskKey } from '../../shared/task.ts'
import { readCompany } from '../company/store.ts'
import type { SignedIn } from '../kit/caller.ts'
import { again, change } from '../kit/table/change.ts'
import { type Item, save } from '../kit/table.ts'
import { newTask } from '../kit/task.ts'
import { planSample } from './plan.ts'

// Starts the tasks of sample data. At most one of them runs.

/** The running task of the sample data, if any. */
const runningTask = async ({ table }: SignedIn, sample: Item<Sample>): Promise<string | undefined> => {
  if (sample.state === 'loaded') return undefined
  const task = await table.get(taskKey(sample.by, sample.task))
  return task && !isOver(task) ? task.id : undefined
}

export const showSample = async (caller: SignedIn): Promise<PathOutput<'company/sample'>> => {
  const sample = await caller.table.get(sampleKey())
  if (!sample) return { state: 'none' }
  const task = await runningTask(caller, sample)
  // After a failed task the administrator can remove the remaining items.
  return { state: task ? sample.state : 'loaded', ...(task && { task }), people: sample.people.length, at: sample.at }
}

/** Starts to load sample data, unless it is loaded. A second call gets the running task. */
export const beginLoad = (caller: SignedIn): Promise<{ task?: string }> =>
  again(async () => {
    const { table, employee, language } = caller
    const sample = await table.get(sampleKey())
    if (sample) {
      const task = sample.state === 'loading' ? await runningTask(caller, sample) : undefined
      return task ? { task } : {}
    }
    const { task, writes } = newTask(caller, 'company/sample/load', {})
    const plan = await planSample(table, { task, by: employee.id, language: languageShape.catch('en').parse(language) })
    await save(table.insert(sampleKey(), plan), ...writes)
    return { task }
  })

/** Starts to remove sample data. A second call gets the running task. Throws 60061 if a sample day is locked. */
export const beginRemove = (caller: SignedIn): Promise<{ task?: string }> =>
  again(async () => {
    const { table, employee } = caller
    const sample = await table.get(sampleKey())
    if (!sample) return {}
    const running = await runningTask(caller, sample)
    if (running) {
      if (sample.state === 'loading') throw new Problem(60065)
      return { task: running }
    }
    const company = await readCompany(caller)
    if (isLocked(company, sample.from)) throw new Problem(60061)
    const { task, writes } = newTask(caller, 'company/sample/remove', {})
    await save(
      table.replace(sampleKey(), { ...sample, state: 'removing', task, by: employee.id }),
      table.unchanged(companyKey(), company),
      ...writes,
    )
    return { task }
  })

export const hideSteps = async ({ table }: SignedIn, areHidden: boolean): Promise<void> => {
  await change(table, companyKey(), ({ areStepsHidden = false, ...company }) =>
    areStepsHidden === areHidden ? undefined : { ...company, ...(areHidden && { areStepsHidden: true as const }) },
  )
}
