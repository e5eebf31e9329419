import type { Assigned } from './assign.ts'
import { deductBreaks } from './breaks.ts'
import { isLoneIn, placeEnds, placeLonePunch } from './day.ts'
import type { Reason } from './reason.ts'
import { note } from './reason.ts'
import type { Row, Use } from './row.ts'
import type { Run } from './run.ts'
import { lengthOf, nothing, spanOf } from './span.ts'

/**
 * Step 10: a fixed shift on a holiday. No duty, no leave, nobody late, early or absent; all presence without the shift's
 * breaks is overtime or, where the company says so, work.
 */
export const judgeHoliday = (
  run: Run,
  row: Row,
  { instance, groups }: Assigned,
  uses: Use[],
  reasons: Reason[] | undefined,
): void => {
  const [only] = groups
  if (!only) return
  if (groups.length === 1) {
    const isIn = isLoneIn(run, row, only, nothing, instance.on, instance.off)
    placeLonePunch(row, only, isIn, instance.shift.raisesException ?? true, uses)
    return
  }
  const { start, end } = placeEnds(row, groups, uses)
  const present = spanOf(start, end)
  const { holidayWorkIsOvertime, deductGaps } = run.parameters
  const kind = holidayWorkIsOvertime ? 'overtime' : 'work'
  note(reasons, holidayWorkIsOvertime ? 'holidayOvertime' : 'holidayWork', present)
  const taken = deductBreaks(row, instance.breaks, present, groups, deductGaps, uses, reasons, kind)
  const minutes = lengthOf(present) - taken.minutes
  if (holidayWorkIsOvertime) row.overtimeMinutes = minutes
  else row.workMinutes = minutes
}
