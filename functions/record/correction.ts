import { isEmployedOn } from '../../shared/attendance/employment.ts'
import { type Company, companyKey, isLocked } from '../../shared/company.ts'
import type { Input, Output } from '../../shared/contract.ts'
import type { DayRow } from '../../shared/day.ts'
import type { Employee } from '../../shared/employee.ts'
import { Problem } from '../../shared/errors.ts'
import { addDays, localDay } from '../../shared/local-day.ts'
import { toldOf } from '../../shared/preview.ts'
import { type Punch, punchKey } from '../../shared/punch.ts'
import {
  addedPunch,
  applyCorrections,
  type Correction,
  correctedDays,
  correctionKey,
  type correctionPaths,
  correctionPk,
  dayOfPunch,
  isAddedPunch,
  mostMovedDays,
} from '../../shared/record/correction.ts'
import { defaultObjectionDays } from '../../shared/record/rule.ts'
import { type CorrectedVersion, countedVersion, versionOf } from '../../shared/record/version.ts'
import { momentOf } from '../../shared/request.ts'
import { readCompany } from '../company/store.ts'
import { readShiftsById } from '../day/explanation.ts'
import { readPunches } from '../day/punch.ts'
import { rowsBetween } from '../day/rows.ts'
import { walkDays } from '../day/walk.ts'
import { readZone } from '../department/zone.ts'
import { readManaged } from '../employee/store.ts'
import type { Caller } from '../kit/caller.ts'
import { newId } from '../kit/id.ts'
import { type Item, save, type Table, type Write } from '../kit/table.ts'
import { checkOrder, supposed } from './direction.ts'
import { firstCorrectedDay } from './reach.ts'

// Managers correct punches of the employees they manage. A form creates, changes or removes a correction; the change
// recalculates the days.

type Paths = typeof correctionPaths
type Form = Input<Paths['record/preview']>
/** A correction to save. Without `next`, the server removes the present correction. */
export interface Change {
  punch: string
  present: Item<Correction> | undefined
  next: Correction | undefined
}

const wrong = (field: string) => new Problem(10002, { [field]: 10002 })

/** Throws 60004 for an employee whom the caller does not manage, and 60088 if the employee is the caller. */
export const readEmployee = async (caller: Caller, id: string): Promise<Item<Employee>> => {
  const employee = await readManaged(caller, id)
  if (id === caller.employee.id) throw new Problem(60088, { employee: 60088 })
  return employee
}

/**
 * The instant of the form's date and time. Throws 10002 for the future, a day outside the employment, or a skipped
 * time.
 */
const instantOf = async (table: Table, company: Company, employee: Employee, form: Form): Promise<string> => {
  const { date, time, isLater } = form
  if (date === undefined) throw wrong('date')
  if (time === undefined) throw wrong('time')
  if (!isEmployedOn(employee, date)) throw wrong('date')
  const moment = momentOf(await readZone(table, company, employee.department, date), date, time, isLater)
  if (moment === undefined) throw wrong('time')
  if (moment > Date.now()) throw wrong(date > localDay(company.timezone, Date.now()) ? 'date' : 'time')
  return new Date(moment).toISOString()
}

/** A terminal's record by its key, if its employee ID is or was the employee's. */
const readRecord = async ({ table }: Caller, { workno, formerWorknos = [] }: Employee, punch: string) => {
  const [number = '', localTime = '', sn = ''] = punch.split('#')
  if (![workno, ...formerWorknos].includes(number)) return undefined
  return table.get<Punch>(punchKey({ number, localTime, sn }))
}

/** The version that counts if the employee rejects the next correction. Undefined means the recorded punch. */
const settledOf = (present: Correction | undefined, now: string): CorrectedVersion | undefined => {
  if (!present) return undefined
  const isOpen = present.state !== undefined || (present.objectBy !== undefined && present.objectBy > now)
  return isOpen ? present.former : versionOf(present)
}

const dayMilliseconds = 24 * 3600_000

/**
 * The attributes that the company's rule adds to a version: its state, the deadline for objections and the former
 * version.
 */
const ruledBy = (company: Company, present: Correction | undefined, now: string): Partial<Correction> => {
  const { correctionRule, objectionDays = defaultObjectionDays } = company
  const former = settledOf(present, now)
  const objectBy = new Date(Date.parse(now) + objectionDays * dayMilliseconds).toISOString()
  return {
    ...(correctionRule === 'agreement' && { state: 'proposed' as const }),
    ...(correctionRule === 'objection' && { objectBy }),
    ...(former && (correctionRule === 'agreement' || correctionRule === 'objection') && { former }),
    ...(present?.objection && { objection: present.objection }),
  }
}

/**
 * The correction that remains after a manager restores a punch. Undefined unless the employee's answer must be kept or
 * requested.
 */
const restored = (company: Company, present: Item<Correction>, made: CorrectedVersion): Correction | undefined => {
  const { employee, punch, recordedAt, at, inout, isIgnored, state, former, objection } = present
  const named = { employee, punch, ...(recordedAt && { recordedAt }) }
  const moved = { ...(at && { at }), ...(inout !== undefined && { inout }) }
  const kept = { ...named, ...(objection && { objection }) }
  // An added punch has no recorded time, so it is removed or no longer counts.
  const recorded = isAddedPunch(punch) ? { ...moved, ...made, isIgnored: true as const } : { ...made }
  if (state === 'proposed') return former ? { ...kept, ...former } : objection && { ...kept, ...recorded }
  const rule = ruledBy(company, present, made.madeAt)
  if (isIgnored && (at !== undefined || isAddedPunch(punch)))
    return { ...named, ...moved, ...made, reason: present.reason, ...rule }
  return rule.former || objection ? { ...named, ...recorded, ...rule } : undefined
}

/** A punch that the caller adds at an instant. `day` is its local day. */
export const addition = (
  caller: Caller,
  company: Company,
  employee: string,
  { at, day, inout, reason }: { at: string; day: string; inout?: 0 | 1 | undefined; reason: string },
): Change => {
  const madeAt = new Date().toISOString()
  const punch = addedPunch(day, newId())
  const version = { at, ...(inout !== undefined && { inout }), reason, by: caller.employee.id, madeAt }
  return { punch, present: undefined, next: { employee, punch, ...version, ...ruledBy(company, undefined, madeAt) } }
}

/** The change that a form makes to the correction of its punch. Throws 60004 for an unknown punch. */
export const changeOf = async (
  caller: Caller,
  company: Company,
  employee: Employee,
  form: Form,
  reason: string,
): Promise<Change> => {
  const made = { reason, by: caller.employee.id, madeAt: new Date().toISOString() }
  const { action, inout } = form
  if (action === 'add') {
    const at = await instantOf(caller.table, company, employee, form)
    return addition(caller, company, employee.id, { at, day: form.date ?? '', inout, reason })
  }
  const { punch = '' } = form
  if (dayOfPunch(punch) === undefined) throw new Problem(60004, { punch: 60004 })
  const [present, record] = await Promise.all([
    caller.table.get(correctionKey({ employee: employee.id, punch })),
    isAddedPunch(punch) ? undefined : readRecord(caller, employee, punch),
  ])
  const recordedAt = present?.recordedAt ?? record?.at
  if (!present && recordedAt === undefined) throw new Problem(60004, { punch: 60004 })
  const named = { employee: employee.id, punch, ...(recordedAt && { recordedAt }) }
  const rule = ruledBy(company, present, made.madeAt)
  const kept = present?.inout !== undefined && { inout: present.inout }
  if (action === 'update') {
    const at = await instantOf(caller.table, company, employee, form)
    const reach = [-mostMovedDays, mostMovedDays].map(days => addDays(dayOfPunch(punch) ?? '', days))
    if (!form.date || form.date < (reach[0] ?? '') || form.date > (reach[1] ?? '')) throw wrong('date')
    return { punch, present, next: { ...named, at, ...kept, ...made, ...rule } }
  }
  if (action === 'ignore') {
    // An added punch that does not count cannot be ignored.
    if (present?.state && isAddedPunch(punch) && !present.former) throw new Problem(60004, { punch: 60004 })
    const counted = present && countedVersion(present)
    const moved = counted?.at !== undefined && { at: counted.at }
    return { punch, present, next: { ...named, ...moved, ...kept, ...made, isIgnored: true, ...rule } }
  }
  if (!present || present.state === 'objected') throw new Problem(60004, { punch: 60004 })
  return { punch, present, next: restored(company, present, made) }
}

/** Throws 60092 if the rule lets managers correct nothing, and 60093 for a day before the earliest allowed day. */
export const checkRule = async (
  { table }: Caller,
  company: Company,
  { department }: Employee,
  form: Form,
): Promise<void> => {
  const { correctionRule, correctionReachDays, timezone } = company
  if (correctionRule === 'request') throw new Problem(60092)
  if (correctionReachDays === undefined) return
  const first = await firstCorrectedDay(table, { timezone, correctionReachDays }, department)
  const days = [form.date, form.punch && dayOfPunch(form.punch)]
  if (days.some(day => day && day < first))
    throw new Problem(60093, { [form.action === 'add' || form.action === 'update' ? 'date' : 'punch']: 60093 })
}

/** Throws 60061 if the correction would change a locked day. */
export const checkLock = (company: Company, rows: DayRow[], { punch, present, next }: Change): void => {
  const times = [present, next].flatMap(correction => [correction?.at, correction?.former?.at, correction?.recordedAt])
  const moments = times.flatMap(at => (at ? [Date.parse(at)] : []))
  const isReached = rows
    .filter(({ day }) => isLocked(company, day))
    .some(row => row.punches.some(({ key }) => key === punch) || moments.some(at => at <= row.closesAt))
  const days = [dayOfPunch(punch) ?? '', ...moments.map(at => localDay(company.timezone, at))]
  if (isReached || days.some(day => isLocked(company, day))) throw new Problem(60061, { date: 60061 })
}

/** Throws 60089 if another punch of the employee, counted or proposed, has the same minute. */
export const checkTwice = async (
  { table }: Pick<Caller, 'table'>,
  employee: Employee,
  { punch, next }: Pick<Change, 'punch' | 'next'>,
): Promise<void> => {
  if (next?.at === undefined || next.isIgnored) return
  const day = dayOfPunch(punch) ?? ''
  const [from, to] = [addDays(day, -2 * mostMovedDays), addDays(day, 2 * mostMovedDays)]
  const [punches, corrections] = await Promise.all([
    readPunches(table, employee, from, to),
    table.all<Correction>({ pk: correctionPk(employee.id), from, to: `${to}~` }),
  ])
  const minute = Math.floor(Date.parse(next.at) / 60_000)
  const proposed = corrections.flatMap(({ punch: key, state, at, isIgnored }) =>
    state === 'proposed' && at !== undefined && !isIgnored ? [{ key, at: Date.parse(at) }] : [],
  )
  const isTaken = [...applyCorrections(punches, corrections), ...proposed].some(
    ({ key, at }) => key !== punch && Math.floor(at / 60_000) === minute,
  )
  if (isTaken) throw new Problem(60089, { time: 60089 })
}

/** Throws 60061 for a locked day, 60089 for a second punch in one minute, and 10002 for an out before its in. */
export const checkDays = async (
  caller: Caller,
  company: Company,
  employee: Employee,
  change: Change,
): Promise<void> => {
  const { from, to } = correctedDays(change)
  checkLock(company, await rowsBetween(caller.table, employee.id, from, to), change)
  await checkTwice(caller, employee, change)
  await checkOrder(caller.table, change)
}

const judge = async (caller: Caller, form: Form, reason: string) => {
  const employee = await readEmployee(caller, form.employee)
  const company = await readCompany(caller)
  await checkRule(caller, company, employee, form)
  const change = await changeOf(caller, company, employee, form, reason)
  await checkDays(caller, company, employee, change)
  return { change, company }
}

/**
 * The writes of a correction. The save throws 60006 if another manager corrected the punch since the caller read it.
 */
export const writeOf = (
  { table }: Caller,
  { punch, present, next }: Change,
  form: Pick<Form, 'employee'>,
  version: number | undefined,
): Write => {
  if (present?.version !== version) throw new Problem(60006)
  const key = correctionKey({ employee: form.employee, punch })
  if (!next) return table.remove(key, version)
  return version === undefined ? table.insert(key, next) : table.replace(key, { ...next, version })
}

/** Saves a correction. Throws 60004, 10002, 60088, 60061, 60089, 60092, 60093 and 60006 with the field's name. */
export const correct = async (
  caller: Caller,
  form: Form & { reason?: string; version?: number | undefined },
): Promise<{ punch: string; version?: number }> => {
  const { change, company } = await judge(caller, form, form.reason ?? '')
  // A lock or another rule that was saved meanwhile makes this save fail.
  await save(writeOf(caller, change, form, form.version), caller.table.unchanged(companyKey(), company))
  return { punch: change.punch, ...(change.next && { version: (form.version ?? 0) + 1 }) }
}

/** The changed days before and after a correction. Throws the errors of `correct`. */
export const previewCorrection = async (caller: Caller, form: Form): Promise<Output<Paths['record/preview']>> => {
  const { change } = await judge(caller, form, '')
  const { walked } = await walkDays(
    caller.table,
    [{ employee: form.employee, ...correctedDays(change) }],
    supposed(change),
  )
  const changes = walked.flatMap(walk => walk.changes)
  const rows = changes.flatMap(({ before, after }) => after ?? before ?? [])
  const shifts = await readShiftsById(
    caller.table,
    rows.map(({ shift }) => shift),
  )
  return {
    days: changes
      .map(({ day, before, after }) => ({
        day,
        shift: shifts.get((after ?? before)?.shift ?? null)?.name,
        before: before ? toldOf(before) : null,
        after: after ? toldOf(after) : null,
      }))
      .filter(({ before, after }) => JSON.stringify(before) !== JSON.stringify(after))
      .sort((a, b) => a.day.localeCompare(b.day)),
  }
}
