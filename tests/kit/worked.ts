import { dayNumber } from '../../shared/attendance/calendar.ts'
import { wallMinutes } from '../../shared/attendance/wall-time.ts'
import { instantOf } from '../../shared/attendance/zone.ts'
import { type Company, companyKey } from '../../shared/company.ts'
import { type DayRow, dayRowKey } from '../../shared/day.ts'
import { employeeKey, worknoKey } from '../../shared/employee.ts'
import type { Fact } from '../../shared/fact.ts'
import { addDays, localDay } from '../../shared/local-day.ts'
import type { KeptPreview, Recalculated } from '../../shared/preview.ts'
import { type Punch, punchKey } from '../../shared/punch.ts'
import { monthOf, scheduleKey } from '../../shared/schedule/month.ts'
import { type Shift, shiftKey, shiftUseKey } from '../../shared/shift.ts'
import { openWorld } from './world.ts'

// A company with schedules and punches in a real table. The test calls each function itself, and no other function
// runs.

export const zone = 'Europe/Athens'
export const today = localDay(zone, Date.now())
export const dayAt = (offset: number): string => addDays(today, offset)
export const departments = ['d'.repeat(16), 'n'.repeat(16)] as const
export const idOf = (n: number): string => `e${String(n).padStart(15, '0')}`

export const fixedShift = (id: string, changes: Partial<Shift> = {}): Shift => ({
  ...{ id, name: `Shift ${id}`, color: 'teal', kind: 'fixed' },
  ...{ onDuty: '09:00', offDuty: '18:00', punchStart: '07:00', punchEnd: '23:00' },
  ...{ allowedLateMinutes: 5, allowedEarlyMinutes: 5, noClockOut: 0 },
  earlyInOvertime: { counts: false, afterMinutes: 0 },
  lateOutOvertime: { counts: false, afterMinutes: 0 },
  breaks: [{ start: '12:00', end: '13:00', durationMinutes: 60, thresholdMinutes: 0 }],
  ...changes,
})

export const weeklyShift = (id: string, targetMinutes: number): Shift => ({
  ...fixedShift(id, { onDuty: '00:00', offDuty: '00:00', punchStart: '00:00', punchEnd: '00:00', breaks: [] }),
  kind: 'weekly',
  weekly: { targetMinutes, breakMinutes: 60, breakThresholdMinutes: 360, overtimeCounts: true },
})

export const openWorked = async () => {
  const world = await openWorld()
  Object.assign(process.env, world.environment)
  const heard: Fact[] = []
  const collect = async ({ Records }: { Records: { body: string }[] }) => {
    heard.push(...Records.map(({ body }) => (JSON.parse(body) as { detail: Fact }).detail))
    return { batchItemFailures: [] }
  }
  world.bus.start({
    recalculate: collect as never,
    perform: collect as never,
    sheet: collect as never,
    refresh: collect as never,
  })
  const { openTable, save } = await import('../../functions/kit/table.ts')
  const days = {
    ...(await import('../../functions/day/calculate.ts')),
    ...(await import('../../functions/day/walk.ts')),
  }
  const { recalculateDays } = await import('../../functions/day/recalculation.ts')
  const { previewDays } = await import('../../functions/day/preview.ts')

  /** A new company, so that tests do not affect each other. */
  const found = async (people: number, changes: Partial<Company> = {}) => {
    const company = `c${Math.random().toString(36).slice(2).padEnd(15, '0').slice(0, 15)}`
    const table = openTable(company)
    await save(
      table.insert(companyKey(), {
        ...{ id: company, name: 'Worked', company_num: '1', timezone: zone, dateformat_id: 3, timeformat_id: 2 },
        ...{ timeUnit: [0, 0, 0, 0, 0], createdAt: '2026-01-01T00:00:00Z', ...changes },
      }),
    )
    const addEmployee = (n: number) =>
      save(
        table.insert(employeeKey(idOf(n)), {
          ...{ id: idOf(n), first_name: 'E', last_name: String(n), workno: String(100 + n), role: 3 },
          department: departments[n % 2] ?? '',
        }),
        table.insert(worknoKey(String(100 + n)), { employee: idOf(n) }),
      )
    await Promise.all(Array.from({ length: people }, (_, n) => addEmployee(n)))
    /** The `work` object of a task’s run, with its memory and its progress. */
    const work = (memory: Record<string, unknown> = {}) => {
      const progress: [step: string, done: number, total: number][] = []
      return {
        ...{ company, task: 't'.repeat(16), kind: 'shift/update' as const, by: idOf(0), memory, said: progress },
        asker: { departments: undefined as ReadonlySet<string> | undefined },
        async remember(more: Record<string, unknown>) {
          Object.assign(memory, structuredClone(more))
        },
        async tell(...[step, done, total]: (typeof progress)[number]) {
          progress.push([step, done, total])
        },
        pause() {},
      }
    }
    return {
      ...{ company, table, work },
      keep: (shift: Shift) => save(table.put(shiftKey(shift.id), shift)),
      /** Puts shifts on an employee’s days, as in the schedule. */
      async schedule(employee: string, byDay: Record<string, string[]>) {
        for (const [month, entries] of Map.groupBy(Object.entries(byDay), ([day]) => monthOf(day))) {
          await save(
            table.put(scheduleKey(month, employee), { employee, month, days: Object.fromEntries(entries) }),
            ...[...new Set(entries.flatMap(([, shifts]) => shifts))].map(shift =>
              table.put(shiftUseKey(shift, month, employee), { month, employee }),
            ),
          )
        }
      },
      /** `HH:MM` on a day, by the company’s clock. */
      async punch(n: number, day: string, ...times: string[]) {
        for (const time of times) {
          const localTime = `${day}T${time}:00`
          const at = new Date(instantOf(zone, dayNumber(day) * 1440 + wallMinutes(time)) * 60_000).toISOString()
          const item: Punch = {
            ...{ number: String(100 + n), sn: 'T1', at, localTime, zone },
            ...{ source: 'sendlog', receivedAt: `${day}T00:00:00Z`, generation: 1 },
          }
          await save(table.put(punchKey(item), item))
        }
      },
      rows: (n: number) => table.all<DayRow>({ pk: dayRowKey(idOf(n), '', null, 1).pk }),
      recalculate: (spans: Parameters<typeof recalculateDays>[1], by = work()): Promise<Recalculated> =>
        recalculateDays(by, spans),
      preview: (...[spans, supposed, by = work()]: [...Parameters2, ReturnType<typeof work>?]): Promise<KeptPreview> =>
        previewDays(by as never, spans, supposed),
    }
  }
  type Parameters2 = [Parameters<typeof previewDays>[1], Parameters<typeof previewDays>[2]]
  return { world, heard, found, days, save }
}
export type Worked = Awaited<ReturnType<Awaited<ReturnType<typeof openWorked>>['found']>>
