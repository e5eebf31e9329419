import { isEmployedOn } from '../../shared/attendance/employment.ts'
import { leaveTypesOf } from '../../shared/company.ts'
import type { Input, Output } from '../../shared/contract.ts'
import { Problem } from '../../shared/errors.ts'
import { cleanPicture } from '../../shared/image.ts'
import { addDays, countDays } from '../../shared/local-day.ts'
import type { LeaveForm, OvertimeForm, personalRequestPaths, ShiftForm } from '../../shared/personal/request.ts'
import {
  attachmentKey,
  attachmentUploadKey,
  type LeaveRequest,
  momentOf,
  mostAttachmentPixels,
  mostLeaveDays,
  mostOvertimeMinutes,
  type OvertimeRequest,
  type Request,
  type RequestAttachment,
  refusedMove,
  requestPk,
  requestStatus,
  requestTypes,
  type ShiftRequest,
} from '../../shared/request.ts'
import { zoneOn } from '../../shared/rule.ts'
import type { Caller } from '../kit/caller.ts'
import { type Files, openFiles } from '../kit/files.ts'
import { newId } from '../kit/id.ts'
import { readList } from '../kit/table/list.ts'
import type { Item, Where } from '../kit/table.ts'
import {
  type Around,
  addRequest,
  cancelledBy,
  checkRequest,
  moveRequests,
  readAround,
  showRequests,
} from '../request/store.ts'

// The signed-in person's requests: forms become requests, wall-clock times become instants.

type Paths = typeof personalRequestPaths
/** The person whose request it is. */
export type Own = Pick<Caller, 'table' | 'company' | 'employee'>

const invalid = (field: string) => new Problem(10002, { [field]: 10002 })

/** The ISO instant of a wall-clock time. Throws 10002 at the field of a time that a clock change skips. */
const instantAt = (zone: string, day: string, time: string, isLater: boolean | undefined, field: string): string => {
  const moment = momentOf(zone, day, time, isLater)
  if (moment === undefined) throw invalid(field)
  return new Date(moment).toISOString()
}

/** Throws 10002 at the date outside the employment. */
const checkEmployed = ({ employee }: Own, day: string, toDay: string) => {
  if (!isEmployedOn(employee, day)) throw invalid('date')
  if (!isEmployedOn(employee, toDay)) throw invalid('toDate')
}

const baseRequest = ({ employee }: Own, { company, zoneOf }: Around, day: string, toDay: string) => ({
  id: `${toDay}-${newId()}`,
  employee: employee.id,
  status: requestStatus.pending,
  ...{ day, toDay },
  zone: zoneOf?.(employee.department, day) ?? zoneOn(company, day),
  createdAt: new Date().toISOString(),
  steps: [],
})

export const shiftRequest = (caller: Own, form: ShiftForm, around: Around): ShiftRequest => {
  const { date, time, isLater, inout } = form
  checkEmployed(caller, date, date)
  const request = baseRequest(caller, around, date, date)
  const at = instantAt(request.zone, date, time, isLater, 'time')
  if (at > request.createdAt) throw invalid('time')
  return { ...request, type: requestTypes.shift, at, ...(inout !== undefined && { inout }) }
}

export const overtimeRequest = (caller: Own, form: OvertimeForm, around: Around): OvertimeRequest => {
  const { date } = form
  checkEmployed(caller, date, date)
  const request = baseRequest(caller, around, date, date)
  const from = instantAt(request.zone, date, form.from, form.isFromLater, 'from')
  const to = instantAt(request.zone, date, form.to, form.isToLater, 'to')
  const minutes = (Date.parse(to) - Date.parse(from)) / 60_000
  if (minutes <= 0 || minutes > mostOvertimeMinutes) throw invalid('to')
  return { ...request, type: requestTypes.overtime, from, to }
}

const timesOf = (zone: string, { date, toDate = date, isAllDay, ...form }: LeaveForm) => {
  if (isAllDay) {
    if (form.from !== undefined) throw invalid('from')
    if (form.to !== undefined) throw invalid('to')
    return {}
  }
  if (form.from === undefined) throw invalid('from')
  if (form.to === undefined) throw invalid('to')
  const from = instantAt(zone, date, form.from, form.isFromLater, 'from')
  const to = instantAt(zone, toDate, form.to, form.isToLater, 'to')
  if (to <= from) throw invalid('to')
  return { from, to }
}

/** A leave request before `countLeave`: its total is still zero. */
export const leaveRequest = (caller: Own, form: LeaveForm, around: Around): LeaveRequest => {
  const { date, toDate = date, leaveType } = form
  const days = countDays(date, toDate)
  if (days < 1 || days > mostLeaveDays) throw invalid('toDate')
  checkEmployed(caller, date, toDate)
  if (!leaveTypesOf(around.company).some(({ id, isOn }) => id === leaveType && isOn))
    throw new Problem(60004, { leaveType: 60004 })
  const request = baseRequest(caller, around, date, toDate)
  const total = { days: 0, minutes: 0 }
  return { ...request, type: requestTypes.leave, leaveType, ...timesOf(request.zone, form), total }
}

/** Imports on demand, because balances import the whole calculation. */
const loadBalance = () => import('../leave/balance.ts')

/** Counts the scheduled time of a leave. Throws for a leave without scheduled time, or beyond the company's limit. */
export const countLeave = async (
  { table, employee }: Own,
  leave: LeaveRequest,
  { company }: Around,
): Promise<LeaveRequest> => {
  const { checkLeave, weighLeave } = await loadBalance()
  const weighed = await weighLeave(table, company, employee, leave)
  checkLeave(weighed)
  return { ...leave, total: weighed.total }
}

/**
 * The total and the balances of a leave before its request. Throws as the request would, except for a too small
 * balance.
 */
export const previewLeave = async (
  caller: Own,
  form: LeaveForm,
): Promise<Output<Paths['personal/request/leave/preview']>> => {
  const { table, employee } = caller
  const around = await readAround(table)
  const leave = leaveRequest(caller, form, around)
  await checkRequest(table, leave, around)
  const { checkLeave, tellBalances, weighLeave } = await loadBalance()
  const weighed = await weighLeave(table, around.company, employee, leave)
  const { total, years } = weighed
  // Check without the balances: the preview shows an excess, so that the person can request less.
  checkLeave({ total, years })
  return { total, ...tellBalances(weighed) }
}

type SentAttachments = NonNullable<ShiftForm['attachments']>

const isPdf = (bytes: Uint8Array) => Buffer.from(bytes.subarray(0, 5)).toString('latin1') === '%PDF-'

/**
 * Reads an upload by its bytes: a picture without its camera metadata, or an unchanged PDF. Returns an error code for
 * any other content.
 */
const readAttachment = async (files: Files, key: string) => {
  const upload = await files.read(key)
  if (!upload) return 60004
  const picture = cleanPicture(upload)
  if (!picture) return isPdf(upload) ? { type: 'application/pdf', bytes: upload } : 10002
  return picture.width * picture.height > mostAttachmentPixels ? 60002 : picture
}

/**
 * Stores the uploads under new names. So two concurrent requests with the same uploads never remove each other's files.
 * `takeBack` removes the stored files, `settle` removes the uploads.
 */
const keepAttachments = async ({ company, employee: { id: employee } }: Own, sent: SentAttachments) => {
  const files = openFiles(company)
  const attachments: RequestAttachment[] = []
  const takeBack = () => Promise.all(attachments.map(({ id }) => files.remove(attachmentKey(employee, id))))
  for (const [i, { upload, name }] of sent.entries()) {
    const file = await readAttachment(files, attachmentUploadKey(employee, upload))
    if (typeof file === 'number') {
      await takeBack()
      throw new Problem(file, { [`attachments.${i}.upload`]: file })
    }
    const id = newId()
    await files.write(attachmentKey(employee, id), file)
    attachments.push({ id, name, type: file.type, bytes: file.bytes.length })
  }
  const settle = () => Promise.all(sent.map(({ upload }) => files.remove(attachmentUploadKey(employee, upload))))
  return { attachments, takeBack, settle }
}

/** Adds the request that `make` and `complete` return, with its notes and attachments. */
export const ask = async <R extends Request>(
  caller: Own,
  { notes, attachments: sent = [] }: Pick<ShiftForm, 'notes' | 'attachments'>,
  make: (around: Around) => R,
  complete: (request: R, around: Around) => R | Promise<R> = request => request,
): Promise<{ id: string }> => {
  const { attachments, takeBack, settle } = await keepAttachments(caller, sent)
  const extras = { ...(notes !== undefined && { notes }), ...(attachments.length > 0 && { attachments }) }
  try {
    const { id } = await addRequest(
      caller.table,
      caller.employee.id,
      around => ({ ...make(around), ...extras }),
      complete,
    )
    await settle()
    return { id }
  } catch (error) {
    // After another error the table may contain the request with its attachments, so keep the files.
    if (error instanceof Problem) await takeBack()
    throw error
  }
}

/** Whether the requester may withdraw a request. */
export const mayCancel = (request: Request, { company, today }: Around): boolean =>
  refusedMove(request, requestStatus.cancelled, { mover: 'requester', today, company }) === undefined

export const listRequests = async (
  { table, employee }: Own,
  { filters, size, page }: Input<Paths['personal/request/grid']>,
  around: Around,
): Promise<Output<Paths['personal/request/grid']>> => {
  const { type, status, from, to } = filters
  const where: Where[] = []
  if (type !== undefined) where.push(['type', '=', type])
  if (status !== undefined) where.push(['status', '=', status])
  if (to !== undefined) where.push(['day', 'below', addDays(to, 1)])
  const pk = requestPk(employee.id)
  const { list, ...rest } = await readList<Request>(table, {
    ranges: [{ pk, reverse: true, where, ...(from !== undefined && { from }) }],
    name: `request ${employee.id} ${JSON.stringify(filters)}`,
    ...{ size, page },
  })
  const shown = await showRequests(table, list)
  return {
    list: shown.flatMap((request, i) => ({ ...request, mayCancel: mayCancel(list[i] as Item<Request>, around) })),
    ...rest,
  }
}

export const cancelRequest = ({ table, employee }: Own, id: string): Promise<Request[]> =>
  moveRequests(
    table,
    [{ employee: employee.id, id }],
    ({ version: _, ...request }, { company, today }) =>
      refusedMove(request, requestStatus.cancelled, { mover: 'requester', today, company }) ??
      cancelledBy(request, employee.id),
    () => 'id',
  )
