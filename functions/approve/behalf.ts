import { isFirstOfTwo } from '../../shared/approve.ts'
import { isEmployedOn } from '../../shared/attendance/employment.ts'
import { isLocked } from '../../shared/company.ts'
import type { Input, Output } from '../../shared/contract.ts'
import { type Employee, employeeKey } from '../../shared/employee.ts'
import { type Code, type Fields, Problem } from '../../shared/errors.ts'
import type { leavePaths } from '../../shared/leave.ts'
import { type LeaveRequest, type Request, requestStatus, requestTypes } from '../../shared/request.ts'
import type { Caller } from '../kit/caller.ts'
import { atOnce } from '../kit/each.ts'
import type { Item } from '../kit/table.ts'
import { checkLeave, tellBalances, type WeighedLeave, weighLeave } from '../leave/balance.ts'
import { countLeave, leaveRequest, type Own } from '../personal/request.ts'
import { type Around, addRequests, checkRequest, overlapsOf, readAround, showRequests } from '../request/store.ts'
import { type Approver, decide, powerOver, readApprover } from './approver.ts'

// Managers enter requests for other people. The server checks each request like the person's own request, and stores it
// with the manager's approval.

const peopleAtOnce = 4
const outsideEmployment: Code = 10002

type Paths = typeof leavePaths
interface Form {
  employees: string[]
  date: string
  toDate?: string | undefined
}

/** Throws an error if any person is refused. Each refused person's place in the call gets its code. */
const refuse = (employees: readonly string[], refused: ReadonlyMap<string, Code>): void => {
  const fields: Fields = {}
  for (const [employee, code] of refused) fields[`employees.${employees.indexOf(employee)}`] = code
  const [code] = refused.values()
  if (code !== undefined) throw new Problem(code, fields)
}

/**
 * The people of a call, each once. Throws 60004 for people whose requests the caller may not decide, then 60082 for the
 * caller.
 */
const readPeople = async (
  caller: Caller,
  employees: readonly string[],
  { today }: Around,
): Promise<{ approver: Approver; people: Item<Employee>[] }> => {
  const ids = [...new Set(employees)]
  const [approver, found] = await Promise.all([readApprover(caller, today), caller.table.getMany(ids.map(employeeKey))])
  const powers = ids.map((id, i) => {
    const person = found[i]
    return [id, person ? powerOver(approver, person) : 60004] as const
  })
  for (const code of [60004, 60082] as const)
    refuse(employees, new Map(powers.flatMap(([id, power]) => (power === code ? [[id, code]] : []))))
  return { approver, people: found.flatMap(person => person ?? []) }
}

const isEmployedFor = (person: Employee, { date, toDate = date }: Form) =>
  isEmployedOn(person, date) && isEmployedOn(person, toDate)

/** The code of a problem with one person. Undefined for an error of the whole form. */
const personalCode = (error: unknown): Code | undefined =>
  error instanceof Problem && [60080, 60084, 60085].includes(error.code) ? error.code : undefined

/**
 * Adds an approved request for each person, all or none. Uses the `make` and `complete` of the person's own requests.
 */
export const enterFor = async <R extends Request>(
  caller: Caller,
  form: Form & { notes?: string | undefined },
  make: (own: Own, around: Around) => R,
  complete: (own: Own, request: R, around: Around) => R | Promise<R> = (_, request) => request,
): Promise<Output<Paths['leave/add']>> => {
  const { table, company, employee: manager } = caller
  const { employees, notes } = form
  const add = async (around: Around): Promise<Request[]> => {
    const { approver, people } = await readPeople(caller, employees, around)
    const results = await atOnce(peopleAtOnce, people, async (person): Promise<Request | Code> => {
      if (!isEmployedFor(person, form)) return outsideEmployment
      const own = { table, company, employee: person }
      try {
        const draft = { ...make(own, around), enteredBy: manager.id, ...(notes !== undefined && { notes }) }
        await checkRequest(table, draft, around)
        const request = await complete(own, draft, around)
        return decide(approver, person, request, requestStatus.approved, around)
      } catch (error) {
        const code = personalCode(error)
        if (code === undefined) throw error
        return code
      }
    })
    const codes = people.flatMap(({ id }, i): [string, Code][] => {
      const result = results[i]
      return typeof result === 'number' ? [[id, result]] : []
    })
    refuse(employees, new Map(codes))
    return results.filter(result => typeof result !== 'number')
  }
  const requests = await addRequests(table, [...new Set(employees)], add, employee => ({
    ...{ code: 60004, fields: { [`employees.${employees.indexOf(employee)}`]: 60004 } },
  }))
  const isWaiting = requests.some(({ status }) => status === requestStatus.pending)
  return {
    requests: requests.map(({ employee, id }) => ({ employee, id })),
    status: isWaiting ? requestStatus.pending : requestStatus.approved,
  }
}

export const enterLeave = (caller: Caller, form: Input<Paths['leave/add']>): Promise<Output<Paths['leave/add']>> =>
  enterFor(
    caller,
    form,
    (own, around) => leaveRequest(own, form, around),
    (own, leave: LeaveRequest, around) => countLeave(own, leave, around),
  )

const problemOf = (weighed: WeighedLeave): Code | undefined => {
  try {
    checkLeave(weighed)
    return undefined
  } catch (error) {
    const code = personalCode(error)
    if (code === undefined) throw error
    return code
  }
}

/**
 * The effect of a leave on each person. Throws the errors of `enterLeave` for people and forms. Returns a person's own
 * problem instead of throwing it.
 */
export const previewLeaves = async (
  caller: Caller,
  form: Input<Paths['leave/preview']>,
): Promise<Output<Paths['leave/preview']>> => {
  const { table, company: id } = caller
  const around = await readAround(table)
  const { company } = around
  const { people } = await readPeople(caller, form.employees, around)
  if (isLocked(company, form.date)) throw new Problem(60061, { date: 60061 })
  const list = await atOnce(peopleAtOnce, people, async person => {
    const { first_name, last_name, workno } = person
    const named = { employee: person.id, first_name, last_name, workno }
    if (!isEmployedFor(person, form)) return { ...named, problem: outsideEmployment, conflicts: [] }
    const leave = leaveRequest({ table, company: id, employee: person }, form, around)
    const [others, weighed] = await Promise.all([overlapsOf(table, leave), weighLeave(table, company, person, leave)])
    const problem = others.length > 0 ? 60080 : problemOf(weighed)
    return {
      ...{ ...named, total: weighed.total, ...tellBalances(weighed) },
      ...(problem !== undefined && { problem }),
      conflicts: await showRequests(table, others),
    }
  })
  const needsSecond = isFirstOfTwo({ status: requestStatus.pending, steps: [], type: requestTypes.leave }, company)
  return { list, needsSecond }
}
