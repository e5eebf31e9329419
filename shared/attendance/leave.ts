import { dayNumber } from './calendar.ts'
import type { Request } from './input.ts'
import { minuteOf } from './punch.ts'
import type { Span } from './span.ts'
import { lengthOf, lengthWithin, nothing, union, within, without } from './span.ts'

// Sections 1 and 9: approved leave of whole days and of parts of a day.

interface LeaveSpan extends Span {
  readonly type: string
}

/** Approved leave of an employee: whole work days as day numbers, and spans of minutes in time order. */
export interface LeaveBook {
  readonly days: readonly { readonly from: number; readonly to: number; readonly type: string }[]
  readonly spans: readonly LeaveSpan[]
}

/** The leave of one work day. */
export interface Leave {
  readonly full: boolean
  /** Leave of part of the day. */
  readonly spans: readonly Span[]
  readonly minutes: number
  /** Minutes by leave type, ordered by the start of the leave. */
  readonly types: ReadonlyMap<string, number>
}

const inOrder = (a: { from: number; to: number; type: string }, b: { from: number; to: number; type: string }) =>
  a.from - b.from || a.to - b.to || (a.type < b.type ? -1 : a.type > b.type ? 1 : 0)

export const bookLeave = (requests: readonly Request[]): LeaveBook => {
  const days: { from: number; to: number; type: string }[] = []
  const spans: LeaveSpan[] = []
  for (const request of requests) {
    if (request.kind !== 'leave') continue
    const type = String(request.leaveType)
    if ('fromDay' in request) days.push({ from: dayNumber(request.fromDay), to: dayNumber(request.toDay), type })
    else spans.push({ from: minuteOf(request.from), to: minuteOf(request.to), type })
  }
  return { days: days.sort(inOrder), spans: spans.sort(inOrder) }
}

export const noLeave: Leave = { full: false, spans: nothing, minutes: 0, types: new Map() }

/** The type of a leave that covers the whole work day, if any. */
const fullDayType = (book: LeaveBook, day: number): string | undefined =>
  book.days.find(leave => leave.from <= day && day <= leave.to)?.type

/**
 * Leave of a work day within `[from, to)`; only `duty` counts. Part-day leave over the whole duty is full leave. A
 * minute in two requests belongs to the request that begins first.
 */
export const leaveOf = (book: LeaveBook, day: number, from: number, to: number, duty: readonly Span[]): Leave => {
  if (book.days.length === 0 && book.spans.length === 0) return noLeave
  const dutyMinutes = lengthOf(duty)
  const type = fullDayType(book, day)
  if (type !== undefined) {
    return { full: true, spans: nothing, minutes: dutyMinutes, types: new Map([[type, dutyMinutes]]) }
  }
  const touching = book.spans.filter(span => span.from < to && span.to > from && span.to > span.from)
  if (touching.length === 0) return noLeave
  const types = new Map<string, number>()
  let remaining = duty
  for (const span of touching) {
    const minutes = lengthWithin(remaining, span.from, span.to)
    if (minutes > 0) types.set(span.type, (types.get(span.type) ?? 0) + minutes)
    remaining = without(remaining, [span])
  }
  const minutes = dutyMinutes - lengthOf(remaining)
  return { full: minutes > 0 && remaining.length === 0, spans: within(union(touching), from, to), minutes, types }
}
