import { approvePaths, delegationKey, isFirstOfTwo } from '../shared/approve.ts'
import { companyKey } from '../shared/company.ts'
import { departmentsOf, type Employee, employeeKey, employeeSearchText, nameToSort } from '../shared/employee.ts'
import { Problem } from '../shared/errors.ts'
import { addDays, countDays } from '../shared/local-day.ts'
import { fullName } from '../shared/person-name.ts'
import {
  mostLeaveDays,
  type Request,
  type RequestStatus,
  requestKey,
  requestListPk,
  requestPk,
  requestStatus,
  requestTypes,
} from '../shared/request.ts'
import { searchQuery } from '../shared/search.ts'
import { type Approver, decide, readApprover, readApprovers, readDelegators, sees } from './approve/approver.ts'
import { cachePeople, readWaiting } from './approve/waiting.ts'
import { readCompany } from './company/store.ts'
import { countEmployees } from './department/headcount.ts'
import { listEmployees } from './employee/list.ts'
import { findEmployee } from './employee/store.ts'
import { type Caller, departmentsBelow, manages, managesEmployee, type Rights, rightsOf } from './kit/caller.ts'
import { lambda } from './kit/lambda.ts'
import { readList } from './kit/table/list.ts'
import { type Range, save, type Where } from './kit/table.ts'
import {
  type Around,
  addComment,
  moveRequests,
  type RequestName,
  readAround,
  showRequest,
  showRequests,
} from './request/store.ts'

const decisions = [1, 2, 3] as const
const allStatuses = Object.values(requestStatus)

/**
 * The decisions that an approver may make. `refused` is the code that blocks the next step. The next step approves a
 * pending request or cancels an approved request.
 */
const judge = (approver: Approver, person: Employee, request: Request, around: Around) => {
  const { status } = request
  const decideTo = (to: RequestStatus) => decide(approver, person, request, to, around)
  const nextStatus =
    status === requestStatus.pending
      ? requestStatus.approved
      : status === requestStatus.approved
        ? requestStatus.cancelled
        : undefined
  const refused = nextStatus === undefined ? undefined : decideTo(nextStatus)
  return {
    department: departmentOf(approver, person),
    moves: decisions.filter(to => typeof decideTo(to) !== 'number'),
    ...(typeof refused === 'number' && { refused }),
    needsSecond: isFirstOfTwo(request, around.company),
  }
}

/** The department through which an approver manages an employee, the main department if possible. */
const departmentOf = ({ powers }: Approver, person: Employee): string =>
  departmentsOf(person).find(department => powers.some(power => manages(power, department))) ?? person.department

/** All departments of an approver's powers; undefined means all of the company. */
const departmentsOfPowers = ({ powers }: Approver): ReadonlySet<string> | undefined => {
  if (powers.some(({ departments }) => departments === undefined)) return undefined
  return new Set(powers.flatMap(({ departments = [] }) => [...departments]))
}

/** Loaded on demand, because it imports the whole calculation. */
const loadBehalf = () => Promise.all([import('./approve/behalf.ts'), import('./personal/request.ts')])

const matchesName = (person: Employee, words: string) => employeeSearchText(person).includes(words)

/** Reads a request and its employee. Throws 60004 if one of them is missing or the approver may not see it. */
const findRequest = async ({ table }: Caller, approver: Approver, { employee, id }: RequestName) => {
  const [request, person] = await Promise.all([table.get(requestKey({ employee, id })), findEmployee(table, employee)])
  if (!person || !sees(approver, person)) throw new Problem(60004, { employee: 60004 })
  if (!request) throw new Problem(60004, { id: 60004 })
  return { request, person }
}

/** Whether two managers share a department. */
const sharesDepartment = (
  { departments: own }: Pick<Rights, 'departments'>,
  { departments: others }: Pick<Rights, 'departments'>,
) => own === undefined || others === undefined || [...own].some(department => others.has(department))

const mostDelegatedDays = 366
/** A delegation expires this many days after its last day begins in UTC. By then the day is over in every time zone. */
const delegationSlackDays = 2

export const handler = lambda(approvePaths, {
  'approve/grid': async ({ filters, size, page }, caller) => {
    const { status, type, from, to, department, employee } = filters
    if (from !== undefined && to !== undefined && to < from) throw new Problem(10002, { 'filters.to': 10002 })
    const { table } = caller
    const around = await readAround(table)
    const approver = await readApprover(caller, around.today)
    const below = department === undefined ? undefined : await departmentsBelow(table, [department])
    const words = searchQuery(filters.search ?? '')
    const where: Where[] = []
    if (type !== undefined) where.push(['type', '=', type])
    if (to !== undefined) where.push(['day', 'below', addDays(to, 1)])
    const range: Omit<Range<Request>, 'pk'> = {
      where,
      // List the oldest pending request first.
      reverse: status !== requestStatus.pending,
      ...(from !== undefined && { from }),
      ...(to !== undefined && { to: `${addDays(to, mostLeaveDays)}~` }),
    }
    const isAny = status === undefined
    const ranges: Range<Request>[] =
      employee === undefined
        ? (isAny ? allStatuses : [status]).map(each => ({ ...range, index: 'byDay', pk: requestListPk(each) }))
        : [{ ...range, pk: requestPk(employee), where: isAny ? where : [...where, ['status', '=', status]] }]
    const { people, learn } = cachePeople(table)
    const { list, ...paging } = await readList<Request>(table, {
      ...{ ranges, learn, size, page },
      name: `approve ${JSON.stringify(filters)}`,
      keep: request => {
        const person = people.get(request.employee)
        if (!person || !sees(approver, person)) return false
        return (!below || departmentsOf(person).some(id => below.has(id))) && (!words || matchesName(person, words))
      },
    })
    const shown = await showRequests(table, list)
    return {
      list: list.flatMap((request, i) => {
        const [shownRequest, person] = [shown[i], people.get(request.employee)]
        return shownRequest && person ? [{ ...shownRequest, ...judge(approver, person, request, around) }] : []
      }),
      ...paging,
    }
  },

  'approve/count': async (_, caller) => ({ count: (await readWaiting(caller)).length }),

  'approve/get': async (name, caller) => {
    const { table } = caller
    const around = await readAround(table)
    const approver = await readApprover(caller, around.today)
    const { request, person } = await findRequest(caller, approver, name)
    const { department, ...judged } = judge(approver, person, request, around)
    // Import on demand, because both modules import the whole calculation.
    const [{ judgeDays, readColleagues }, { tellBalances, weighLeave }] = await Promise.all([
      import('./approve/judgement.ts'),
      import('./leave/balance.ts'),
    ])
    const isLeave = request.type === requestTypes.leave
    const isOpen = request.status === requestStatus.pending || request.status === requestStatus.approved
    const [shown, days, colleagues, people, leave] = await Promise.all([
      showRequest(caller, request),
      judgeDays(table, request),
      isLeave ? readColleagues(table, request, department) : [],
      countEmployees(caller, department),
      isLeave && isOpen ? weighLeave(table, around.company, person, request) : undefined,
    ])
    return { ...shown, ...judged, ...days, department, colleagues, people, ...(leave && tellBalances(leave)) }
  },

  'approve/update': async ({ requests, status, reason }, caller) => {
    const { table } = caller
    const { today } = await readAround(table)
    const approver = await readApprover(caller, today)
    const { people, learn } = cachePeople(table)
    await learn(requests)
    await moveRequests(table, requests, ({ version: _, ...request }, around) =>
      decide(approver, people.get(request.employee), request, status, around, reason),
    )
    return {}
  },

  'approve/shift/add': async (form, caller) => {
    const [{ enterFor }, { shiftRequest }] = await loadBehalf()
    return enterFor(caller, form, (own, around) => shiftRequest(own, form, around))
  },

  'approve/overtime/add': async (form, caller) => {
    const [{ enterFor }, { overtimeRequest }] = await loadBehalf()
    return enterFor(caller, form, (own, around) => overtimeRequest(own, form, around))
  },

  'approve/employee/grid': async ({ filters, size, page }, caller) => {
    const { table } = caller
    const { today } = await readAround(table)
    const { list, ...paging } = await listEmployees(
      { table, departments: departmentsOfPowers(await readApprover(caller, today)) },
      { name: 'approve employee', filters, sort: { by: 'name', descending: false }, size, page },
    )
    return {
      list: list.map(({ id, first_name, last_name, workno }) => ({ id, first_name, last_name, workno })),
      ...paging,
    }
  },

  'approve/comment/add': async ({ text, ...name }, caller) => {
    const { today } = await readAround(caller.table)
    await findRequest(caller, await readApprover(caller, today), name)
    return { comment: await addComment(caller, name, text) }
  },

  'approve/params': async (_, caller) => {
    const { secondStep = [], version } = await readCompany(caller)
    return { secondStep, version }
  },

  'approve/params/update': async ({ version, secondStep }, caller) => {
    const company = await readCompany(caller)
    const next = { ...company, secondStep: [...new Set(secondStep)].sort(), version }
    await save(caller.table.replace(companyKey(), next))
    return {}
  },

  'approve/delegate/all': async (_, caller) => {
    const { today } = await readAround(caller.table)
    const approvers = await readApprovers(caller.table, today)
    const compare = new Intl.Collator(caller.language, { numeric: true }).compare
    return {
      list: approvers
        .filter(({ employee, rights }) => employee.id !== caller.employee.id && sharesDepartment(caller, rights))
        .map(({ employee }) => employee)
        .sort((a, b) => compare(nameToSort(a), nameToSort(b)))
        .map(({ id, first_name, last_name, workno }) => ({ employee: id, first_name, last_name, workno })),
    }
  },

  'approve/delegate/get': async (_, caller) => {
    const { table, employee } = caller
    const { today } = await readAround(table)
    const [own, delegators] = await Promise.all([table.get(delegationKey(employee.id)), readDelegators(caller, today)])
    const isOver = !own || own.to < today
    const delegate = isOver ? undefined : await findEmployee(table, own.delegate)
    return {
      today,
      ...(!isOver &&
        delegate && { own: { employee: delegate.id, name: fullName(delegate), from: own.from, to: own.to } }),
      list: delegators.map(({ employee: delegator, delegation: { from, to } }) => ({
        ...{ employee: delegator.id, name: fullName(delegator), from, to },
      })),
    }
  },

  'approve/delegate/update': async ({ employee: delegate, from, to }, caller) => {
    const { table, employee } = caller
    const { today } = await readAround(table)
    const invalid = (field: string) => new Problem(10002, { [field]: 10002 })
    if (delegate === employee.id) throw invalid('employee')
    const days = countDays(from, to)
    if (to < today || days < 1 || days > mostDelegatedDays) throw invalid('to')
    const person = await table.get(employeeKey(delegate))
    const rights = person && (await rightsOf(table, person))
    const isVisible = person && (managesEmployee(caller, person) || (rights && sharesDepartment(caller, rights)))
    if (!isVisible) throw new Problem(60004, { employee: 60004 })
    if (!rights?.permissions.has(10)) throw new Problem(60005, { employee: 60005 })
    const expiresAt = Date.parse(addDays(to, delegationSlackDays)) / 1000
    await save(table.put(delegationKey(employee.id), { employee: employee.id, delegate, from, to, expiresAt }))
    return {}
  },

  'approve/delegate/delete': async (_, { table, employee }) => {
    await save(table.remove(delegationKey(employee.id)))
    return {}
  },
})
