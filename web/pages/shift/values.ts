import { mostDutyMinutes, mostPeriodMinutes, validateShift } from '../../../shared/attendance/shift.ts'
import { readWallTime, wallTime } from '../../../shared/attendance/wall-time.ts'
import type { PathCall } from '../../api.ts'
import { hoursText, readHours } from '../../parts/field/read-hours.ts'
import type { RowOf } from '../../read.ts'

// Converts a shift between the typed values of the form and the input of the API and the validation.

export type Shift = RowOf<'shift/grid'>
export type Color = NonNullable<PathCall<'shift/add'>['color']>

export const colors: readonly Color[] = ['teal', 'blue', 'violet', 'rose', 'amber', 'green', 'slate', 'orange']

const textOf = (minutes: number | undefined, fallback = 0) => String(minutes ?? fallback)
/** NaN if the text is no whole number, so that the validation reports the field. */
const minutesOf = (text: string) => (/^\d{1,4}$/.test(text.trim()) ? Number(text) : Number.NaN)

export const isMinutes = (text: string) => minutesOf(text) <= 1440

/** The clock times of a break. The duty determines their date. */
export type Break = Record<'start' | 'end' | 'durationMinutes' | 'thresholdMinutes', string>

const clockOf = (time: string) => time.slice(0, 5)

/** Whether a clock time within the duty is on the day after its start. */
export const isNextDay = ({ onDuty, offDuty }: { onDuty: string; offDuty: string }, clock: string) =>
  offDuty.endsWith('+1') && clockOf(clock) < clockOf(onDuty)
const onItsDay = (duty: { onDuty: string; offDuty: string }, clock: string) =>
  isNextDay(duty, clock) ? `${clock}+1` : clock

export const noClockOuts = [0, 1, 2] as const

/** The break of a new shift, until the user changes it. */
const lunch = { start: '12:00', end: '13:00', durationMinutes: 60 }
/** The length in minutes up to which a new shift has no lunch. */
const mostWithoutLunch = 360

const breakOf = (pause: NonNullable<Shift['breaks']>[number] | typeof lunch): Break => ({
  start: clockOf(pause.start),
  end: clockOf(pause.end),
  durationMinutes: textOf(pause.durationMinutes),
  thresholdMinutes: textOf('thresholdMinutes' in pause ? pause.thresholdMinutes : 0),
})

export const valuesOf = (shift: Shift | undefined, color: Color) => ({
  name: shift?.name ?? '',
  color: shift?.color ?? color,
  notes: shift?.notes ?? '',
  kind: shift?.kind ?? ('fixed' as const),
  onDuty: shift?.onDuty ?? '09:00',
  offDuty: shift?.offDuty ?? '18:00',
  punchStart: shift?.punchStart ?? '07:00',
  punchEnd: shift?.punchEnd ?? '22:00',
  allowedLateMinutes: textOf(shift?.allowedLateMinutes, shift ? 0 : 5),
  allowedEarlyMinutes: textOf(shift?.allowedEarlyMinutes),
  noClockOut: textOf(shift?.noClockOut),
  earlyIn: shift?.earlyInOvertime?.counts ?? false,
  earlyInAfter: textOf(shift?.earlyInOvertime?.afterMinutes, 30),
  lateOut: shift?.lateOutOvertime?.counts ?? false,
  lateOutAfter: textOf(shift?.lateOutOvertime?.afterMinutes, 30),
  raisesException: shift?.raisesException ?? true,
  breaks: (shift ? (shift.breaks ?? []) : [lunch]).map(breakOf),
  /** The user has not changed the breaks of a new shift, so they follow its length. */
  hasUsualBreaks: !shift,
  weekHours: hoursText(shift?.weekly?.targetMinutes ?? 2400),
  weekBreak: textOf(shift?.weekly?.breakMinutes, 60),
  weekBreakAfter: textOf(shift?.weekly?.breakThresholdMinutes, 360),
  weekOvertime: shift?.weekly?.overtimeCounts ?? true,
})
export type Values = ReturnType<typeof valuesOf>

/** The times, breaks and rules as input for the validation and the drawing. */
const fixedOf = (values: Values) => ({
  onDuty: values.onDuty,
  offDuty: values.offDuty,
  punchStart: values.punchStart,
  punchEnd: values.punchEnd,
  allowedLateMinutes: minutesOf(values.allowedLateMinutes),
  allowedEarlyMinutes: minutesOf(values.allowedEarlyMinutes),
  noClockOut: noClockOuts.find(kind => String(kind) === values.noClockOut) ?? 0,
  earlyInOvertime: { counts: values.earlyIn, afterMinutes: minutesOf(values.earlyInAfter) },
  lateOutOvertime: { counts: values.lateOut, afterMinutes: minutesOf(values.lateOutAfter) },
  breaks: values.breaks.map(pause => ({
    start: onItsDay(values, pause.start),
    end: onItsDay(values, pause.end),
    durationMinutes: minutesOf(pause.durationMinutes),
    thresholdMinutes: minutesOf(pause.thresholdMinutes),
  })),
})
export const drawnOf = fixedOf

const weeklyOf = (values: Values) => ({
  targetMinutes: readHours(values.weekHours),
  breakMinutes: minutesOf(values.weekBreak),
  breakThresholdMinutes: minutesOf(values.weekBreakAfter),
  overtimeCounts: values.weekOvertime,
})

/** The fields that affect the calculation. If a save changes none of these fields, worked days stay unchanged. */
export const rulesOf = (values: Values) =>
  values.kind === 'weekly'
    ? { kind: 'weekly' as const, weekly: weeklyOf(values), raisesException: values.raisesException }
    : { kind: 'fixed' as const, ...fixedOf(values), raisesException: values.raisesException }

export const shiftOf = (values: Values) => ({
  name: values.name,
  color: values.color,
  ...(values.notes && { notes: values.notes }),
  ...rulesOf(values),
})

/** The faults of the values, by the same rules as on the server. */
export const faultsOf = (values: Values) =>
  validateShift({
    ...fixedOf(values),
    kind: values.kind,
    ...(values.kind === 'weekly' && { weekly: weeklyOf(values) }),
  })

const minutesAt = (text: string) => readWallTime(text) ?? 0

/** The end of the day after the work day. No time of a shift is later. */
const lastMinute = 2 * 1440 - 1

/** The default punch period: two hours before the duty until four hours after it. */
const defaultPunchPeriod = (on: number, off: number) => ({
  punchStart: wallTime(on - 120),
  punchEnd: wallTime(Math.min(off + 240, lastMinute)),
})

/**
 * Changes the duty of a shift. A typed off-duty time before the on-duty time is on the next day. If the user moved the
 * off-duty time by a day, it stays there. A default or unsuitable punch period follows the duty. If a break would lie
 * outside the duty, all breaks move and keep their relative places. Breaks that were outside before move to the middle.
 * The untouched break of a new shift disappears while the duty is short.
 */
export const withDuty = (values: Values, typed: { onDuty: string } | { offDuty: string }): Partial<Values> => {
  const { onDuty, offDuty: requestedOffDuty } = { ...values, ...typed }
  const clock = clockOf(requestedOffDuty)
  const isMoved = 'offDuty' in typed && clock === clockOf(values.offDuty)
  const offDuty = isMoved ? requestedOffDuty : clock < onDuty ? `${clock}+1` : clock
  const duty = { onDuty, offDuty }
  const [on, off, wasOn, wasOff] = [onDuty, offDuty, values.onDuty, values.offDuty].map(minutesAt) as [
    ...[number, number, number, number],
  ]
  if (off <= on || off - on > mostDutyMinutes) return duty

  const { punchStart, punchEnd } = values
  const [start, end] = [minutesAt(punchStart), minutesAt(punchEnd)]
  const before = defaultPunchPeriod(wasOn, wasOff)
  const isCustomPeriod = before.punchStart !== punchStart || before.punchEnd !== punchEnd
  const fits = start < on && off < end && end - start <= mostPeriodMinutes

  const placeIn = (duty: { onDuty: string; offDuty: string }, pause: Break) => ({
    from: minutesAt(onItsDay(duty, pause.start)),
    to: minutesAt(onItsDay(duty, pause.end)),
  })
  const usualBreaks = off - on <= mostWithoutLunch ? [] : values.breaks.length > 0 ? values.breaks : [breakOf(lunch)]
  const breaks = values.hasUsualBreaks ? usualBreaks : values.breaks
  const areWithin = breaks
    .map(pause => placeIn(duty, pause))
    .every(({ from, to }) => from >= on && from < to && to <= off)
  const moveBreak = (pause: Break): Break => {
    const { from, to } = placeIn(values, pause)
    const length = (to - from + 1440) % 1440
    if (length > off - on) return pause
    const wasWithin = from >= wasOn && from + length <= wasOff
    const share = wasWithin ? (from - wasOn) / Math.max(1, wasOff - wasOn - length) : 0.5
    const next = on + Math.floor((share * (off - on - length)) / 15) * 15
    return { ...pause, start: clockOf(wallTime(next)), end: clockOf(wallTime(next + length)) }
  }
  return {
    ...duty,
    ...(!(isCustomPeriod && fits) && defaultPunchPeriod(on, off)),
    ...((!areWithin || breaks.length !== values.breaks.length) && {
      breaks: areWithin ? breaks : breaks.map(moveBreak),
    }),
  }
}

/**
 * The time fields where the date before or after matters: where it is chosen, or where the time would otherwise lie on
 * the wrong side of the duty.
 */
export const otherDaysOf = ({ onDuty, offDuty, punchStart, punchEnd }: Values) => ({
  offDuty: offDuty.endsWith('+1') || minutesAt(offDuty) <= minutesAt(onDuty) ? ('+1' as const) : undefined,
  punchStart: punchStart.endsWith('-1') || minutesAt(punchStart) >= minutesAt(onDuty) ? ('-1' as const) : undefined,
  punchEnd: punchEnd.endsWith('+1') || minutesAt(punchEnd) <= minutesAt(offDuty) ? ('+1' as const) : undefined,
})

/** A break of 30 minutes in the middle of the longest uninterrupted part of the duty. */
export const anotherBreak = (values: Values): Break => {
  const { onDuty, offDuty, breaks } = fixedOf(values)
  const read = minutesAt
  const edges = [
    [0, read(onDuty)] as const,
    ...breaks.map(({ start, end }) => [read(start), read(end)] as const).sort((first, second) => first[0] - second[0]),
    [read(offDuty), 0] as const,
  ]
  const gaps = edges.slice(1).map(([to], index) => ({ from: edges[index]?.[1] ?? 0, to }))
  const widest = gaps.reduce((best, gap) => (gap.to - gap.from > best.to - best.from ? gap : best))
  const start = Math.max(widest.from, Math.round(((widest.from + widest.to) / 2 - 15) / 15) * 15)
  return {
    start: clockOf(wallTime(start)),
    end: clockOf(wallTime(start + 30)),
    durationMinutes: '30',
    thresholdMinutes: '0',
  }
}
