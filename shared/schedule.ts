import * as z from 'zod'
import type { Audited, Change } from './change.ts'
import { type Declarations, day, done, gridInput, gridOutput, id } from './contract.ts'
import type { Key } from './table.ts'

/**
 * One employee's shifts of one month. A month is one item, because a board reads and a painting hand writes whole months:
 * 500 people × 31 days are 500 items, not 15,500.
 */
export interface ScheduleMonth {
  employee: string
  /** `YYYY-MM` */
  month: string
  /** Shift ids by day; a day without shifts has no entry. */
  days: Record<string, string[]>
}

export const monthOf = (day: string) => day.slice(0, 7)
/** Of a person's schedule is told which days hold other shifts; the person is who it is called by. */
const audited: Audited<ScheduleMonth> = {
  noun: 'schedule',
  id: ({ employee }) => employee,
  name: () => '',
  untold: ['employee', 'month'],
  entriesOf: 'days',
}

export const scheduleKey = (month: string, employee: string): Key<ScheduleMonth> => ({
  pk: `SCHEDULE#${month}`,
  sk: employee,
  audited,
})

const sameShifts = (one: string[] = [], other: string[] = []) => one.join() === other.join()

/** Names the first and the last day that differ. */
export const scheduleFacts = ({ company, old, new: now }: Change<ScheduleMonth>) => {
  const employee = now?.employee ?? old?.employee ?? ''
  const days = Object.keys({ ...old?.days, ...now?.days })
    .filter(day => !sameShifts(old?.days[day], now?.days[day]))
    .sort()
  const [from, to] = [days[0], days.at(-1)]
  return from && to ? [{ type: 'schedule.changed' as const, company, employee, from, to }] : []
}

const employees = z.array(id).min(1).max(500)
const days = z.array(day).min(1).max(62)

/** What a 59031 says `about` itself: who, when, with what. */
export const conflict = z.object({
  employee: id,
  name: z.string(),
  day,
  shift: z.string(),
  withDay: day,
  withShift: z.string(),
})

export const schedulePaths = {
  'schedule/grid': {
    does: 'Lists employees with the shifts of their days in a range of at most 62 days.',
    who: [7],
    needsTimezone: true,
    input: gridInput(
      z.strictObject({ from: day, to: day, department: id.optional(), search: z.string().trim().max(100).optional() }),
    ),
    output: gridOutput(
      z.object({
        employee: id,
        first_name: z.string(),
        last_name: z.string(),
        workno: z.string(),
        department: id,
        days: z.record(z.string(), z.array(id)),
      }),
    ),
  },
  'schedule/add': {
    does: 'Adds a shift to the days of employees, from today on; a conflict with another shift refuses all of it.',
    who: [7],
    writes: true,
    needsTimezone: true,
    input: z.strictObject({ employees, days, shift: id }),
    output: z.object({ changedDays: z.int() }),
  },
  'schedule/update': {
    does: 'Assigns a shift: from today on it replaces what the days of the employees held.',
    who: [7],
    writes: true,
    needsTimezone: true,
    input: z.strictObject({ employees, days, shift: id }),
    output: z.object({ changedDays: z.int() }),
  },
  'schedule/clear': {
    does: 'Removes all shifts of employees in a range of days, from today on.',
    who: [7],
    writes: true,
    needsTimezone: true,
    input: z.strictObject({ employees, from: day, to: day }),
    output: z.object({ changedDays: z.int() }),
  },
  'schedule/delete': {
    does: 'Removes one shift from one day of an employee, today or later.',
    who: [7],
    writes: true,
    needsTimezone: true,
    input: z.strictObject({ employee: id, day, shift: id }),
    output: done,
  },
} as const satisfies Declarations
