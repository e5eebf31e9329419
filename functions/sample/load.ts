import { dayNumber, weekday } from '../../shared/attendance/calendar.ts'
import { dutyInterval } from '../../shared/attendance/shift.ts'
import { departmentKey } from '../../shared/department.ts'
import { employeeKey } from '../../shared/employee.ts'
import { Problem } from '../../shared/errors.ts'
import { addDays, daysBetween, localDay } from '../../shared/local-day.ts'
import { roles } from '../../shared/permissions.ts'
import { type Punch, punchKey, sampleSn } from '../../shared/punch.ts'
import { type LeaveRequest, requestKey, requestStatus, requestTypes } from '../../shared/request.ts'
import { type Sample, type SamplePerson, sampleKey } from '../../shared/sample.ts'
import { type Shift, shiftKey } from '../../shared/shift.ts'
import { localTimeAt } from '../../shared/terminal/clock.ts'
import { readCompany } from '../company/store.ts'
import { addDepartment } from '../department/store.ts'
import { named } from '../employee/reading.ts'
import { addEmployee } from '../employee/store.ts'
import { change } from '../kit/table/change.ts'
import { type Item, save, type Table } from '../kit/table.ts'
import type { Work } from '../kit/task.ts'
import { countLeave } from '../personal/request.ts'
import { addRequest } from '../request/store.ts'
import { readMonths, saveMonths, setDay } from '../schedule/store.ts'
import { addShift } from '../shift/add.ts'

// Loads sample data with the writes of the paths. Each part skips the items that an earlier run has written.

const minute = 60_000
const punchesAtOnce = 25
/** Sample requests look this old, because nobody gets a notice or a mail about events of that age. */
const askedDaysAgo = 4

const shiftOf = ({ id, name, onDuty, offDuty }: Sample['shifts'][number]): Shift => ({
  ...{ id, name, onDuty, offDuty, color: onDuty < '08:00' ? 'amber' : 'teal' },
  ...{ punchStart: onDuty < '08:00' ? '04:00' : '06:30', punchEnd: onDuty < '08:00' ? '18:00' : '22:00' },
  ...{ allowedLateMinutes: 5, allowedEarlyMinutes: 5, noClockOut: 0, raisesException: true },
  earlyInOvertime: { counts: false, afterMinutes: 0 },
  lateOutOvertime: { counts: true, afterMinutes: 15 },
  breaks: [
    onDuty < '08:00'
      ? { start: '09:30', end: '11:00', durationMinutes: 30, thresholdMinutes: 240 }
      : { start: '12:00', end: '14:00', durationMinutes: 30, thresholdMinutes: 240 },
  ],
})

const loadFrame = async (table: Table, sample: Sample): Promise<void> => {
  for (const department of sample.departments) {
    if (await table.get(departmentKey(department.id))) continue
    await save(...addDepartment(table, department))
  }
  for (const one of sample.shifts) {
    if (await table.get(shiftKey(one.id))) continue
    await save(...addShift(table, shiftOf(one), { by: sample.by, at: sample.at }))
  }
}

/** The days on which a sample person works: Monday to Friday. */
export const plannedDays = ({ from, to }: Pick<Sample, 'from' | 'to'>): string[] =>
  daysBetween(from, to).filter(day => [1, 2, 3, 4, 5].includes(weekday(dayNumber(day))))

/** The task's work with the company's time zone, and the local day on which the task began. */
interface Loading extends Work<'company/sample/load'> {
  timezone: string
  today: string
}

const loadPerson = async (table: Table, sample: Sample, person: SamplePerson): Promise<void> => {
  if (await table.get(employeeKey(person.id))) return
  const { shift, ...rest } = person
  const employee = await named({ ...rest, hireDay: sample.from, role: roles.employee }, await readCompany({ table }))
  const days = plannedDays(sample)
  const months = (await readMonths(table, [person.id], days)).get(person.id) ?? new Map()
  for (const day of days) setDay(months, day, [shift])
  await saveMonths(table, person.id, months, () => addEmployee(table, employee))
}

/** A number from 0 to 1 that follows from a person's place and a day's place, so that every run gives the same. */
const lot = (place: number, day: number, of: number): number =>
  ((((place + 3) * 7919 + (day + 5) * 104_729 + of * 1_299_709) >>> 0) % 1000) / 1000

/** The times of a day's punches: mostly on time, sometimes late, rarely without a clock-out. */
const timesOf = ([on, off]: readonly [number, number], place: number, day: number, isRecent: boolean): number[] => {
  const late = lot(place, day, 1) < 0.1 ? 8 + lot(place, day, 2) * 30 : -10 + lot(place, day, 2) * 13
  const longer = lot(place, day, 3) < 0.12 ? 25 + lot(place, day, 4) * 60 : lot(place, day, 4) * 9
  const times = [on + late * minute, off + longer * minute]
  // A missing clock-out of the last days would notify people.
  return !isRecent && lot(place, day, 5) < 0.03 ? times.slice(0, 1) : times
}

const loadPunches = async (
  { table, timezone: zone }: Loading,
  sample: Sample,
  place: number,
  away: readonly string[],
): Promise<void> => {
  const person = sample.people[place]
  const frame = sample.shifts.find(({ id }) => id === person?.shift)
  if (!person || !frame) return
  const now = Date.now()
  const recent = addDays(localDay(zone, now), -askedDaysAgo)
  const shift = shiftOf(frame)
  const punches = plannedDays(sample).flatMap((day, i) =>
    away.includes(day)
      ? []
      : timesOf(dutyInterval(zone, day, shift), place, i, day >= recent)
          .map(at => Math.floor(at / 1000) * 1000)
          .filter(at => at < now)
          .map(
            (at): Punch => ({
              ...{ number: person.workno, sn: sampleSn, zone, generation: 0 },
              ...{ at: new Date(at).toISOString(), localTime: localTimeAt(zone, at) },
              ...{ source: 'sendlog', mode: 8, inout: 0, receivedAt: new Date(now).toISOString() },
            }),
          ),
  )
  for (let i = 0; i < punches.length; i += punchesAtOnce)
    await save(...punches.slice(i, i + punchesAtOnce).map(punch => table.put(punchKey(punch), punch)))
}

/** The leave of sample people by their place in `people`. `from` counts days from today. */
const leaves = [
  { place: 2, from: -1, days: 4, isApproved: true },
  { place: 5, from: 6, days: 5, isApproved: true },
  { place: 7, from: 4, days: 3, isApproved: false },
  { place: 10, from: 11, days: 5, isApproved: false },
] as const

/** The first and the last day of a leave; undefined if the leave begins before the sample days. */
const leaveDays = (
  { from, days }: (typeof leaves)[number],
  sample: Sample,
  today: string,
): [day: string, toDay: string] | undefined => {
  const day = addDays(today, from)
  return day < sample.from ? undefined : [day, addDays(day, days - 1)]
}

const annualLeave = 3

/** The id of a sample request follows from its person. A sample person has at most one. */
export const sampleRequest = (id: string, toDay: string) => `${toDay}-${id}`

const loadLeave = async (
  { table, company, timezone, today }: Loading,
  sample: Sample,
  leave: (typeof leaves)[number],
): Promise<void> => {
  const days = leaveDays(leave, sample, today)
  if (!days) return
  const [day, toDay] = days
  const employee = await table.get(employeeKey(sample.people[leave.place]?.id ?? ''))
  if (!employee) throw new Problem(60004)
  const id = sampleRequest(employee.id, toDay)
  if (await table.get(requestKey({ employee: employee.id, id }))) return
  const at = new Date(Date.parse(sample.at) - askedDaysAgo * 24 * 60 * minute).toISOString()
  const draft: LeaveRequest = {
    ...{ id, employee: employee.id, type: requestTypes.leave, leaveType: annualLeave, day, toDay },
    ...{ zone: timezone, createdAt: at, total: { days: 0, minutes: 0 } },
    status: leave.isApproved ? requestStatus.approved : requestStatus.pending,
    steps: leave.isApproved ? [{ status: requestStatus.approved, by: sample.by, at }] : [],
  }
  const own = { table, company, employee }
  await addRequest(
    table,
    employee.id,
    () => draft,
    (request, around) => countLeave(own, request, around),
  )
}

export const loadSample = async (work: Work<'company/sample/load'>, sample: Item<Sample>): Promise<void> => {
  const { table, tell, pause } = work
  const { timezone } = await readCompany({ table })
  const today = localDay(timezone, Date.parse(sample.at))
  const loading: Loading = { ...work, timezone, today }
  const total = 2 * sample.people.length + leaves.length
  let done = 0
  await tell('write', done, total)
  await loadFrame(table, sample)
  for (const person of sample.people) {
    await loadPerson(table, sample, person)
    await tell('write', ++done, total)
    pause()
  }
  for (const leave of leaves) {
    await loadLeave(loading, sample, leave)
    await tell('write', ++done, total)
  }
  for (const place of sample.people.keys()) {
    const away = leaves
      .filter(leave => leave.place === place && leave.isApproved)
      .flatMap(leave => {
        const days = leaveDays(leave, sample, today)
        return days ? daysBetween(...days) : []
      })
    await loadPunches(loading, sample, place, away)
    await tell('write', ++done, total)
    pause()
  }
  await change(table, sampleKey(), current => ({ ...current, state: 'loaded' as const }))
}
