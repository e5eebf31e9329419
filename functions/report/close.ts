import type { PathInput, PathOutput } from '../../shared/api.ts'
import { companyKey } from '../../shared/company.ts'
import { type DayRow, dayRowKey } from '../../shared/day.ts'
import { deviceKey } from '../../shared/device/key.ts'
import type { Device } from '../../shared/device.ts'
import { Problem } from '../../shared/errors.ts'
import { exceptionPk, type RaisedException } from '../../shared/exception.ts'
import { figuresOf } from '../../shared/figure.ts'
import { addDays, earlierDay, laterDay, localDay } from '../../shared/local-day.ts'
import { fullName } from '../../shared/person-name.ts'
import { answerableCorrectionPk, awaitsAnswer, type Correction, dayOfPunch } from '../../shared/record/correction.ts'
import { type Orphan, orphanKey } from '../../shared/record/orphan.ts'
import { type ClosedPeriod, closedPeriodKey, mostChecked, mostNamed } from '../../shared/report/close.ts'
import { momentOf, mostLeaveDays, type Request, requestListPk, requestStatus } from '../../shared/request.ts'
import { zoneOn } from '../../shared/rule.ts'
import type { Summary } from '../../shared/summary.ts'
import type { Key } from '../../shared/table.ts'
import { calculatingKinds, type OpenTask, openTaskKey } from '../../shared/task.ts'
import { readApprover, sees } from '../approve/approver.ts'
import { readCompany } from '../company/store.ts'
import { settledTo } from '../day/lock.ts'
import { checkRange } from '../day/rows.ts'
import { readManagedSummaries } from '../day/summary.ts'
import { knownHeadcount } from '../department/headcount.ts'
import { findEmployees, readNamesFor } from '../employee/store.ts'
import { type Caller, manages } from '../kit/caller.ts'
import { type Item, save } from '../kit/table.ts'
import { newTask } from '../kit/task.ts'
import { keepBalances } from '../leave/account-store.ts'
import { seesOrphans } from '../record/orphan.ts'
import { checkColumns } from './columns.ts'
import { readLeftOut } from './left-out.ts'
import { mostPdfRows } from './pdf.ts'
import { checkSize } from './read.ts'
import { listTemplates, readTemplate } from './template.ts'

// Closes pay periods. The checklist shows what is still open; closing locks the days and exports them in one step.

type Range = Pick<ClosedPeriod, 'from' | 'to'>

/**
 * The open exceptions of the days that closing a period locks, also of earlier days. Their minutes are those that the
 * report calls unresolved, so that the checklist agrees with the totals. `ownMinutes` are those of the period's own days.
 */
const countExceptions = async (caller: Caller, { from, to }: Range, lockedTo: string | undefined) => {
  const first = lockedTo === undefined ? undefined : earlierDay(from, addDays(lockedTo, 1))
  const range = { pk: exceptionPk('open'), ...(first !== undefined && { from: first }), to: `${to}#~` }
  let [count, firstDay] = [0, to]
  const keys = new Map<string, Key<DayRow>>()
  for await (const { employee, department, day, shift } of caller.table.each<RaisedException>(range)) {
    if (!manages(caller, department)) continue
    count++
    firstDay = earlierDay(firstDay, day)
    keys.set(`${employee} ${day} ${shift}`, dayRowKey(employee, day, shift, 1))
    if (count === mostChecked) break
  }
  const rows = await caller.table.getMany([...keys.values()])
  const unresolved = (row: DayRow | undefined) => (row ? figuresOf(row).unresolvedMinutes : 0)
  const minutes = rows.reduce((sum, row) => sum + unresolved(row), 0)
  const ownMinutes = rows.reduce((sum, row) => sum + (row && row.day >= from ? unresolved(row) : 0), 0)
  return { found: { count, minutes, ...(count > 0 && { firstDay }) }, ownMinutes }
}

/** The unresolved minutes of the period that no open exception holds back: mostly of reviewed exceptions. */
const reviewedMinutesOf = (days: Summary[], ownMinutes: number): number =>
  Math.max(0, days.reduce((sum, { figures }) => sum + figures.unresolvedMinutes, 0) - ownMinutes)

/** The corrections that employees may still answer, of the days that closing a period locks. */
const readCorrections = async (caller: Caller, { from, to }: Range, lockedTo: string | undefined) => {
  const corrections = await caller.table.all<Correction>({
    ...{ index: 'byDay', pk: answerableCorrectionPk, to: `${to}#~` },
    ...(lockedTo !== undefined && { from: earlierDay(from, addDays(lockedTo, 1)) }),
  })
  const now = new Date().toISOString()
  const awaited = corrections.filter(correction => awaitsAnswer(correction, now))
  const people = await findEmployees(
    caller.table,
    awaited.map(({ employee }) => employee),
  )
  const names = new Map(people.filter(person => manages(caller, person.department)).map(one => [one.id, fullName(one)]))
  const mine = awaited.filter(({ employee }) => names.has(employee))
  return {
    count: mine.length,
    list: mine.slice(0, mostNamed).map(({ employee, punch, state, objectBy }) => ({
      ...{ employee, name: names.get(employee) ?? '', day: dayOfPunch(punch) ?? '' },
      ...(!state && { objectBy }),
    })),
  }
}

/** The pending requests with a day in the period, of employees whose requests the caller sees. */
const countRequests = async (caller: Caller, { from, to }: Range, today: string): Promise<number> => {
  const approver = await readApprover(caller, today)
  const requests = await caller.table.all<Request>({
    ...{ index: 'byDay', pk: requestListPk(requestStatus.pending) },
    ...{ from, to: `${addDays(to, mostLeaveDays)}~` },
    where: [['day', 'below', addDays(to, 1)]],
  })
  const people = await findEmployees(caller.table, [...new Set(requests.map(({ employee }) => employee))])
  const mine = new Set(people.filter(person => sees(approver, person)).map(({ id }) => id))
  return Math.min(mostChecked, requests.filter(({ employee }) => mine.has(employee)).length)
}

export const checkPeriod = async (
  caller: Caller,
  { from, to, template }: PathInput<'report/close/check'>,
): Promise<PathOutput<'report/close/check'>> => {
  checkRange(from, to, 'to')
  const { table } = caller
  const form = template === undefined ? undefined : await readTemplate(table, template)
  const company = await readCompany(caller)
  const { lockedTo } = company
  const end = momentOf(zoneOn(company, to), addDays(to, 1), '00:00') ?? Date.now()
  const begin = momentOf(zoneOn(company, from), from, '00:00') ?? 0
  const [{ found, ownMinutes }, corrections, requests, devices, orphans, settled, days] = await Promise.all([
    countExceptions(caller, { from, to }, lockedTo),
    readCorrections(caller, { from, to }, lockedTo),
    countRequests(caller, { from, to }, localDay(company.timezone, Date.now())),
    table.all<Device>({ pk: deviceKey('').pk, only: ['serialNumber', 'name', 'department', 'uploadedAt'] }),
    seesOrphans(caller) ? table.all<Orphan>({ pk: orphanKey('').pk }) : [],
    settledTo(caller, company, lockedTo),
    readManagedSummaries(caller, from, to),
  ])
  const leftOut = form && (await readLeftOut(caller, form, { from, to }, days))
  const isFinal = (lockedTo !== undefined && to <= lockedTo) || to <= settled
  return {
    exceptions: { ...found, reviewedMinutes: reviewedMinutesOf(days, ownMinutes) },
    corrections,
    requests,
    terminals: devices
      .filter(
        ({ department, uploadedAt }) => manages(caller, department) && !(uploadedAt && Date.parse(uploadedAt) >= end),
      )
      .map(({ serialNumber, name, uploadedAt }) => ({ serialNumber, name, ...(uploadedAt && { uploadedAt }) })),
    unknownNumbers: orphans.filter(({ lastAt }) => Date.parse(lastAt) >= begin).length,
    ...(!isFinal && { unfinishedFrom: laterDay(from, addDays(settled, 1)) }),
    ...(lockedTo !== undefined && { lockedTo }),
    ...(leftOut && { leftOut }),
  }
}

/** Throws 60070 if the file would have more rows than an export can write, because nobody can export the days otherwise. */
const checkFile = async (
  caller: Caller,
  filters: Range,
  type: PathInput<'report/close/add'>['type'],
): Promise<void> => {
  await checkSize({ viewer: caller, filters })
  const people = await knownHeadcount({ table: caller.table, departments: undefined })
  if (type === 'pdf' && (people ?? 0) > mostPdfRows) throw new Problem(60070, { type: 60070 })
}

/** Throws 60061 if a closed period ends on this day and no administrator has unlocked it since. */
const checkClosed = async ({ table }: Caller, to: string, lockedTo: string | undefined): Promise<void> => {
  const closed = await table.get(closedPeriodKey(to))
  if (closed && !closed.reopenedAt && lockedTo !== undefined && to <= lockedTo) throw new Problem(60061, { to: 60061 })
}

/** Throws 60061, 60064, 60065, 60070 and 60105 as the path describes, and 60006 after a concurrent change of the company. */
export const closePeriod = async (
  caller: Caller,
  { from, to, openExceptions, type, columns, template }: PathInput<'report/close/add'>,
): Promise<PathOutput<'report/close/add'>> => {
  checkRange(from, to, 'to')
  await checkColumns(caller.table, { view: 'summary', columns })
  if (template !== undefined) await readTemplate(caller.table, template)
  await checkFile(caller, { from, to }, template === undefined ? type : 'csv')
  const { table } = caller
  const { version, lockedTo: before, ...settings } = await readCompany(caller)
  await checkClosed(caller, to, before)
  const isLocked = before !== undefined && to <= before
  if (!isLocked && to > (await settledTo(caller, settings, before))) throw new Problem(60064, { to: 60064 })
  const tasks = await table.all<OpenTask>({ pk: openTaskKey('').pk, only: ['kind', 'expiresAt'] })
  if (tasks.some(({ kind }) => calculatingKinds.has(kind))) throw new Problem(60065)
  const { count, minutes } = (await countExceptions(caller, { from, to }, before)).found
  if (count > 0 && count !== openExceptions) throw new Problem(60105, { openExceptions: 60105 })

  const [at, by, lockedTo] = [new Date().toISOString(), caller.employee.id, isLocked ? before : to]
  const { task, writes } = newTask(caller, 'report/export', {
    ...{ type, view: 'summary', filters: { from, to } },
    ...(columns && { columns }),
    ...(template && { template }),
  })
  await save(
    // Replace the company even without a new lock, so that a concurrent unlock of these days fails.
    table.replace(companyKey(), { ...settings, lockedTo, lockedBy: by, lockedAt: at, version }),
    table.put(closedPeriodKey(to), {
      ...{ from, to, by, at, type, openExceptions: count, openMinutes: minutes },
      ...(columns && { columns }),
      ...(template && { template }),
    }),
    ...writes,
  )
  if (!isLocked) await keepBalances(table, { ...settings, lockedTo: to }, before)
  return { task, lockedTo }
}

/**
 * Marks the closed periods with a day after the new lock as reopened. Otherwise closing a later period would show them
 * as closed with their former file.
 */
export const markReopened = async ({ table }: Pick<Caller, 'table'>, lockedTo: string | null): Promise<void> => {
  const reopenedAt = new Date().toISOString()
  const periods = await table.all<Item<ClosedPeriod>>({
    pk: closedPeriodKey('').pk,
    ...(lockedTo !== null && { from: addDays(lockedTo, 1) }),
  })
  for (const period of periods)
    if (!period.reopenedAt) await save(table.replace(closedPeriodKey(period.to), { ...period, reopenedAt }))
}

export const listPeriods = async (
  caller: Caller,
  { size, page }: PathInput<'report/close/grid'>,
): Promise<PathOutput<'report/close/grid'>> => {
  const { table } = caller
  const [{ lockedTo = '' }, periods] = await Promise.all([
    readCompany(caller),
    table.all<ClosedPeriod>({ pk: closedPeriodKey('').pk, reverse: true }),
  ])
  const all = periods.map(period => ({ ...period, id: period.to }))
  const { list, next } = await table.slice(all, { name: 'report/close', size, page })
  const [names, templates] = await Promise.all([
    readNamesFor(
      caller,
      list.map(({ by }) => by),
    ),
    listTemplates(table),
  ])
  const ids = new Set(templates.map(({ id }) => id))
  return {
    list: list.map(({ from, to, by, at, type, columns, template, openExceptions, openMinutes, reopenedAt }) => ({
      ...{ from, to, at, type, columns },
      ...{ isReopened: reopenedAt !== undefined || to > lockedTo, isLocked: to <= lockedTo },
      ...(template && ids.has(template) && { template }),
      // The numbers are those of the whole company.
      ...(!caller.departments && { openExceptions, openMinutes }),
      ...(names.has(by) && { by: names.get(by) }),
    })),
    ...(next && { next }),
  }
}
