import { deductBreaks } from './breaks.ts'
import { placeEnds, placeLonePunch } from './day.ts'
import type { Group } from './punch.ts'
import type { Reason } from './reason.ts'
import { note } from './reason.ts'
import type { Row, Use } from './row.ts'
import type { Run } from './run.ts'
import { lengthOf, spanOf } from './span.ts'
import { dayStart, readingAt } from './zone.ts'

// Step 11: work without a shift.

/** The local date an instant lies in, for dates that begin at the company's split hour. */
export const localDayOf = (run: Run, minute: number): number => {
  const { zone, splitMinutes } = run
  let day = Math.floor((readingAt(zone, minute) - splitMinutes) / 1440)
  // A split hour that is repeated or skipped can leave the reading on the wrong side of it.
  if (minute < dayStart(zone, day, splitMinutes)) day--
  else if (minute >= dayStart(zone, day + 1, splitMinutes)) day++
  return day
}

/** The last minute of a local date. */
export const localDayEnd = (run: Run, day: number): number => dayStart(run.zone, day + 1, run.splitMinutes) - 1

/** Punches on a day without a shift: from first to last is overtime or, where the company says so, work. */
export const judgeRestDay = (
  run: Run,
  row: Row,
  groups: readonly Group[],
  uses: Use[],
  reasons: Reason[] | undefined,
): void => {
  const [only] = groups
  if (only && groups.length === 1) {
    placeLonePunch(row, only, true, true, uses)
    return
  }
  const { start, end } = placeEnds(row, groups, uses)
  const present = spanOf(start, end)
  const { restDayWorkIsOvertime, deductGaps } = run.parameters
  const kind = restDayWorkIsOvertime ? 'overtime' : 'work'
  note(reasons, restDayWorkIsOvertime ? 'restDayOvertime' : 'restDayWork', present)
  const minutes = lengthOf(present) - deductBreaks(row, [], present, groups, deductGaps, uses, reasons, kind).minutes
  if (restDayWorkIsOvertime) row.overtimeMinutes = minutes
  else row.workMinutes = minutes
}
