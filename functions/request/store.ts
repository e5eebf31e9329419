import { type Company, companyKey, isLocked } from '../../shared/company.ts'
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
import { findEmployees } from '../employee/store.ts'
import type { Caller } from '../kit/caller.ts'
import { openFiles } from '../kit/files.ts'
import { newId } from '../kit/id.ts'
import { again, wasSlower } from '../kit/table/change.ts'
import { type Item, save, type Table } from '../kit/table.ts'

// The only ways in which requests are written: asked for, and moved into another state. Both are judged by the company as it
// stands when they are saved: what is locked meanwhile is not changed by a request that was judged before.

/** What stands around a request when it is judged. */
export interface Around {
  company: Item<Company>
  /** The company's local date. */
  today: string
}

export const readAround = async (table: Table): Promise<Around> => {
  const company = await readCompany({ table })
  return { company, today: localDay(company.timezone, Date.now()) }
}

/** The clock times of a request may lie on the dates beside its days. */
const reachDays = 2

/** Throws what keeps somebody from asking for this, whatever it is. */
export const checkRequest = async (table: Table, request: Request, { company }: Around): Promise<void> => {
  if (isLocked(company, request.day)) throw new Problem(60061, { date: 60061 })
  const from = addDays(request.day, -reachDays)
  for await (const other of table.each<Request>({ pk: requestPk(request.employee), from }))
    if (overlaps(request, other)) throw new Problem(60080, { date: 60080 })
}

/**
 * Asks for something: what `make` makes of what stands around it, refused as `checkRequest` does, and then as `complete` does,
 * which may look at what else its person asked for.
 */
export const addRequest = <R extends Request>(
  table: Table,
  employee: string,
  make: (around: Around) => R | Promise<R>,
  complete: (request: R, around: Around) => R | Promise<R> = request => request,
): Promise<R> =>
  again(async () => {
    // Before anything is looked at that another request of theirs could change.
    const asked = await table.get(askedKey(employee))
    const around = await readAround(table)
    const made = await make(around)
    await checkRequest(table, made, around)
    const request = await complete(made, around)
    await save(
      table.unchanged(companyKey(), around.company),
      asked
        ? table.replace(askedKey(employee), { ...asked, count: asked.count + 1 })
        : table.insert(askedKey(employee), { count: 1 }, { code: 60006 }),
      table.insert<Request>(requestKey(request), request),
      // Of who has left meanwhile nobody would take it back.
      table.require(employeeKey(employee), { code: 502 }),
    )
    return request
  })

/** Names a request on the wire. */
export type RequestName = Pick<Request, 'employee' | 'id'>

/**
 * Moves requests, all or none. `move` answers the request as it is to be, or the code of why it may not be; what is not there
 * is 60004. Refused ones are named by `requests.<index>`. Of two people who decide at once one is told that somebody was quicker.
 */
export const moveRequests = (
  table: Table,
  names: RequestName[],
  move: (request: Item<Request>, around: Around) => Request | Code | Promise<Request | Code>,
  fieldOf = (index: number) => `requests.${index}`,
): Promise<Request[]> =>
  again(
    async () => {
      const once = [...new Map(names.map(name => [`${name.employee} ${name.id}`, name])).values()]
      const around = await readAround(table)
      const found = await table.getMany(once.map(requestKey))
      const fields: Fields = {}
      const moved: Item<Request>[] = []
      for (const [i, request] of found.entries()) {
        const next = request ? await move(request, around) : 60004
        const name = once[i]
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

/** A request that somebody takes back, or an approver takes away. */
export const cancelledBy = (request: Request, by: string): Request => ({
  ...request,
  status: requestStatus.cancelled,
  steps: [...request.steps, { status: requestStatus.cancelled, by, at: new Date().toISOString() }],
})

/** Adds a comment; 60004 where there is no such request, 60002 where nobody reads them all any more. */
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

/** Who asked, decided and wrote, by name: whoever may see a request may know them. */
const readPeople = async (table: Table, requests: Request[]) => {
  const found = await findEmployees(
    table,
    requests.flatMap(({ employee, steps, comments = [] }) => [
      employee,
      ...steps.flatMap(({ by, onBehalfOf }) => [by, ...(onBehalfOf === undefined ? [] : [onBehalfOf])]),
      ...comments.map(({ by }) => by),
    ]),
  )
  const people = new Map(found.map(person => [person.id, person]))
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
  const { id, employee, type, status, day, toDay, zone, notes, createdAt, steps } = request
  const { first_name, last_name, workno } = person(employee)
  return {
    ...{ id, employee, first_name, last_name, workno, type, status },
    ...{ date: day, toDate: toDay, timezone: zone },
    ...ofType(request),
    ...{ notes, createdAt },
    steps: steps.map(({ by, onBehalfOf, ...step }) => ({
      ...step,
      by: fullName(person(by)),
      ...(onBehalfOf !== undefined && { onBehalfOf: fullName(person(onBehalfOf)) }),
    })),
    commentCount: request.comments?.length ?? 0,
    attachmentCount: request.attachments?.length ?? 0,
  }
}

/** Requests as lists show them. */
export const showRequests = async (table: Table, requests: Request[]): Promise<ShownRequest[]> => {
  const person = await readPeople(table, requests)
  return requests.map(request => show(request, person))
}

/** A request with all that was written and attached. Pictures are shown where they are opened, anything else is loaded. */
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
