import { validateShift } from '../../../shared/attendance/shift.ts'
import { readWallTime, wallTime } from '../../../shared/attendance/wall-time.ts'
import type { PathCall } from '../../api.ts'
import type { RowOf } from '../../read.ts'

// A shift as its form holds it, in the words people type, and as the paths and the check take it.

export type Shift = RowOf<'shift/grid'>
export type Color = NonNullable<PathCall<'shift/add'>['color']>

export const colors: readonly Color[] = ['teal', 'blue', 'violet', 'rose', 'amber', 'green', 'slate', 'orange']

const textOf = (minutes: number | undefined, otherwise = 0) => String(minutes ?? otherwise)
/** What is not a whole number is refused by the check, at its field. */
const minutesOf = (text: string) => (/^\d{1,4}$/.test(text.trim()) ? Number(text) : Number.NaN)

export const isMinutes = (text: string) => minutesOf(text) <= 1440

/** Hours as people type them: `40`, `38.5`, `38,5` or `38:30`. */
export const readHours = (text: string): number => {
  const match = /^(\d{1,3})(?:[:h](\d{2})|[.,](\d{1,2}))?h?$/i.exec(text.trim())
  if (!match) return Number.NaN
  const [, hours, minutes, decimals] = match
  if (Number(minutes ?? 0) > 59) return Number.NaN
  return Number(hours) * 60 + (decimals === undefined ? Number(minutes ?? 0) : Math.round(Number(`0.${decimals}`) * 60))
}
export const hoursText = (minutes: number) => {
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60]
  return rest === 0 ? String(hours) : `${hours}:${String(rest).padStart(2, '0')}`
}

/** Times of a break on the clock alone: which date they are on follows from the duty they lie in. */
export type Break = Record<'start' | 'end' | 'durationMinutes' | 'thresholdMinutes', string>

const clockOf = (time: string) => time.slice(0, 5)

/** Whether a reading of the clock within the duty is on the date after its beginning. */
export const isNextDay = ({ onDuty, offDuty }: { onDuty: string; offDuty: string }, clock: string) =>
  offDuty.endsWith('+1') && clockOf(clock) < clockOf(onDuty)
const onItsDay = (duty: { onDuty: string; offDuty: string }, clock: string) =>
  isNextDay(duty, clock) ? `${clock}+1` : clock

export const noClockOuts = [0, 1, 2] as const

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
  breaks: (shift ? (shift.breaks ?? []) : [{ start: '12:00', end: '13:00', durationMinutes: 60 }]).map(
    (rest): Break => ({
      start: clockOf(rest.start),
      end: clockOf(rest.end),
      durationMinutes: textOf(rest.durationMinutes),
      thresholdMinutes: textOf('thresholdMinutes' in rest ? rest.thresholdMinutes : 0),
    }),
  ),
  weekHours: hoursText(shift?.weekly?.targetMinutes ?? 2400),
  weekBreak: textOf(shift?.weekly?.breakMinutes, 60),
  weekBreakAfter: textOf(shift?.weekly?.breakThresholdMinutes, 360),
  weekOvertime: shift?.weekly?.overtimeCounts ?? true,
})
export type Values = ReturnType<typeof valuesOf>

/** The clock times, breaks and rules, as the check and the drawing take them. */
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
  breaks: values.breaks.map(rest => ({
    start: onItsDay(values, rest.start),
    end: onItsDay(values, rest.end),
    durationMinutes: minutesOf(rest.durationMinutes),
    thresholdMinutes: minutesOf(rest.thresholdMinutes),
  })),
})
export const drawnOf = fixedOf

const weeklyOf = (values: Values) => ({
  targetMinutes: readHours(values.weekHours),
  breakMinutes: minutesOf(values.weekBreak),
  breakThresholdMinutes: minutesOf(values.weekBreakAfter),
  overtimeCounts: values.weekOvertime,
})

/** By what days are calculated: where nothing of it changes, no day does. */
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

/** What is wrong with it, by the same rules as the server's. */
export const faultsOf = (values: Values) =>
  validateShift({
    ...fixedOf(values),
    kind: values.kind,
    ...(values.kind === 'weekly' && { weekly: weeklyOf(values) }),
  })

const minutesAt = (text: string) => readWallTime(text) ?? 0

/** Two hours before a duty and four after it, or what a day has room for. */
const periodRound = (on: number, off: number) => {
  const from = on - Math.min(120, Math.floor((1440 - (off - on)) / 2))
  return { punchStart: wallTime(from), punchEnd: wallTime(Math.min(off + 240, from + 1440)) }
}

/**
 * A shift with another duty. Where a time is typed, off duty is on the next day if it would come before on duty otherwise; what is
 * only moved by a day stays there. A punch period that was as we would have set it, or does not fit any more, goes along; breaks
 * of which one would lie outside of the duty keep their places in it, or come into its middle.
 */
export const withDuty = (values: Values, typed: { onDuty: string } | { offDuty: string }): Partial<Values> => {
  const { onDuty, offDuty: wanted } = { ...values, ...typed }
  const clock = clockOf(wanted)
  const isMoved = 'offDuty' in typed && clock === clockOf(values.offDuty)
  const offDuty = isMoved ? wanted : clock < onDuty ? `${clock}+1` : clock
  const duty = { onDuty, offDuty }
  const [on, off, wasOn, wasOff] = [onDuty, offDuty, values.onDuty, values.offDuty].map(minutesAt) as [
    ...[number, number, number, number],
  ]
  if (off <= on || off - on >= 1440) return duty

  const { punchStart, punchEnd } = values
  const [start, end] = [minutesAt(punchStart), minutesAt(punchEnd)]
  const before = periodRound(wasOn, wasOff)
  const isOwn = before.punchStart !== punchStart || before.punchEnd !== punchEnd
  const fits = start < on && off < end && end - start <= 1440

  const placeIn = (duty: { onDuty: string; offDuty: string }, rest: Break) => ({
    from: minutesAt(onItsDay(duty, rest.start)),
    to: minutesAt(onItsDay(duty, rest.end)),
  })
  const areWithin = values.breaks.map(rest => placeIn(duty, rest)).every(({ from, to }) => from >= on && to <= off)
  const moved = (rest: Break): Break => {
    const { from, to } = placeIn(values, rest)
    const length = (to - from + 1440) % 1440
    if (length > off - on) return rest
    const wasWithin = from >= wasOn && from + length <= wasOff
    const share = wasWithin ? (from - wasOn) / Math.max(1, wasOff - wasOn - length) : 0.5
    const next = on + Math.floor((share * (off - on - length)) / 15) * 15
    return { ...rest, start: clockOf(wallTime(next)), end: clockOf(wallTime(next + length)) }
  }
  return {
    ...duty,
    ...(!(isOwn && fits) && periodRound(on, off)),
    ...(!areWithin && { breaks: values.breaks.map(moved) }),
  }
}

/** Half an hour in the middle of the longest stretch of duty without a break. */
export const anotherBreak = (values: Values): Break => {
  const { onDuty, offDuty, breaks } = fixedOf(values)
  const read = minutesAt
  const edges = [
    [0, read(onDuty)] as const,
    ...breaks.map(({ start, end }) => [read(start), read(end)] as const).sort((one, other) => one[0] - other[0]),
    [read(offDuty), 0] as const,
  ]
  const gaps = edges.slice(1).map(([to], index) => ({ from: edges[index]?.[1] ?? 0, to }))
  const widest = gaps.reduce((one, other) => (other.to - other.from > one.to - one.from ? other : one))
  const start = Math.max(widest.from, Math.round(((widest.from + widest.to) / 2 - 15) / 15) * 15)
  return {
    start: clockOf(wallTime(start)),
    end: clockOf(wallTime(start + 30)),
    durationMinutes: '30',
    thresholdMinutes: '0',
  }
}
