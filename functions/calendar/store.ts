import { isEmployedOn } from '../../shared/attendance/employment.ts'
import { dutyInterval } from '../../shared/attendance/shift.ts'
import type { Company } from '../../shared/company.ts'
import type { Employee } from '../../shared/employee.ts'
import { addDays, daysBetween, localDay } from '../../shared/local-day.ts'
import { calendarDays, calendarKey, calendarPath, calendarPointerKey } from '../../shared/personal/calendar.ts'
import type { LeaveRequest } from '../../shared/request.ts'
import { isAway } from '../../shared/schedule/leave.ts'
import { monthOf, scheduleKey } from '../../shared/schedule/month.ts'
import { shiftKey, shiftVersionKey } from '../../shared/shift.ts'
import { readZones } from '../department/zone.ts'
import { isDefined } from '../kit/defined.ts'
import { environment } from '../kit/environment.ts'
import { hashSecret, newSecret } from '../kit/id.ts'
import { again } from '../kit/table/change.ts'
import { directory, save, type Table, type Write } from '../kit/table.ts'
import { leaveOfPerson } from '../request/leave-range.ts'
import type { CalendarEvent } from './ics.ts'

// The calendar of a person: its secret address and its published shifts.

/** Creates the address of a person's calendar, and stops an earlier one in the same save. */
export const renewCalendar = (table: Table, company: string, employee: string): Promise<string> =>
  again(async () => {
    const secret = newSecret()
    const [key, hash] = [calendarKey(employee), hashSecret(secret)]
    const before = await table.get(key)
    const next = { hash, createdAt: new Date().toISOString() }
    await save(
      before ? table.replace(key, { ...next, version: before.version }) : table.insert(key, next),
      directory().insert(calendarPointerKey(hash), { company, employee }),
      ...(before ? [directory().remove(calendarPointerKey(before.hash))] : []),
    )
    return `${environment('SITE')}${calendarPath}?key=${secret}`
  })

/** The writes that stop the address of a person's calendar. */
export const stopCalendar = async (table: Table, employee: string): Promise<Write[]> => {
  const address = await table.get(calendarKey(employee))
  return address
    ? [table.remove(calendarKey(employee), address.version), directory().remove(calendarPointerKey(address.hash))]
    : []
}

/** The published shifts of a person around today, without the days of approved leave. */
export const readEvents = async (
  table: Table,
  company: Company,
  person: Employee,
  now: number,
): Promise<CalendarEvent[]> => {
  const today = localDay(company.timezone, now)
  const days = daysBetween(addDays(today, -calendarDays.back), addDays(today, calendarDays.ahead))
  const keys = [...new Set(days.map(monthOf))].map(month => scheduleKey(month, person.id))
  const [stored, zoneOf, approved] = await Promise.all([
    table.getMany(keys),
    readZones(table, company),
    table.all<LeaveRequest>(leaveOfPerson(person.id, days[0] ?? today, days.at(-1) ?? today)),
  ])
  const months = new Map(stored.filter(isDefined).map(month => [month.month, month]))
  const leaves = approved.map(({ day, toDay, from }) => ({ status: 1 as const, date: day, toDate: toDay, from }))
  const ids = [...new Set([...months.values()].flatMap(({ days }) => Object.values(days).flat()))]
  const shifts = new Map((await table.getMany(ids.map(shiftKey))).filter(isDefined).map(shift => [shift.id, shift]))
  const versions = await table.getMany([...shifts.values()].map(({ id, version }) => shiftVersionKey(id, version)))
  const shiftChangedAt = new Map(versions.filter(isDefined).map(({ id, at }) => [id, at]))
  return days
    .filter(day => isEmployedOn(person, day) && !isAway(leaves, day))
    .flatMap(day =>
      (months.get(monthOf(day))?.days[day] ?? []).flatMap(id => {
        const shift = shifts.get(id)
        if (!shift) return []
        const [from, to] = dutyInterval(zoneOf?.(person.department, day) ?? company.timezone, day, shift)
        const changedAt = [months.get(monthOf(day))?.changedAt, shiftChangedAt.get(id)].filter(isDefined).sort().at(-1)
        return {
          uid: `${person.id}-${day}-${id}@attendance`,
          // Both versions only grow, so an entry with another time also has another number.
          sequence: (months.get(monthOf(day))?.version ?? 0) + shift.version,
          ...(changedAt !== undefined && { changedAt: Date.parse(changedAt) }),
          title: shift.name,
          time: shift.kind === 'weekly' ? { day, nextDay: addDays(day, 1) } : { from, to },
        }
      }),
    )
}
