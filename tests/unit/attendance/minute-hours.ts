import { dayName, dayNumber } from '../../../shared/attendance/calendar.ts'
import type { HourContext } from '../../../shared/attendance/hours/row-hours.ts'
import type { BaseRule, ExtraRule, HourConditions, HourSet, Window } from '../../../shared/attendance/hours/set.ts'
import { partSpan } from '../../../shared/attendance/part-holiday.ts'
import type { Figure } from '../../../shared/attendance/reason.ts'
import { rules } from '../../../shared/attendance/reason.ts'
import type { Rounding } from '../../../shared/attendance/rounding.ts'
import { roundMinutes } from '../../../shared/attendance/rounding.ts'
import type { Row } from '../../../shared/attendance/row.ts'
import { dayStart, readingAt } from '../../../shared/attendance/zone.ts'

// A second, minute-by-minute implementation of the hour kinds. It is slow and has no spans, so that it shares no mistake
// with the first.

export interface KindMinute {
  minute: number
  figure: 'work' | 'overtime'
  /** The index of the base rule, and those of the extra rules. */
  base: number
  extra: number[]
  fills: boolean
}

interface PaidMinute {
  minute: number
  row: number
  figure: 'work' | 'overtime'
  isOvertime: boolean
}

const effectOf = (rule: keyof typeof rules, figure: Figure): number =>
  (rules[rule] as Partial<Record<Figure, number>>)[figure] ?? 0

/** Rule 3: the minutes that the reasons place, without the last ones if they are too many. */
const paidMinutes = (row: Row, figure: 'work' | 'overtime'): number[] => {
  const minutes = new Set<number>()
  for (const sign of [1, -1])
    for (const [rule, from, to] of row.reasons) {
      if (effectOf(rule, `${figure}Minutes`) !== sign || from === 0) continue
      for (let minute = from; minute < to; minute++) sign === 1 ? minutes.add(minute) : minutes.delete(minute)
    }
  return [...minutes].sort((a, b) => a - b).slice(0, row[`${figure}Minutes`])
}

const clock = (text: string): number => Number(text.slice(0, 2)) * 60 + Number(text.slice(3, 5))
const isInWindow = ({ from, to }: Window, time: number): boolean =>
  clock(from) < clock(to) ? clock(from) <= time && time < clock(to) : time >= clock(from) || time < clock(to)

/** 1970-01-01 was a Thursday, the weekday 4. */
const weekdayOf = (date: number): number => (((date + 4) % 7) + 7) % 7
const dateOf = (row: Row, minute: number): number => Math.floor(readingAt(row.zone, minute) / 1440)
const timeOf = (row: Row, minute: number): number => ((readingAt(row.zone, minute) % 1440) + 1440) % 1440

/** The last local date that has begun. */
const localDate = (row: Row, minute: number, splitMinutes: number): number => {
  let date = dateOf(row, minute) + 2
  while (dayStart(row.zone, date, splitMinutes) > minute) date--
  return date
}

const isHoliday = (row: Row, minute: number, by: 'clock' | 'day', { holidays }: HourContext): boolean =>
  holidays.some(({ day, part }) => {
    if (part === undefined) return day === (by === 'day' ? row.day : dayName(dateOf(row, minute)))
    if (part !== 'half') return partSpan(row.zone, day, part).some(({ from, to }) => from <= minute && minute < to)
    return (
      day === row.day &&
      row.reasons.some(([rule, from, to]) => /^holiday/.test(rule) && from !== 0 && from <= minute && minute < to)
    )
  })

/** The kinds of every paid minute of each row that is not locked. */
export const modelHours = (rows: readonly Row[], set: HourSet, context: HourContext): Map<Row, KindMinute[]> => {
  const open = rows
    .filter(({ day }) => !context.locked || day > context.locked.to)
    .sort((a, b) => {
      const name = (row: Row) => `${row.day} ${String((row.dutyFrom ?? 0) + 1e15)} ${row.shift ?? ''}`
      return name(a) < name(b) ? -1 : 1
    })
  const paid: PaidMinute[] = open.flatMap((row, index) =>
    (['work', 'overtime'] as const).flatMap(figure =>
      paidMinutes(row, figure).map(minute => ({ minute, row: index, figure, isOvertime: figure === 'overtime' })),
    ),
  )
  paid.sort((a, b) => a.minute - b.minute || a.row - b.row)
  for (const { week } of rows) {
    if (!week?.settled) continue
    const candidates = paid
      .filter(({ row, isOvertime }) => {
        const { day, dutyFrom } = open[row] as Row
        return !isOvertime && dutyFrom === null && day >= week.from && day <= week.to
      })
      .sort((a, b) => a.row - b.row || a.minute - b.minute)
    for (const minute of candidates.slice(Math.max(0, candidates.length - week.overtimeMinutes)))
      minute.isOvertime = true
  }

  const splitMinutes = clock(context.splitTime)
  const dayOf = ({ minute, row }: PaidMinute): number =>
    set.dayOf === 'clock' ? localDate(open[row] as Row, minute, splitMinutes) : dayNumber((open[row] as Row).day)
  const weeks = new Map<number, number>()
  const weekOf = (day: number): number => {
    let first = weeks.get(day) ?? day
    while (weekdayOf(first) !== context.firstWeekday) first--
    weeks.set(day, first)
    return first
  }
  const worked = new Set(paid.map(dayOf))
  const paidOfDay = new Map<number, number>()
  const filledOfWeek = new Map<number, number>()
  for (const { day, paid: minutes, fills } of context.locked?.days ?? []) {
    const number = dayNumber(day)
    if (minutes > 0) worked.add(number)
    paidOfDay.set(number, minutes)
    filledOfWeek.set(weekOf(number), (filledOfWeek.get(weekOf(number)) ?? 0) + fills)
  }
  const placeOf = (day: number): number => {
    let place = 1
    for (let before = day - 1; before >= weekOf(day) && worked.has(before); before--) place++
    return place
  }
  const inWindow = (row: number, window: Window): number =>
    paid.filter(other => other.row === row && isInWindow(window, timeOf(open[row] as Row, other.minute))).length
  const enough = new Map<string, boolean>()
  const hasEnough = (row: number, window: Window): boolean => {
    const name = JSON.stringify([row, window])
    const known = enough.get(name) ?? inWindow(row, window) >= (window.least ?? 0)
    enough.set(name, known)
    return known
  }

  const firstOfRow = new Map(paid.toReversed().map(({ row, minute }) => [row, minute]))

  const result = new Map<Row, KindMinute[]>(open.map(row => [row, []]))
  for (const one of paid) {
    const row = open[one.row] as Row
    const day = dayOf(one)
    const date = dateOf(row, one.minute)
    const first = firstOfRow.get(one.row) ?? one.minute
    const holds = (rule: HourConditions & { weekOver?: number }): boolean =>
      (!rule.overtime || one.isOvertime) &&
      (!rule.rest || row.shift === null) &&
      (!rule.holiday || isHoliday(row, one.minute, rule.holiday, context)) &&
      (!rule.weekdays || rule.weekdays.includes(weekdayOf(rule.by === 'day' ? dayNumber(row.day) : date))) &&
      (!rule.window || (isInWindow(rule.window, timeOf(row, one.minute)) && hasEnough(one.row, rule.window))) &&
      (!rule.begunDayBefore || dateOf(row, first) < date) &&
      (paidOfDay.get(day) ?? 0) >= (rule.dayOver ?? 0) &&
      (filledOfWeek.get(weekOf(day)) ?? 0) >= (rule.weekOver ?? 0) &&
      (rule.consecutiveDay === undefined || placeOf(day) === rule.consecutiveDay)
    const base = set.base.findIndex(holds)
    const rule = set.base[base] as BaseRule
    const extra: number[] = []
    set.extra.forEach((more: ExtraRule, index) => {
      const held = extra.map(earlier => set.extra[earlier]?.kind ?? '')
      if (holds(more) && !held.includes(more.kind) && !held.some(kind => more.unless?.includes(kind))) extra.push(index)
    })
    const isDaily = rule.dayOver !== undefined || rule.consecutiveDay !== undefined || rule.overtime
    const fills = rule.fillsWeek ?? !isDaily
    result.get(row)?.push({ minute: one.minute, figure: one.figure, base, extra, fills })
    paidOfDay.set(day, (paidOfDay.get(day) ?? 0) + 1)
    if (fills) filledOfWeek.set(weekOf(day), (filledOfWeek.get(weekOf(day)) ?? 0) + 1)
  }
  return result
}

/** Rule 12, minute by minute: the kinds of a row after rounding its two figures. */
export const modelRounding = (
  minutes: readonly KindMinute[],
  set: HourSet,
  rounding: Record<'work' | 'overtime', Rounding>,
): { base: Record<string, number>; extra: Record<string, number> } => {
  const [base, extra]: Record<string, number>[] = [{}, {}] as [Record<string, number>, Record<string, number>]
  const count = (kinds: Record<string, number> | undefined, kind: string | undefined) => {
    if (kinds && kind !== undefined) kinds[kind] = (kinds[kind] ?? 0) + 1
  }
  for (const figure of ['work', 'overtime'] as const) {
    const ofFigure = minutes.filter(minute => minute.figure === figure)
    const target = roundMinutes(ofFigure.length, rounding[figure])
    for (let index = 0; index < target; index++) {
      const minute = ofFigure[index]
      count(base, set.base[(minute ?? ofFigure.at(-1))?.base ?? -1]?.kind)
      for (const rule of minute?.extra ?? []) count(extra, set.extra[rule]?.kind)
    }
  }
  return { base: base ?? {}, extra: extra ?? {} }
}
