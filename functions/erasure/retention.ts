import { companyKey } from '../../shared/company.ts'
import { type DayRow, dayRowKey } from '../../shared/day.ts'
import {
  credentialDays,
  type Employee,
  employeeKey,
  formerEmployeeKey,
  hasLeft,
  isForgotten,
} from '../../shared/employee.ts'
import { addDays, daysBetween, laterDay, localDay } from '../../shared/local-day.ts'
import { type LockedChange, lockedChangeKey } from '../../shared/lock.ts'
import { type Punch, punchKey } from '../../shared/punch.ts'
import { assignedNumberKey, orphanKey } from '../../shared/record/orphan.ts'
import { draftedMonthKey, monthOf, scheduleKey } from '../../shared/schedule/month.ts'
import { shiftUseKey } from '../../shared/shift.ts'
import { removeCredentials } from '../credential/shred.ts'
import { removeExceptions } from '../day/exception.ts'
import { isDefined } from '../kit/defined.ts'
import { atOnce } from '../kit/each.ts'
import { endSessionsOf } from '../kit/session.ts'
import { save, type Table } from '../kit/table.ts'
import { usedIn } from '../schedule/store.ts'
import { removeAbsences } from './absence.ts'
import { eraseFromAudit } from './audit.ts'
import { removeCorrections } from './correction.ts'
import { clear } from './departure.ts'
import { removeRequests } from './request.ts'

// Retention of former employees: credentials for a month, worked days for the company's period.

const removalsAtOnce = 16
/** Schedules reach two years ahead, and a night shift ends on the next day. */
const daysAhead = 24 * 31

/** Removes the inputs first, so that a concurrent calculation finds nothing to calculate. */
export const removeFigures = async (
  table: Table,
  company: string,
  employee: Employee,
  since: string,
): Promise<void> => {
  const { id, workno, formerWorknos = [], endDay = since } = employee
  for (const number of [workno, ...formerWorknos]) {
    const punches = await table.all<Punch>({ pk: punchKey({ number, localTime: '', sn: '' }).pk })
    await atOnce(removalsAtOnce, punches, punch => save(table.remove(punchKey(punch))))
    await save(table.remove(orphanKey(number)), table.remove(assignedNumberKey(number)))
  }
  const until = addDays(laterDay(endDay, since), daysAhead)
  const months = [...new Set(daysBetween(since, until).map(monthOf))]
  const stored = (await table.getMany(months.map(month => scheduleKey(month, id)))).filter(isDefined)
  await atOnce(removalsAtOnce, stored, async item => {
    // All uses of a month may not fit into one save. Remove the month last, so that a retry finds the remaining uses.
    for (const shift of usedIn(item)) await save(table.remove(shiftUseKey(shift, item.month, id)))
    await save(table.remove(scheduleKey(item.month, id)), table.remove(draftedMonthKey(id, item.month)))
  })
  await removeRequests(table, company, id)
  await removeCorrections(table, id)
  await removeAbsences(table, id)
  const { pk } = lockedChangeKey({ employee: id, day: '', shift: null })
  const notes = await table.all<LockedChange>({ pk, prefix: `${id}#` })
  await atOnce(removalsAtOnce, notes, note => save(table.remove(lockedChangeKey(note))))
  const rows = await table.all<DayRow>({ pk: dayRowKey(id, '', null, 1).pk })
  await atOnce(removalsAtOnce, rows, row =>
    save(table.remove(dayRowKey(id, row.day, row.shift, 1)), ...removeExceptions(table, row)),
  )
}

/**
 * Removes expired data of a person whose last day is over. Reads the current end date and period each time. The
 * employee ID stays taken, which identifies no person.
 */
export const forget = async (table: Table, company: string, id: string, now: number): Promise<void> => {
  const settings = await table.get(companyKey())
  if (!settings) return
  const today = localDay(settings.timezone, now)
  const [employee, former] = await Promise.all([table.get(employeeKey(id)), table.get(formerEmployeeKey(id))])
  if (employee?.endDay && hasLeft(employee, today)) {
    await endSessionsOf(company, id)
    if (addDays(employee.endDay, credentialDays) < today) await removeCredentials({ table, company, employee: id })
  }
  if (employee || !former) return
  if (former.isLeaving) await clear({ table, company, timezone: settings.timezone }, id)
  if (!isForgotten(former, settings, today)) return
  await removeFigures(table, company, former, localDay(settings.timezone, Date.parse(settings.createdAt)))
  await eraseFromAudit(company, id)
  await save(table.remove(formerEmployeeKey(id)))
}
