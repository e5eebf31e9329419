import { dashboardPaths, historyDays } from '../shared/dashboard.ts'
import { deviceKey } from '../shared/device/key.ts'
import { isOnline } from '../shared/device/warning.ts'
import type { Device } from '../shared/device.ts'
import { addDays, daysBetween, localDay } from '../shared/local-day.ts'
import { type DutyCount, noSummary, type Summary } from '../shared/summary.ts'
import { readCompany } from './company/store.ts'
import { readAttention } from './dashboard/attention.ts'
import { listNow } from './dashboard/now.ts'
import { readNames } from './day/rows.ts'
import { readManagedSummaries } from './day/summary.ts'
import { countManaged } from './department/headcount.ts'
import { type Caller, manages } from './kit/caller.ts'
import { lambda } from './kit/lambda.ts'

// The specified figures come from summaries of days, so they cost as much for ten employees as for ten thousand. Who is
// in needs the rows of today.

/** A punch may have another date than its day, in another zone or at the end of a night shift. */
const reachDays = 2

/** The caller's summaries of the days around today; a day without rows gets an empty one. */
const readAround = async (caller: Caller, from: number, to: number) => {
  const { timezone } = await readCompany(caller)
  const today = localDay(timezone, Date.now())
  const days = daysBetween(addDays(today, from), addDays(today, to))
  const stored = await readManagedSummaries(caller, addDays(today, from), addDays(today, to))
  const byDay = new Map(stored.map(summary => [summary.day, summary]))
  return { today, summaries: days.map(day => byDay.get(day) ?? noSummary(day)) }
}

const readDay = async (caller: Caller, ago: number): Promise<Summary> => {
  const { today, summaries } = await readAround(caller, -ago, -ago)
  return summaries[0] ?? noSummary(addDays(today, -ago))
}

const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0)

/** The people on a shift of the previous day that is still running. A person has one shift at a time. */
const runningOf = ({ day, duties }: Summary, now: number) => {
  const running = duties.filter(({ from, to }) => from !== null && to !== null && from <= now && to > now)
  if (running.length === 0) return undefined
  const count = (name: 'active' | 'should') => sum(running.map(duty => duty[name]))
  return { day, active_num: count('active'), should_num: count('should') }
}

/** A shift without clock times begins with the day. */
const hasBegun = ({ from }: Pick<DutyCount, 'from'>) => (from ?? 0) <= Date.now()

/** A rounded percentage: 0 only if no employee is active, and 100 only if all are. */
const percentage = (active: number, should: number) =>
  active === 0 ? 0 : active >= should ? 100 : Math.round((active / should) * 100)

const fiveOf = ({ day, early, late, exception, over, absent }: Summary) => ({
  ...{ day, early, late, exception, over, absent },
})

export const handler = lambda(dashboardPaths, {
  'dashboard/today': async (_, caller) => {
    const { today, summaries } = await readAround(caller, -1, 0)
    const [before = noSummary(today), { day, active, should } = noSummary(today)] = summaries
    const running = runningOf(before, Date.now())
    return {
      ...{ day, active_num: active, should_num: should, percentage: percentage(active, should) },
      ...(running && { running }),
    }
  },

  'dashboard/today/absent': async (_, caller) => {
    const { day, duties, missing } = await readDay(caller, 0)
    const first = missing.filter(hasBegun)
    const names = await readNames(
      caller.table,
      first.map(person => ({ ...person, day })),
    )
    return {
      day,
      count: sum(duties.filter(hasBegun).map(({ missing }) => missing)),
      list: first.map(({ employee, shift }) => {
        const { first_name, last_name, workno } = names.employee(employee)
        return { employee, first_name, last_name, workno, shift: names.shift(shift)?.name ?? '' }
      }),
    }
  },

  'dashboard/yesterday': async (_, caller) => fiveOf(await readDay(caller, 1)),

  'dashboard/info': async (_, caller) => {
    const { table } = caller
    const [{ today, summaries }, employee_num, devices] = await Promise.all([
      readAround(caller, -reachDays, reachDays),
      countManaged(caller),
      table.all<Device>({ pk: deviceKey('').pk }),
    ])
    const managedDevices = devices.filter(({ department }) => manages(caller, department))
    return {
      employee_num,
      record_num: sum(summaries.map(({ records }) => records[today] ?? 0)),
      device_num: managedDevices.length,
      device_online_num: managedDevices.filter(device => isOnline(device, Date.now())).length,
    }
  },

  'dashboard/history': async (_, caller) => {
    const { summaries } = await readAround(caller, -historyDays, -1)
    return {
      list: summaries.map(summary => ({
        ...fiveOf(summary),
        ...{ should_num: summary.should, active_num: summary.active },
        workMinutes: summary.figures.workMinutes,
        overtimeMinutes: summary.figures.overtimeMinutes,
      })),
    }
  },

  'dashboard/now': listNow,
  'dashboard/attention': async (_, caller) => ({ list: await readAttention(caller) }),
})
