import { dashboardPaths } from '../shared/dashboard.ts'
import type { DayRow } from '../shared/day.ts'
import { type Device, deviceKey, isOnline } from '../shared/device.ts'
import { addDays, localDay } from '../shared/local-day.ts'
import { type Caller, manages } from './kit/caller.ts'
import { readCompany } from './kit/company.ts'
import { readNames, rowsOfDay } from './kit/day-rows.ts'
import { countManaged } from './kit/headcount.ts'
import { lambda } from './kit/lambda.ts'

const rowsOf = async (caller: Caller, daysAgo: number) => {
  const company = await readCompany(caller)
  const day = addDays(localDay(company.timezone, Date.now()), -daysAgo)
  return { day, rows: await rowsOfDay(caller, company, day) }
}

/** Scheduled, not on leave all day, not on a holiday. */
const isExpected = ({ kind, shift }: DayRow) => shift !== null && (kind === 'work' || kind === 'flexible')
const isPresent = ({ firstIn, lastOut }: DayRow) => firstIn !== null || lastOut !== null

const employeesWith = (rows: DayRow[], has: (row: DayRow) => boolean) =>
  new Set(rows.filter(has).map(({ employee }) => employee))

/**
 * Who should be at work today: the shifts of today, and yesterday's night shifts until their duty ends. Who is at work on one
 * of them is present, whatever else the person is scheduled for later.
 */
const readToday = async (caller: Caller) => {
  const [today, yesterday] = await Promise.all([rowsOf(caller, 0), rowsOf(caller, 1)])
  const now = Date.now()
  const running = yesterday.rows.filter(({ dutyTo }) => dutyTo !== null && dutyTo > now)
  const expected = [...running, ...today.rows].filter(isExpected)
  return { day: today.day, expected, present: employeesWith(expected, isPresent) }
}

/** Nobody active is 0, everybody is 100. */
const percentage = (active: number, should: number) =>
  active === 0 ? 0 : active >= should ? 100 : Math.round((active / should) * 100)

export const handler = lambda(dashboardPaths, {
  'dashboard/today': async (_, caller) => {
    const { day, expected, present } = await readToday(caller)
    const should_num = employeesWith(expected, () => true).size
    return { day, active_num: present.size, should_num, percentage: percentage(present.size, should_num) }
  },

  'dashboard/today/absent': async (_, caller) => {
    const { expected, present } = await readToday(caller)
    const now = Date.now()
    const missing = new Map(
      expected
        .filter(({ employee, dutyFrom }) => !present.has(employee) && (dutyFrom ?? 0) <= now)
        .map(row => [row.employee, row]),
    )
    const first = [...missing.values()].slice(0, 50)
    const names = await readNames(caller.table, first)
    return {
      count: missing.size,
      list: first.map(({ employee, shift }) => {
        const { first_name, last_name, workno } = names.employee(employee)
        return { first_name, last_name, workno, shift: names.shift(shift)?.name ?? '' }
      }),
    }
  },

  'dashboard/yesterday': async (_, caller) => {
    const { day, rows } = await rowsOf(caller, 1)
    return {
      day,
      early: employeesWith(rows, row => row.earlyLeaveMinutes > 0).size,
      late: employeesWith(rows, row => row.lateMinutes > 0).size,
      exception: employeesWith(rows, row => row.exceptions.length > 0).size,
      over: employeesWith(rows, row => row.overtimeMinutes > 0).size,
      absent: employeesWith(rows, row => row.absentMinutes > 0).size,
    }
  },

  'dashboard/info': async (_, caller) => {
    const { table } = caller
    const [{ rows }, employee_num, devices] = await Promise.all([
      rowsOf(caller, 0),
      countManaged(caller),
      table.all<Device>({ pk: deviceKey('').pk }),
    ])
    const mine = devices.filter(({ department }) => manages(caller, department))
    return {
      employee_num,
      record_num: new Set(rows.flatMap(({ punches }) => punches.map(({ key }) => key))).size,
      device_num: mine.length,
      device_online_num: mine.filter(device => isOnline(device, Date.now())).length,
    }
  },
})
