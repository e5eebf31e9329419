import { deductBreaks } from './breaks.ts'
import { placeLonePunch } from './lone-punch.ts'
import type { OpenDay } from './open-day.ts'
import { placeEnds } from './open-day.ts'
import { placePairs } from './pairs.ts'
import { note } from './reason.ts'
import type { Span } from './span.ts'
import { lengthOf, nothing, spanOf, union, within, without } from './span.ts'

/** The time in pairs of punches, or from the first to the last punch. */
const placePresence = (day: OpenDay): readonly Span[] => {
  if (day.run.choices.pairsWithoutShift) return placePairs(day)
  const { start, end } = placeEnds(day)
  return spanOf(start, end)
}

/**
 * Step 11: judges punches on a day without a shift. The presence is overtime, or work if the company has chosen work. On
 * a holiday, or in the minutes `freed` by one, the company's switch for step 10 decides.
 */
export const judgeRestDay = (day: OpenDay, freed: readonly Span[] = nothing): void => {
  const { run, row, groups, reasons } = day
  const { pairsWithoutShift, holidayBy } = run.choices
  const [first] = groups
  if (!first) return
  if (groups.length === 1 && !pairsWithoutShift) {
    placeLonePunch(day, first, true, true)
    return
  }
  const present = placePresence(day)
  const isHoliday = row.kind === 'holiday' && holidayBy !== 'clock'
  const onHoliday = isHoliday ? present : present.flatMap(({ from, to }) => within(freed, from, to))
  const others = without(present, onHoliday)
  const { holidayWorkIsOvertime, restDayWorkIsOvertime } = run.parameters
  note(reasons, holidayWorkIsOvertime ? 'holidayOvertime' : 'holidayWork', onHoliday)
  note(reasons, restDayWorkIsOvertime ? 'restDayOvertime' : 'restDayWork', others)
  const overtime = union([...(holidayWorkIsOvertime ? onHoliday : []), ...(restDayWorkIsOvertime ? others : [])])
  // Pairs leave no gaps to deduct.
  const deducted = pairsWithoutShift ? { minutes: 0, overtimeMinutes: 0 } : deductBreaks(day, [], present, overtime)
  row.overtimeMinutes = lengthOf(overtime) - deducted.overtimeMinutes
  row.workMinutes = lengthOf(present) - lengthOf(overtime) - (deducted.minutes - deducted.overtimeMinutes)
}
