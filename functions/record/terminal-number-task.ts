import { deviceKey } from '../../shared/device/key.ts'
import { earlierDay, laterDay } from '../../shared/local-day.ts'
import type { Punch } from '../../shared/punch.ts'
import { storedNumber } from '../../shared/terminal/number-owner.ts'
import { recalculateDays } from '../day/recalculation.ts'
import { openTable } from '../kit/table.ts'
import type { Kind } from '../kit/task.ts'
import { everyDay, judgeNumbers, tellAgain } from './orphan.ts'
import { findMisplaced, movePunches, readEntriesOf } from './terminal-number.ts'

/**
 * Takes up the punches of a number after the terminal's list changed. A repetition moves what is left, and recalculates
 * the days of everyone who has or had the number.
 */
export const renumber: Kind<'device/number/update'> = {
  isOwed: true,
  run: async work => {
    const { company, task, input } = work
    const { serialNumber, number, formerEmployee } = input
    const table = openTable(company)
    const device = (await table.get(deviceKey(serialNumber))) ?? { serialNumber }
    const entries = await readEntriesOf(table, serialNumber, number)
    const { punches, misplaced, holders, names } = await findMisplaced(table, device, input, entries)
    await movePunches(table, misplaced, task)
    const days = punches.map(({ localTime }) => localTime.slice(0, 10))
    const people = new Set([...holders.values(), ...(formerEmployee === undefined ? [] : [formerEmployee])])
    const spans =
      days.length === 0
        ? []
        : [...people].map(employee => ({
            ...{ employee, from: days.reduce(earlierDay), to: days.reduce(laterDay) },
          }))
    const recalculated = await recalculateDays(work, spans)
    // The punches that were held under the name of the entry have a person now, or none any more.
    const isTold = ({ given }: Pick<Punch, 'given'>) => given?.by === task
    await tellAgain(table, storedNumber(input), { by: task, isTold, pause: work.pause })
    await judgeNumbers(table, new Map(names.map(name => [name, everyDay])))
    return { recalculated }
  },
}
