import { mostCounted } from '../../shared/approve.ts'
import type { Employee } from '../../shared/employee.ts'
import { type Request, requestListPk, requestStatus } from '../../shared/request.ts'
import { findEmployees } from '../employee/store.ts'
import type { Caller } from '../kit/caller.ts'
import { readList } from '../kit/table/list.ts'
import type { Item, Table } from '../kit/table.ts'
import { readAround } from '../request/store.ts'
import { decide, readApprover, sees } from './approver.ts'

// The pending requests that wait for an approver.

/** With 60082 and 60083 another approver must decide: it is the approver's own request, or its second step. */
const isOthers = (refused: number | undefined) => refused === 60082 || refused === 60083

/** Keeps the employees of earlier pages, so that the list reads each employee once. */
export const cachePeople = (table: Table) => {
  const people = new Map<string, Item<Employee>>()
  const learn = async (requests: Pick<Request, 'employee'>[]) => {
    const unknown = requests.flatMap(({ employee }) => (people.has(employee) ? [] : [employee]))
    for (const person of await findEmployees(table, unknown)) people.set(person.id, person)
  }
  return { people, learn }
}

/** The pending requests that the caller can decide on, the first last day first, at most `mostCounted`. */
export const readWaiting = async (caller: Caller): Promise<Item<Request>[]> => {
  const { table } = caller
  const around = await readAround(table)
  const approver = await readApprover(caller, around.today)
  const { people, learn } = cachePeople(table)
  const { list } = await readList<Request>(table, {
    ranges: [{ index: 'byDay', pk: requestListPk(requestStatus.pending) }],
    ...{ name: 'approve count', size: mostCounted, learn },
    keep: request => {
      const person = people.get(request.employee)
      if (!person || !sees(approver, person)) return false
      const decision = decide(approver, person, request, requestStatus.approved, around)
      return !isOthers(typeof decision === 'number' ? decision : undefined)
    },
  })
  return list
}
