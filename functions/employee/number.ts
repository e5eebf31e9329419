import { type Employee, employeeKey, numberOrder, strangerNumber, worknoKey } from '../../shared/employee.ts'
import { sampleKey } from '../../shared/sample.ts'
import type { Table } from '../kit/table.ts'

/**
 * The first unused employee ID after the largest ID below the one that terminals use for strangers. The high IDs of
 * sample data do not count.
 */
export const nextNumber = async (table: Table): Promise<string> => {
  const sample = new Set((await table.get(sampleKey()))?.people.map(({ id }) => id))
  const size = sample.size + 1
  const largestRange = { pk: employeeKey('').pk, index: 'byNumber', reverse: true, size } as const
  const to = numberOrder({ workno: String(Number(strangerNumber) - 1) })
  const last = (await table.page<Employee>({ ...largestRange, to })).list.find(({ id }) => !sample.has(id))
  // The index may lag behind, so read the table to find taken IDs.
  const largest = Number(last?.workno ?? 0)
  for (let first = largest + 1; ; first += 100) {
    const numbers = Array.from({ length: 100 }, (_, i) => String(first + i)).filter(number => number !== strangerNumber)
    const taken = await table.getMany(numbers.map(worknoKey))
    const free = numbers.find((_, i) => taken[i] === undefined)
    if (free) return free
  }
}
