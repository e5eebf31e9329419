import { type Delegation, delegationKey, isDelegated, isFirstOfTwo, refusedStep } from '../../shared/approve.ts'
import { type Employee, employeeKey } from '../../shared/employee.ts'
import type { Code } from '../../shared/errors.ts'
import type { Permission } from '../../shared/permissions.ts'
import { type Request, type RequestStatus, refusedMove, requestStatus } from '../../shared/request.ts'
import { type Caller, managesEmployee, type Rights } from '../kit/caller.ts'
import { atOnce } from '../kit/each.ts'
import type { Item, Table } from '../kit/table.ts'
import type { Around } from '../request/store.ts'
import { type Holder, holdsNow, readHolders } from './holder.ts'

// Who decides about whose requests, and what becomes of a request by it. Judged anew whenever it is asked: departments, roles and
// delegations change, and people come to work elsewhere.

const approve: Permission = 10
const atTheSameTime = 8

/** By whose right somebody decides: their own, or that of one they stand in for. */
export interface Power extends Pick<Rights, 'departments'> {
  of: string
}

/** Somebody who may approve, with their own power first. */
export interface Approver {
  id: string
  powers: Power[]
}

type Person = Pick<Employee, 'id' | 'department' | 'departments'>

/** For whom somebody stands in, today or from a later day on; nobody stands in for who may approve nothing any more. */
export const readDelegators = async (
  { table, employee }: Pick<Caller, 'table' | 'employee'>,
  today: string,
): Promise<{ delegation: Delegation; employee: Item<Employee>; rights: Rights }[]> => {
  const delegations = await table.all<Delegation>({
    pk: delegationKey('').pk,
    where: [
      ['delegate', '=', employee.id],
      ['to', 'not below', today],
    ],
  })
  const delegators = await table.getMany(delegations.map(delegation => employeeKey(delegation.employee)))
  const found = await atOnce(atTheSameTime, [...delegations.entries()], async ([i, delegation]) => {
    const delegator = delegators[i]
    const rights = delegator && (await holdsNow(table, approve, delegator, today))
    return rights ? [{ delegation, employee: delegator, rights }] : []
  })
  return found.flat()
}

/** The caller as an approver on a day. What somebody decides in another's place they do not hand on. */
export const readApprover = async (
  caller: Pick<Caller, 'table' | 'employee' | 'departments'>,
  today: string,
): Promise<Approver> => {
  const { employee, departments } = caller
  const delegators = await readDelegators(caller, today)
  return {
    id: employee.id,
    powers: [
      { of: employee.id, departments },
      ...delegators.flatMap(({ delegation, rights }) =>
        isDelegated(delegation, today) ? { of: delegation.employee, departments: rights.departments } : [],
      ),
    ],
  }
}

/** Everybody who may approve something, with where they may; who stands in for whom is not asked. */
export const readApprovers = (table: Table, today: string): Promise<Holder[]> => readHolders(table, approve, today)

/** Whether an approver is shown the requests of somebody. */
export const sees = ({ powers }: Approver, person: Person): boolean =>
  powers.some(power => managesEmployee(power, person))

/** Everybody who may decide about somebody's requests today, by their own right or in the place of who is away. */
export const readJudges = async (table: Table, person: Person, today: string): Promise<string[]> => {
  const [approvers, delegations] = await Promise.all([
    readApprovers(table, today),
    table.all<Delegation>({ pk: delegationKey('').pk, where: [['to', 'not below', today]] }),
  ])
  const able = new Set(
    approvers.flatMap(({ employee, rights }) =>
      employee.id !== person.id && managesEmployee(rights, person) ? [employee.id] : [],
    ),
  )
  const standIns = delegations.filter(
    delegation =>
      isDelegated(delegation, today) &&
      able.has(delegation.employee) &&
      delegation.delegate !== person.id &&
      approvers.some(({ employee }) => employee.id === delegation.delegate),
  )
  return [...able.union(new Set(standIns.map(({ delegate }) => delegate)))]
}

/** By whose right an approver decides about somebody's requests, by their own where they may; or the code of why by nobody's. */
const powerOver = ({ id, powers }: Approver, person: Person): Power | Code => {
  const able = powers.filter(power => managesEmployee(power, person))
  if (able.length === 0) return 60004
  // Nor does somebody decide in the place of who asked.
  return (person.id === id ? undefined : able.find(({ of }) => of !== person.id)) ?? 60082
}

/** A request as a decision makes it, or the code of why nobody may decide so, or this approver may not. */
export const decide = (
  approver: Approver,
  person: Person | undefined,
  request: Request,
  to: RequestStatus,
  { company, today }: Around,
  reason?: string,
): Request | Code => {
  const power = person ? powerOver(approver, person) : 60004
  if (typeof power === 'number') return power
  const refused = refusedMove(request, to, { mover: 'approver', today, company })
  if (refused) return refused
  const step = {
    ...{ status: to, by: approver.id, at: new Date().toISOString() },
    ...(power.of !== approver.id && { onBehalfOf: power.of }),
    ...(reason !== undefined && { reason }),
  }
  const isApproval = to === requestStatus.approved
  const repeated = isApproval ? refusedStep(request, step, company) : undefined
  if (repeated) return repeated
  const stays = isApproval && isFirstOfTwo(request, company)
  return { ...request, status: stays ? requestStatus.pending : to, steps: [...request.steps, step] }
}
