import { deviceKey } from '../../shared/device/key.ts'
import { formerEmployeeKey } from '../../shared/employee.ts'
import { type Erasure, type ErasureStep, erasureKey, erasureOfKey } from '../../shared/erasure.ts'
import { Problem } from '../../shared/errors.ts'
import { fullName } from '../../shared/person-name.ts'
import { openTaskKey, type Task, taskKey } from '../../shared/task.ts'
import { commandKey, settledCommandKey } from '../../shared/terminal/command.ts'
import { again } from '../kit/table/change.ts'
import { type Item, save, type Table, type Write } from '../kit/table.ts'

// An erasure waits for terminals. An answer, a removed terminal, a user's confirmation or the close of the day can end
// the wait.

const isSame = (step: ErasureStep, other: ErasureStep) =>
  step.serialNumber === other.serialNumber && step.command === other.command

/** The finished steps: the terminal answered, or it no longer exists. */
const findOver = async (table: Table, steps: ErasureStep[]): Promise<ErasureStep[]> => {
  const [devices, open] = await Promise.all([
    table.getMany(steps.map(({ serialNumber }) => deviceKey(serialNumber))),
    table.getMany(steps.map(({ serialNumber, command }) => commandKey(serialNumber, command))),
  ])
  const settled = await table.getMany(
    steps.map(({ serialNumber, command }) => settledCommandKey(serialNumber, command)),
  )
  return steps.filter((_, i) => !devices[i] || (!open[i] && settled[i]?.state === 'done'))
}

/** Updates the progress of the task, as long as the task exists. */
const tellTask = (table: Table, task: Item<Task> | undefined, { total, waiting }: Erasure): Write[] =>
  task && task.state !== 'done'
    ? [
        table.replace(taskKey(task.by, task.id), {
          ...task,
          done: total - waiting.length,
          total,
          ...(waiting.length === 0 && { state: 'done' as const, finishedAt: new Date().toISOString() }),
        }),
        ...(waiting.length === 0 ? [table.remove(openTaskKey(task.id))] : []),
      ]
    : []

/**
 * Removes finished steps from an erasure: all finished steps, the `settled` step, or the steps of a `gone` terminal.
 * Without remaining steps the erasure ends. Returns the number of remaining steps.
 */
export const advanceErasure = (
  table: Table,
  id: string,
  { settled, gone }: { settled?: ErasureStep; gone?: ErasureStep } = {},
): Promise<number> =>
  again(async () => {
    const erasure = await table.get(erasureKey(id))
    if (!erasure) return 0
    // The task is still queueing steps, and checks again at its end.
    if (erasure.state === 'erasing') return erasure.waiting.length
    const over = gone ? [gone] : await findOver(table, settled ? [settled] : erasure.waiting)
    const waiting = erasure.waiting.filter(step => !over.some(finished => isSame(finished, step)))
    if (waiting.length === erasure.waiting.length && waiting.length > 0) return waiting.length
    const now = { ...erasure, waiting }
    const task = await table.get(taskKey(erasure.by, id))
    await save(
      ...(waiting.length > 0
        ? [table.replace(erasureKey(id), now)]
        : [table.remove(erasureKey(id), erasure.version), table.remove(erasureOfKey(erasure.employee))]),
      ...tellTask(table, task, now),
    )
    return waiting.length
  })

/** Whether an erasure is still running: it waits for terminals, or its task runs. */
const isUnderWay = async (table: Table, { id, by, state }: Erasure): Promise<boolean> => {
  if (state === 'waiting') return true
  const task = await table.get(taskKey(by, id))
  return task?.state === 'waiting' || task?.state === 'running'
}

/** Returns the running erasure of a person, or the writes for a new erasure, which replaces a failed one. */
export const placeErasure = async (table: Table, employee: string) => {
  const key = erasureOfKey(employee)
  const place = await table.get(key)
  const last = place && (await table.get(erasureKey(place.erasure)))
  const writes = (erasure: Pick<Erasure, 'id' | 'by' | 'employee' | 'startedAt'>): Write[] => [
    place ? table.replace(key, { ...place, erasure: erasure.id }) : table.insert(key, { erasure: erasure.id }),
    table.insert(erasureKey(erasure.id), { ...erasure, state: 'erasing', waiting: [], total: 0 }),
    ...(last ? [table.remove(erasureKey(last.id), last.version)] : []),
  ]
  return { underWay: last && (await isUnderWay(table, last)) ? last : undefined, writes }
}

/** The waiting erasures with their terminals. */
export const listErasures = async (table: Table) => {
  const all = await table.all<Erasure>({ pk: erasureKey('').pk })
  const erasures = all.filter(({ state }) => state === 'waiting')
  const numbers = [...new Set(erasures.flatMap(({ waiting }) => waiting.map(({ serialNumber }) => serialNumber)))]
  const devices = await table.getMany(numbers.map(deviceKey))
  const names = new Map(numbers.map((serialNumber, i) => [serialNumber, devices[i]?.name]))
  return erasures.map(({ id, employee, startedAt, waiting }) => ({
    ...{ task: id, employee, startedAt },
    terminals: [...new Set(waiting.map(({ serialNumber }) => serialNumber))].map(serialNumber => {
      const name = names.get(serialNumber)
      return { serialNumber, ...(name && { name }) }
    }),
  }))
}

/** Records a user's statement that a terminal no longer exists. Its erasures stop waiting. */
export const confirmGone = async (table: Table, id: string, serialNumber: string): Promise<void> => {
  const erasure = await table.get(erasureKey(id))
  if (!erasure) throw new Problem(60004, { task: 60004 })
  const steps = erasure.waiting.filter(step => step.serialNumber === serialNumber)
  if (steps.length === 0) throw new Problem(60004, { serialNumber: 60004 })
  const { employee } = erasure
  const person = await table.get(formerEmployeeKey(employee))
  await save(
    ...steps.map(({ command }) => table.remove(commandKey(serialNumber, command))),
    table.note({
      ...{ noun: 'employee', id: employee, name: person ? fullName(person) : '' },
      ...{ change: 'changed', fields: { goneTerminal: { after: serialNumber } } },
    }),
  )
  for (const gone of steps) await advanceErasure(table, id, { gone })
}
