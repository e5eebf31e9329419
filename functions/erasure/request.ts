import {
  askedKey,
  attachmentKey,
  mostRequestsAtOnce,
  type Request,
  requestKey,
  requestPk,
  requestStatus,
} from '../../shared/request.ts'
import { openFiles } from '../kit/files.ts'
import { change } from '../kit/table/change.ts'
import { save, type Table } from '../kit/table.ts'
import { cancelledBy, moveRequests } from '../request/store.ts'

// Withdraws, erases or removes the requests of a former employee. Idempotent.

/** Withdraws the pending requests of a former employee. */
export const withdrawRequests = async (table: Table, employee: string): Promise<void> => {
  const pending = await table.all<Request>({
    pk: requestPk(employee),
    where: [['status', '=', requestStatus.pending]],
  })
  for (let i = 0; i < pending.length; i += mostRequestsAtOnce)
    await moveRequests(table, pending.slice(i, i + mostRequestsAtOnce), ({ version: _, ...request }) =>
      request.status === requestStatus.pending ? cancelledBy(request, employee) : request,
    )
}

const removeAttachments = async (company: string, { employee, attachments = [] }: Request): Promise<void> => {
  for (const { id } of attachments) await openFiles(company).remove(attachmentKey(employee, id))
}

const removeRequest = async (table: Table, company: string, request: Request): Promise<void> => {
  await removeAttachments(company, request)
  await save(table.remove(requestKey(request)))
}

/** Removes the written text of an approved request. Its times stay, because they still decide days. */
const eraseRequest = async (table: Table, company: string, request: Request): Promise<void> => {
  if (request.status !== requestStatus.approved) return removeRequest(table, company, request)
  await removeAttachments(company, request)
  await change<Request>(table, requestKey(request), ({ notes: _n, comments: _c, attachments: _a, ...kept }) => ({
    ...kept,
    steps: kept.steps.map(({ reason: _r, ...step }) => step),
  }))
}

/** Erases the personal content of an employee's requests. */
export const eraseRequests = async (table: Table, company: string, employee: string): Promise<void> => {
  for await (const request of table.each<Request>({ pk: requestPk(employee) }))
    await eraseRequest(table, company, request)
}

export const removeRequests = async (table: Table, company: string, employee: string): Promise<void> => {
  for await (const request of table.each<Request>({ pk: requestPk(employee) }))
    await removeRequest(table, company, request)
  await save(table.remove(askedKey(employee)))
}
