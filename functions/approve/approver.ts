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

// Decides which approver may decide which requests, and applies the decisions. Every call reads the rights again,
// because departments, roles and delegations change.

const approve: Permission = 10
const atTheSameTime = 8

/** The right by which an approver decides: their own, or that of an employee who delegated to them (`of`). */
export interface Power extends Pick<Rights, 'departments'> {
  of: string
}

/** An approver; their own power comes first. */
export interface Approver {
  id: string
  powers: Power[]
}

type Person = Pick<Employee, 'id' | 'department' | 'departments'>

/** The current and future delegations to the caller, without delegators who have lost the right to approve. */
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
  const current = await atOnce(atTheSameTime, [...delegations.entries()], async ([i, delegation]) => {
    const delegator = delegators[i]
    const rights = delegator && (await holdsNow(table, approve, delegator, today))
    return rights ? [{ delegation, employee: delegator, rights }] : []
  })
  return current.flat()
}

/** The caller as an approver on a day. An approver cannot delegate a delegated power again. */
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

/** All employees who have the right to approve by their own role, with their departments. */
export const readApprovers = (table: Table, today: string): Promise<Holder[]> => readHolders(table, approve, today)

/** Whether an approver may see an employee's requests. */
export const sees = ({ powers }: Approver, person: Person): boolean =>
  powers.some(power => managesEmployee(power, person))

/** All employees who may decide a person's requests today, by their own right or by delegation. */
export const readJudges = async (table: Table, person: Person, today: string): Promise<string[]> => {
  const [approvers, delegations] = await Promise.all([
    readApprovers(table, today),
    table.all<Delegation>({ pk: delegationKey('').pk, where: [['to', 'not below', today]] }),
  ])
  const authorised = new Set(
    approvers.flatMap(({ employee, rights }) =>
      employee.id !== person.id && managesEmployee(rights, person) ? [employee.id] : [],
    ),
  )
  const standIns = delegations.filter(
    delegation =>
      isDelegated(delegation, today) &&
      authorised.has(delegation.employee) &&
      delegation.delegate !== person.id &&
      approvers.some(({ employee }) => employee.id === delegation.delegate),
  )
  return [...authorised.union(new Set(standIns.map(({ delegate }) => delegate)))]
}

/**
 * The power by which an approver decides a person's requests, their own power if possible. Returns 60004 if no power
 * covers the person, and 60082 for the approver's own request.
 */
export const powerOver = ({ id, powers }: Approver, person: Person): Power | Code => {
  const matching = powers.filter(power => managesEmployee(power, person))
  if (matching.length === 0) return 60004
  // A delegate cannot decide the delegator's own request by the delegator's power.
  return (person.id === id ? undefined : matching.find(({ of }) => of !== person.id)) ?? 60082
}

/** The request after a decision, or the code of the refusal. */
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
  const refusal = refusedMove(request, to, { mover: 'approver', today, company })
  if (refusal) return refusal
  const step = {
    ...{ status: to, by: approver.id, at: new Date().toISOString() },
    ...(power.of !== approver.id && { onBehalfOf: power.of }),
    ...(reason !== undefined && { reason }),
  }
  const isApproval = to === requestStatus.approved
  const repeatedStep = isApproval ? refusedStep(request, step, company) : undefined
  if (repeatedStep) return repeatedStep
  const staysPending = isApproval && isFirstOfTwo(request, company)
  return { ...request, status: staysPending ? requestStatus.pending : to, steps: [...request.steps, step] }
}
