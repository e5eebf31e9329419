import { type Company, companyKey, isLocked } from '../../shared/company.ts'
import type { ZoneOf } from '../../shared/department.ts'
import { employeeKey } from '../../shared/employee.ts'
import { type Code, type Fields, Problem } from '../../shared/errors.ts'
import { addDays, localDay } from '../../shared/local-day.ts'
import { fullName } from '../../shared/person-name.ts'
import type { RequestDetails, ShownRequest } from '../../shared/personal/request.ts'
import {
  askedKey,
  attachmentKey,
  isAllDay,
  mostComments,
  overlaps,
  type Request,
  requestKey,
  requestPk,
  requestStatus,
  requestTypes,
} from '../../shared/request.ts'
import { readCompany } from '../company/store.ts'
import { readZones } from '../department/zone.ts'
import { findEmployees } from '../employee/store.ts'
import type { Caller } from '../kit/caller.ts'
import { openFiles } from '../kit/files.ts'
import { newId } from '../kit/id.ts'
import { again, wasSlower } from '../kit/table/change.ts'
import { type Item, type Otherwise, save, type Table } from '../kit/table.ts'

// All writes of requests: adding a request, moving it to another state and commenting on it. Adding and moving require
// an unchanged company when they save. So a request checked before a lock cannot change a day locked meanwhile.

/** The company's state at the check of a request. */
export interface Around {
  company: Item<Company>
  /** The company's local date. */
  today: string
  /** The zones of departments, if any has a zone of its own. */
  zoneOf: ZoneOf | undefined
}

export const readAround = async (table: Table): Promise<Around> => {
  const company = await readCompany({ table })
  return { company, today: localDay(company.timezone, Date.now()), zoneOf: await readZones(table, company) }
}

/** The clock times of a request may lie on adjacent dates. */
const reachDays = 2

/** The employee's pending and approved requests that overlap a request. */
export const overlapsOf = async (table: Table, request: Request): Promise<Request[]> => {
  const from = addDays(request.day, -reachDays)
  const others = await table.all<Request>({ pk: requestPk(request.employee), from })
  return others.filter(other => overlaps(request, other))
}

/** Throws 60061 for a locked day and 60080 for an overlapping request, both at `date`. */
export const checkRequest = async (table: Table, request: Request, { company }: Around): Promise<void> => {
  if (isLocked(company, request.day)) throw new Problem(60061, { date: 60061 })
  if ((await overlapsOf(table, request)).length > 0) throw new Problem(60080, { date: 60080 })
}

/**
 * Adds the requests that `make` returns, one for each employee, all or none. Throws the error of `gone` for an employee
 * deleted meanwhile, because no employee could withdraw that request.
 */
export const addRequests = <R extends Request>(
  table: Table,
  employees: readonly string[],
  make: (around: Around) => Promise<R[]>,
  gone: (employee: string) => Otherwise,
): Promise<R[]> =>
  again(async () => {
    // Read the counters first. A concurrent request of any of these employees then makes this save fail and retry.
    const counters = await table.getMany(employees.map(askedKey))
    const around = await readAround(table)
    const requests = await make(around)
    await save(
      table.unchanged(companyKey(), around.company),
      ...employees.flatMap((employee, i) => {
        const counter = counters[i]
        return [
          counter
            ? table.replace(askedKey(employee), { ...counter, count: counter.count + 1 })
            : table.insert(askedKey(employee), { count: 1 }, { code: 60006 }),
          table.require(employeeKey(employee), gone(employee)),
        ]
      }),
      ...requests.map(request => table.insert<Request>(requestKey(request), request)),
    )
    return requests
  })

/**
 * Adds the request that `make` returns. Throws the errors of `checkRequest`, then those of `complete`. `complete` may
 * read the person's other requests.
 */
export const addRequest = async <R extends Request>(
  table: Table,
  employee: string,
  make: (around: Around) => R | Promise<R>,
  complete: (request: R, around: Around) => R | Promise<R> = request => request,
): Promise<R> => {
  const add = async (around: Around) => {
    const draft = await make(around)
    await checkRequest(table, draft, around)
    return [await complete(draft, around)]
  }
  const [request] = await addRequests(table, [employee], add, () => ({ code: 502 }))
  return request as R
}

/** Names a request on the wire. */
export type RequestName = Pick<Request, 'employee' | 'id'>

/**
 * Moves requests, all or none. `move` returns the next request or the code of its refusal. A missing request is 60004.
 * Each refusal has the field `requests.<index>`. Of two concurrent decisions, the slower one gets a conflict.
 */
export const moveRequests = (
  table: Table,
  names: RequestName[],
  move: (request: Item<Request>, around: Around) => Request | Code | Promise<Request | Code>,
  fieldOf = (index: number) => `requests.${index}`,
): Promise<Request[]> =>
  again(
    async () => {
      const distinct = [...new Map(names.map(name => [`${name.employee} ${name.id}`, name])).values()]
      const around = await readAround(table)
      const requests = await table.getMany(distinct.map(requestKey))
      const fields: Fields = {}
      const moved: Item<Request>[] = []
      for (const [i, request] of requests.entries()) {
        const next = request ? await move(request, around) : 60004
        const name = distinct[i]
        if (typeof next === 'number') fields[fieldOf(name ? names.indexOf(name) : i)] = next
        else if (request) moved.push({ ...next, version: request.version })
      }
      const [code] = Object.values(fields)
      if (code !== undefined) throw new Problem(code, fields)
      await save(
        table.unchanged(companyKey(), around.company),
        ...moved.map(request => table.replace(requestKey(request), request)),
      )
      return moved
    },
    error => wasSlower(error) && error.fields === undefined,
  )

/** The request after its requester withdraws it or an approver revokes it. */
export const cancelledBy = (request: Request, by: string): Request => ({
  ...request,
  status: requestStatus.cancelled,
  steps: [...request.steps, { status: requestStatus.cancelled, by, at: new Date().toISOString() }],
})

/** Adds a comment. Throws 60004 for a missing request, and 60002 for too many comments. */
export const addComment = (
  { table, employee }: Pick<Caller, 'table' | 'employee'>,
  name: RequestName,
  text: string,
): Promise<string> =>
  again(async () => {
    const request = await table.get(requestKey(name))
    if (!request) throw new Problem(60004, { id: 60004 })
    const { comments = [] } = request
    if (comments.length >= mostComments) throw new Problem(60002, { text: 60002 })
    const comment = { id: newId(), by: employee.id, at: new Date().toISOString(), text }
    await save(table.replace(requestKey(request), { ...request, comments: [...comments, comment] }))
    return comment.id
  })

/** Finds requesters, deciders and commenters by id. Every person who may see a request may see these names. */
const readPeople = async (table: Table, requests: Request[]) => {
  const employees = await findEmployees(
    table,
    requests.flatMap(({ employee, enteredBy, steps, comments = [] }) => [
      employee,
      ...(enteredBy === undefined ? [] : [enteredBy]),
      ...steps.flatMap(({ by, onBehalfOf }) => [by, ...(onBehalfOf === undefined ? [] : [onBehalfOf])]),
      ...comments.map(({ by }) => by),
    ]),
  )
  const people = new Map(employees.map(person => [person.id, person]))
  const nobody = { first_name: '–', last_name: '', workno: '' }
  return (id: string) => people.get(id) ?? nobody
}

const ofType = (request: Request) => {
  if (request.type === requestTypes.shift) return { at: request.at, inout: request.inout }
  if (request.type === requestTypes.overtime) return { from: request.from, to: request.to }
  const { leaveType, from, to, total } = request
  return { leaveType, isAllDay: isAllDay(request), from, to, total }
}

const show = (request: Request, person: Awaited<ReturnType<typeof readPeople>>): ShownRequest => {
  const { id, employee, type, status, day, toDay, zone, notes, createdAt, enteredBy, steps } = request
  const { first_name, last_name, workno } = person(employee)
  return {
    ...{ id, employee, first_name, last_name, workno, type, status },
    ...{ date: day, toDate: toDay, timezone: zone },
    ...ofType(request),
    ...{ notes, createdAt },
    ...(enteredBy !== undefined && { enteredBy: fullName(person(enteredBy)) }),
    steps: steps.map(({ by, onBehalfOf, ...step }) => ({
      ...step,
      by: fullName(person(by)),
      ...(onBehalfOf !== undefined && { onBehalfOf: fullName(person(onBehalfOf)) }),
    })),
    commentCount: request.comments?.length ?? 0,
    attachmentCount: request.attachments?.length ?? 0,
  }
}

export const showRequests = async (table: Table, requests: Request[]): Promise<ShownRequest[]> => {
  const person = await readPeople(table, requests)
  return requests.map(request => show(request, person))
}

/** A request with its comments and attachments. The browser shows pictures and downloads other files. */
export const showRequest = async (
  { table, company, employee }: Pick<Caller, 'table' | 'company' | 'employee'>,
  request: Request,
): Promise<RequestDetails> => {
  const person = await readPeople(table, [request])
  const files = openFiles(company)
  return {
    ...show(request, person),
    comments: (request.comments ?? []).map(({ by, ...comment }) => ({
      ...comment,
      by: fullName(person(by)),
      isOwn: by === employee.id,
    })),
    attachments: await Promise.all(
      (request.attachments ?? []).map(async attachment => {
        const { id, name, type } = attachment
        const isDownload = !type.startsWith('image/')
        const key = attachmentKey(request.employee, id)
        return { ...attachment, url: await files.address(key, isDownload ? name : id, { isDownload }) }
      }),
    ),
  }
}
