import { deductBreaks } from './breaks.ts'
import { placeLonePunch } from './lone-punch.ts'
import type { OpenDay } from './open-day.ts'
import { placeEnds } from './open-day.ts'
import { note } from './reason.ts'
import { lengthOf, spanOf } from './span.ts'

/**
 * Step 11: judges punches on a day without a shift. The time from the first to the last punch is overtime, or work if
 * the company has chosen work.
 */
export const judgeRestDay = (day: OpenDay): void => {
  const { run, row, groups, reasons } = day
  const [first] = groups
  if (!first) return
  if (groups.length === 1) {
    placeLonePunch(day, first, true, true)
    return
  }
  const { start, end } = placeEnds(day)
  const present = spanOf(start, end)
  const { holidayWorkIsOvertime, restDayWorkIsOvertime } = run.parameters
  // On a holiday the company's switch for step 10 decides, otherwise the switch for step 11.
  const isHoliday = row.kind === 'holiday'
  if (isHoliday ? holidayWorkIsOvertime : restDayWorkIsOvertime) {
    note(reasons, isHoliday ? 'holidayOvertime' : 'restDayOvertime', present)
    row.overtimeMinutes = lengthOf(present) - deductBreaks(day, [], present, 'overtime').minutes
  } else {
    note(reasons, isHoliday ? 'holidayWork' : 'restDayWork', present)
    row.workMinutes = lengthOf(present) - deductBreaks(day, [], present).minutes
  }
}
