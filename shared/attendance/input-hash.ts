import { engineVersion } from './engine-version.ts'
import type { Hash } from './hash.ts'
import { mixNumber, mixText, startHash } from './hash.ts'
import type { Parameters } from './input.ts'
import type { Leave } from './leave.ts'
import type { Group } from './punch.ts'
import type { Shift } from './shift.ts'
import type { Span } from './span.ts'

// The input hash of a row covers the input of its figures, punches and reasons. It covers only the punches assigned to
// the day. Equal hashes mean equal rows. Input that does not affect the day does not change the hash.

/** Hashes the input of all rows of a run, in a fixed order. */
export const hashParameters = (zone: string, parameters: Parameters): Hash => {
  const hash = startHash()
  mixText(
    hash,
    [
      engineVersion,
      zone,
      parameters.version,
      parameters.bounceSeconds,
      parameters.deductGaps,
      parameters.trustDeviceState,
      parameters.splitTime,
      parameters.restDayWorkIsOvertime,
      parameters.holidayWorkIsOvertime,
      parameters.minimumOvertimeMinutes,
      parameters.maximumOvertimeMinutes,
      parameters.fullDutyFirst,
      parameters.firstWeekday,
    ].join(),
  )
  return hash
}

/** Hashes every part of a shift that can change a figure, in a fixed order. */
export const hashShift = (shift: Shift & { version: number }): Hash => {
  const hash = startHash()
  const { weekly } = shift
  mixText(
    hash,
    [
      shift.version,
      shift.kind ?? 'fixed',
      shift.onDuty,
      shift.offDuty,
      shift.punchStart,
      shift.punchEnd,
      shift.allowedLateMinutes,
      shift.allowedEarlyMinutes,
      shift.noClockOut,
      shift.earlyInOvertime.counts,
      shift.earlyInOvertime.afterMinutes,
      shift.lateOutOvertime.counts,
      shift.lateOutOvertime.afterMinutes,
      shift.raisesException ?? true,
      ...shift.breaks.flatMap(pause => [pause.start, pause.end, pause.durationMinutes, pause.thresholdMinutes]),
      ...(weekly
        ? [weekly.targetMinutes, weekly.breakMinutes, weekly.breakThresholdMinutes, weekly.overtimeCounts]
        : []),
    ].join(),
  )
  return hash
}

export const stateCodes = { pending: 0, provisional: 1, final: 2 } as const

export const mixHash = (hash: Hash, other: Hash): void => {
  mixNumber(hash, other.a)
  mixNumber(hash, other.b)
}

export const mixGroups = (hash: Hash, groups: readonly Group[]): void => {
  mixNumber(hash, groups.length)
  for (const { punches } of groups) {
    mixNumber(hash, punches.length)
    for (const { at, key, state } of punches) {
      mixNumber(hash, at)
      mixText(hash, key)
      mixNumber(hash, state === undefined ? 0 : state === 'in' ? 1 : 2)
    }
  }
}

export const mixSpans = (hash: Hash, spans: readonly Span[]): void => {
  mixNumber(hash, spans.length)
  for (const { from, to } of spans) {
    mixNumber(hash, from)
    mixNumber(hash, to)
  }
}

export const mixLeave = (hash: Hash, { full, spans, types }: Leave): void => {
  mixNumber(hash, full ? 1 : 0)
  mixSpans(hash, spans)
  for (const [type, minutes] of types) {
    mixText(hash, type)
    mixNumber(hash, minutes)
  }
}
