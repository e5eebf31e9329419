import { dayName } from './calendar.ts'
import type { Instance } from './instance.ts'
import { partSpan } from './part-holiday.ts'
import type { Run } from './run.ts'
import type { Span } from './span.ts'
import { nothing, union, within } from './span.ts'
import { dayStart, readingAt } from './zone.ts'

// By choice: the minutes that holidays free by the clock.

/** The minutes of holidays by the clock between two instants. Without the choice, whole days are no such minutes. */
export const freedBetween = ({ choices, holidays }: Run, zone: string, from: number, to: number): readonly Span[] => {
  const freed: Span[] = []
  for (const { day, part } of choices.partHolidays ?? []) if (part !== 'half') freed.push(...partSpan(zone, day, part))
  if (choices.holidayBy === 'clock') {
    const last = Math.floor(readingAt(zone, to) / 1440) + 1
    for (let day = Math.floor(readingAt(zone, from) / 1440) - 1; day <= last; day++)
      if (holidays.has(dayName(day))) freed.push({ from: dayStart(zone, day), to: dayStart(zone, day + 1) })
  }
  return freed.length > 0 ? within(union(freed), from, to) : nothing
}

/** Half a holiday frees the later half of a shift's duty. The odd minute stays. */
const laterHalf = ({ duty, dutyMinutes, off }: Instance): readonly Span[] => {
  let remaining = Math.ceil(dutyMinutes / 2)
  for (const { from, to } of duty) {
    if (remaining <= to - from) return [{ from: from + remaining, to: off }]
    remaining -= to - from
  }
  return nothing
}

/** The minutes that holidays free of a shift, its punches included. */
export const freedOf = (run: Run, zone: string, instance: Instance, from: number, to: number): readonly Span[] => {
  const freed = freedBetween(run, zone, Math.min(from, instance.on), Math.max(to, instance.off) + 1)
  const isHalf = run.choices.partHolidays?.some(({ day, part }) => part === 'half' && day === instance.dayName)
  return isHalf ? union([...freed, ...laterHalf(instance)]) : freed
}
