import { type Company, leaveTypesOf } from '../../shared/company.ts'
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

// What the signed-in person asks for: forms become requests, wall times become instants.

type Paths = typeof personalRequestPaths
type Own = Pick<Caller, 'table' | 'company' | 'employee'>

const wrong = (field: string) => new Problem(10002, { [field]: 10002 })

/** The instant of a wall time, as it is kept. Throws 10002 at its field where the clock skips it. */
const instantAt = (zone: string, day: string, time: string, isLater: boolean | undefined, field: string): string => {
  const moment = momentOf(zone, day, time, isLater)
  if (moment === undefined) throw wrong(field)
  return new Date(moment).toISOString()
}

/** Nobody asks for days on which they are not employed. */
const checkEmployed = ({ employee: { hireDay = '', endDay = '9999-12-31' } }: Own, day: string, toDay: string) => {
  if (day < hireDay || day > endDay) throw wrong('date')
  if (toDay > endDay) throw wrong('toDate')
}

const asked = ({ employee }: Own, company: Company, day: string, toDay: string) => ({
  id: `${toDay}-${newId()}`,
  employee: employee.id,
  status: requestStatus.pending,
  ...{ day, toDay },
  zone: zoneOn(company, day),
  createdAt: new Date().toISOString(),
  steps: [],
})

export const shiftRequest = (caller: Own, form: ShiftForm, { company }: Around): ShiftRequest => {
  const { date, time, isLater, inout } = form
  checkEmployed(caller, date, date)
  const request = asked(caller, company, date, date)
  const at = instantAt(request.zone, date, time, isLater, 'time')
  if (at > request.createdAt) throw wrong('time')
  return { ...request, type: requestTypes.shift, at, ...(inout !== undefined && { inout }) }
}

export const overtimeRequest = (caller: Own, form: OvertimeForm, { company }: Around): OvertimeRequest => {
  const { date } = form
  checkEmployed(caller, date, date)
  const request = asked(caller, company, date, date)
  const from = instantAt(request.zone, date, form.from, form.isFromLater, 'from')
  const to = instantAt(request.zone, date, form.to, form.isToLater, 'to')
  const minutes = (Date.parse(to) - Date.parse(from)) / 60_000
  if (minutes <= 0 || minutes > mostOvertimeMinutes) throw wrong('to')
  return { ...request, type: requestTypes.overtime, from, to }
}

const timesOf = (zone: string, { date, toDate = date, isAllDay, ...form }: LeaveForm) => {
  if (isAllDay) {
    if (form.from !== undefined) throw wrong('from')
    if (form.to !== undefined) throw wrong('to')
    return {}
  }
  if (form.from === undefined) throw wrong('from')
  if (form.to === undefined) throw wrong('to')
  const from = instantAt(zone, date, form.from, form.isFromLater, 'from')
  const to = instantAt(zone, toDate, form.to, form.isToLater, 'to')
  if (to <= from) throw wrong('to')
  return { from, to }
}

/** A leave of which nobody has counted yet how much of the schedule it takes. */
export const leaveRequest = (caller: Own, form: LeaveForm, { company }: Around): LeaveRequest => {
  const { date, toDate = date, leaveType } = form
  const days = countDays(date, toDate)
  if (days < 1 || days > mostLeaveDays) throw wrong('toDate')
  checkEmployed(caller, date, toDate)
  if (!leaveTypesOf(company).some(({ id, isOn }) => id === leaveType && isOn))
    throw new Problem(60004, { leaveType: 60004 })
  const request = asked(caller, company, date, toDate)
  const total = { days: 0, minutes: 0 }
  return { ...request, type: requestTypes.leave, leaveType, ...timesOf(request.zone, form), total }
}

/** Loaded on demand: it brings the calculation along. */
const balance = () => import('../leave/balance.ts')

/** Counts a leave; refuses one that takes nothing, or more than the company lets people take. */
export const countLeave = async (
  { table, employee }: Own,
  leave: LeaveRequest,
  { company }: Around,
): Promise<LeaveRequest> => {
  const { checkLeave, weighLeave } = await balance()
  const weighed = await weighLeave(table, company, employee, leave)
  checkLeave(weighed)
  return { ...leave, total: weighed.total }
}

/** Tells what becomes of a leave that is asked for, refused as it would be but for asking for more than is left. */
export const previewLeave = async (
  caller: Own,
  form: LeaveForm,
): Promise<Output<Paths['personal/request/leave/preview']>> => {
  const { table, employee } = caller
  const around = await readAround(table)
  const leave = leaveRequest(caller, form, around)
  await checkRequest(table, leave, around)
  const { checkLeave, tellBalances, weighLeave } = await balance()
  const weighed = await weighLeave(table, around.company, employee, leave)
  const { total, years } = weighed
  // More than is left is told, so that less can be asked for.
  checkLeave({ total, years })
  return { total, ...tellBalances(weighed) }
}

type Sent = NonNullable<ShiftForm['attachments']>

const isPdf = (bytes: Uint8Array) => Buffer.from(bytes.subarray(0, 5)).toString('latin1') === '%PDF-'

/** What was sent, judged by its own bytes: a picture without what cameras write into it, or a PDF as it is. */
const readAttachment = async (files: Files, key: string) => {
  const sent = await files.read(key)
  if (!sent) return 60004
  const picture = cleanPicture(sent)
  if (!picture) return isPdf(sent) ? { type: 'application/pdf', bytes: sent } : 10002
  return picture.width * picture.height > mostAttachmentPixels ? 60002 : picture
}

/**
 * Keeps what was sent under names of its own: of two requests at once with the same uploads, the one that is refused takes back
 * nothing of the other's. `takeBack` removes it, and `settle` what it was made from.
 */
const keepAttachments = async ({ company, employee: { id: employee } }: Own, sent: Sent) => {
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

/** Asks for what `make` makes of what stands around it, and `complete` of that, with what is said and attached to it. */
export const ask = async <R extends Request>(
  caller: Own,
  { notes, attachments: sent = [] }: Pick<ShiftForm, 'notes' | 'attachments'>,
  make: (around: Around) => R,
  complete: (request: R, around: Around) => R | Promise<R> = request => request,
): Promise<{ id: string }> => {
  const { attachments, takeBack, settle } = await keepAttachments(caller, sent)
  const said = { ...(notes !== undefined && { notes }), ...(attachments.length > 0 && { attachments }) }
  try {
    const { id } = await addRequest(
      caller.table,
      caller.employee.id,
      around => ({ ...make(around), ...said }),
      complete,
    )
    await settle()
    return { id }
  } catch (error) {
    // Where nobody knows whether it was saved, it may name them.
    if (error instanceof Problem) await takeBack()
    throw error
  }
}

/** Whether who asked may take a request back. */
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
    list: shown.flatMap((one, i) => ({ ...one, mayCancel: mayCancel(list[i] as Item<Request>, around) })),
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
