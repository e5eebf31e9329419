import { type Company, companyKey, isLocked } from '../../shared/company.ts'
import { type Code, type Fields, Problem } from '../../shared/errors.ts'
import { localDay } from '../../shared/local-day.ts'
import { askedKey, overlaps, type Request, requestKey, requestPk } from '../../shared/request.ts'
import { again, wasSlower } from './again.ts'
import { readCompany } from './company.ts'
import { type Item, save, type Table, type Write } from './table.ts'

// The only ways in which requests are written: asked for, and moved into another state. Both are judged by the company as it
// stands when they are saved: what is locked meanwhile is not changed by a request that was judged before.

/** What stands around a request when it is judged. */
export interface Around {
  company: Item<Company>
  /** The company's local date. */
  today: string
}

const readAround = async (table: Table): Promise<Around> => {
  const company = await readCompany({ table })
  return { company, today: localDay(company.timezone, Date.now()) }
}

/**
 * Asks for something; `make` is told what stands around it, and the pending and approved requests of the same person that may
 * touch it are looked at. Throws 60061 where it touches a locked day and 60080 where it overlaps another, with the field `day`.
 */
export const addRequest = (
  table: Table,
  make: (around: Around) => Promise<Request>,
  beside: (request: Request) => Write[] = () => [],
): Promise<Request> =>
  again(async () => {
    const around = await readAround(table)
    const request = await make(around)
    if (isLocked(around.company, request.day)) throw new Problem(60061, { day: 60061 })
    const asked = await table.get(askedKey(request.employee))
    for await (const other of table.each<Request>({ pk: requestPk(request.employee), from: request.day }))
      if (overlaps(request, other)) throw new Problem(60080, { day: 60080 })
    const count = asked?.count ?? 0
    await save(
      table.unchanged(companyKey(), around.company),
      asked
        ? table.replace(askedKey(request.employee), { ...asked, count: count + 1 })
        : table.insert(askedKey(request.employee), { count: 1 }, { code: 60006 }),
      table.insert(requestKey(request), request),
      ...beside(request),
    )
    return request
  })

/** Names a request on the wire. */
export type RequestName = Pick<Request, 'employee' | 'id'>

/** Three writes and one for the audit at most for each, in one save. */
export const mostRequestsAtOnce = 30

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
