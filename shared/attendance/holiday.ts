import { deductBreaks } from './breaks.ts'
import type { Instance } from './instance.ts'
import { isLoneIn, placeLonePunch } from './lone-punch.ts'
import type { OpenDay } from './open-day.ts'
import { placeEnds } from './open-day.ts'
import { note } from './reason.ts'
import { lengthOf, nothing, spanOf } from './span.ts'

/**
 * Step 10: judges a fixed shift on a holiday. A holiday has no duty, leave, lateness, early leave or absence. All
 * presence less the shift's breaks is overtime, or work if the company has chosen work.
 */
export const judgeHoliday = (day: OpenDay, instance: Instance): void => {
  const { run, row, groups, reasons } = day
  const [first] = groups
  if (!first) return
  if (groups.length === 1) {
    const isIn = isLoneIn(day, first, nothing, instance)
    placeLonePunch(day, first, isIn, instance.shift.raisesException ?? true)
    return
  }
  const { start, end } = placeEnds(day)
  const present = spanOf(start, end)
  if (run.parameters.holidayWorkIsOvertime) {
    note(reasons, 'holidayOvertime', present)
    row.overtimeMinutes = lengthOf(present) - deductBreaks(day, instance.breaks, present, present).minutes
  } else {
    note(reasons, 'holidayWork', present)
    row.workMinutes = lengthOf(present) - deductBreaks(day, instance.breaks, present).minutes
  }
}
