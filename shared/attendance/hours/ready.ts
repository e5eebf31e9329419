import type { HourSetForm } from '../../hours/form.ts'

// Ready-made hour sets, to begin with. A company changes them as its agreements ask.

export const readyNames = ['plain', 'taxFree', 'weekly40', 'california', 'china'] as const
export type ReadyName = (typeof readyNames)[number]

const normal = { code: 'N', name: 'Normal', color: '#2f6fde', account: true } as const
const overtime = { code: 'OT', name: 'Overtime', color: '#d9822b', account: true } as const
const onHolidays = { code: 'HOL', name: 'Holiday', color: '#b03a5b' }
const onSundays = { code: 'SUN', name: 'Sunday', color: '#c2548a' }

export const readySets: Record<ReadyName, HourSetForm> = {
  // Overtime as the engine counts it; night, holiday and Sunday hours in addition.
  plain: {
    name: 'Overtime, night, Sunday and holiday',
    kinds: [normal, overtime, { code: 'NIGHT', name: 'Night', color: '#4b3f8f' }, onHolidays, onSundays],
    base: [{ kind: 'OT', overtime: true }, { kind: 'N' }],
    extra: [
      { kind: 'NIGHT', window: { from: '23:00', to: '06:00', least: 121 } },
      { kind: 'HOL', holiday: 'clock' },
      { kind: 'SUN', weekdays: [0], unless: ['HOL'] },
    ],
    checks: {
      restBetween: 660,
      breakOwed: [
        { afterMinutes: 360, breakMinutes: 30 },
        { afterMinutes: 540, breakMinutes: 45 },
      ],
      weeklyAverage: { minutes: 2880, weeks: 24 },
    },
  },
  // The bonuses of § 3b EStG: night work begun before midnight, and Sundays and holidays until 04:00 of the next day.
  taxFree: {
    name: '§ 3b EStG: night, Sunday and holiday',
    kinds: [
      ...[normal, overtime],
      { code: 'N25', name: 'Night 25 %', color: '#6f63b8' },
      { code: 'N40', name: 'Night 40 %', color: '#4b3f8f' },
      ...[onHolidays, onSundays],
    ],
    base: [{ kind: 'OT', overtime: true }, { kind: 'N' }],
    extra: [
      { kind: 'N40', begunDayBefore: true, window: { from: '00:00', to: '04:00' } },
      { kind: 'N25', window: { from: '20:00', to: '06:00' }, unless: ['N40'] },
      { kind: 'HOL', holiday: 'clock' },
      { kind: 'HOL', holiday: 'day', begunDayBefore: true, window: { from: '00:00', to: '04:00' } },
      { kind: 'SUN', weekdays: [0], unless: ['HOL'] },
      {
        ...{ kind: 'SUN', weekdays: [0], by: 'day', begunDayBefore: true, unless: ['HOL'] },
        window: { from: '00:00', to: '04:00' },
      },
    ],
  },
  // The FLSA knows no daily overtime.
  weekly40: {
    name: 'FLSA: overtime beyond 40 hours a week',
    kinds: [normal, overtime],
    base: [{ kind: 'OT', weekOver: 2400 }, { kind: 'N' }],
    extra: [],
  },
  california: {
    name: 'California: daily, weekly and seventh-day overtime',
    kinds: [
      normal,
      { code: 'OT1', name: 'Overtime 1.5', color: '#d9822b', account: true },
      { code: 'OT2', name: 'Double time', color: '#b5481d', account: true },
    ],
    base: [
      { kind: 'OT2', consecutiveDay: 7, dayOver: 480 },
      { kind: 'OT2', dayOver: 720 },
      { kind: 'OT1', consecutiveDay: 7 },
      { kind: 'OT1', dayOver: 480 },
      { kind: 'OT1', weekOver: 2400 },
      { kind: 'N' },
    ],
    extra: [],
  },
  china: {
    name: 'China: overtime 150 %, rest day 200 %, holiday 300 %',
    kinds: [
      normal,
      { code: 'OT150', name: 'Overtime 150 %', color: '#d9822b', account: true },
      { code: 'R200', name: 'Rest day 200 %', color: '#b5481d' },
      { code: 'H300', name: 'Holiday 300 %', color: '#b03a5b' },
    ],
    base: [
      { kind: 'H300', holiday: 'day' },
      { kind: 'R200', rest: true },
      { kind: 'OT150', overtime: true },
      { kind: 'N' },
    ],
    extra: [],
  },
}
