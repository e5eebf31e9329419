import type { HourHoliday } from '../../shared/attendance/hours/holiday.ts'
import { splitHours } from '../../shared/attendance/hours/split.ts'
import type { HeldDay } from '../../shared/attendance/hours/tally.ts'
import type { Row } from '../../shared/attendance/row.ts'
import type { Company } from '../../shared/company.ts'
import type { DayRow } from '../../shared/day.ts'
import { type StoredHours, storedHours } from '../../shared/hours/row.ts'
import { engineSet, type HourContent } from '../../shared/hours.ts'
import { rulePeriods } from '../../shared/rule.ts'
import type { HourRules } from '../hours/store.ts'

// Splits calculated rows into hour kinds. The rows cover whole weeks, because a week's earlier minutes decide the kinds
// of its later ones.

interface Splitting {
  rows: readonly Row[]
  stored: readonly DayRow[]
  company: Company
  hours: HourRules
  holidays: readonly HourHoliday[]
  departmentOn: (day: string) => string
}

/**
 * The minutes that locked days hold. A row that was locked before the company had a set holds no kinds, so its work
 * fills the week, but its overtime does not.
 */
const heldDays = (stored: readonly DayRow[], lockedTo: string): HeldDay[] => {
  const days = new Map<string, HeldDay>()
  for (const { day, workMinutes, overtimeMinutes, hours } of stored) {
    if (day > lockedTo) continue
    const held = days.get(day) ?? { day, paid: 0, fills: 0 }
    held.paid += hours?.paid ?? workMinutes + overtimeMinutes
    held.fills += hours?.fills ?? workMinutes
    days.set(day, held)
  }
  return [...days.values()]
}

const sets = new WeakMap<HourContent, ReturnType<typeof engineSet>>()
/** One object for each content, because the engine prepares each set once. */
const setOf = (content: HourContent) => {
  const set = sets.get(content) ?? engineSet(content)
  sets.set(content, set)
  return set
}

/**
 * The kinds of each row. Rows of locked days and of days without a set have no entry. Each set counts the whole week,
 * also its days under another set.
 */
export const splitRows = ({
  rows,
  stored,
  company,
  hours,
  holidays,
  departmentOn,
}: Splitting): Map<Row, StoredHours> => {
  const kinds = new Map<Row, StoredHours>()
  const days = rows.map(({ day }) => day).sort()
  const [first, last] = [days[0], days.at(-1)]
  if (first === undefined || last === undefined) return kinds
  const periods = rulePeriods(company, first, last)
  const { lockedTo } = company
  const locked = lockedTo === undefined ? undefined : { to: lockedTo, days: heldDays(stored, lockedTo) }
  const open = rows.filter(({ day }) => lockedTo === undefined || day > lockedTo)
  const groups = Map.groupBy(open, ({ day }) => {
    const content = hours.setOn(departmentOn(day), day)
    const period = periods.findIndex(({ to }) => day <= to)
    return content && `${content.setVersion} ${period}`
  })
  for (const [name, group] of groups) {
    const [row] = group
    const content = row && hours.setOn(departmentOn(row.day), row.day)
    const parameters = periods[Number(name?.split(' ')[1])]?.parameters
    if (!content || !parameters) continue
    const { firstWeekday, splitTime } = parameters
    const context = { firstWeekday, splitTime, holidays, ...(locked && { locked }) }
    const split = splitHours(rows, setOf(content), context)
    for (const row of group) {
      const ofRow = split.get(row)
      if (ofRow) kinds.set(row, storedHours(ofRow))
    }
  }
  return kinds
}

/** The kinds of each row if no day was locked. A preview of other sets counts the locked days that keep theirs. */
export const splitUnlocked = ({ company: { lockedTo: _, ...company }, ...splitting }: Splitting) =>
  splitRows({ ...splitting, company })

/** How far beyond the whole weeks rows must reach, in days. */
export const hourMarginDays = (hours: HourRules | undefined): number =>
  hours?.contents.some(({ dayOf }) => dayOf === 'clock') ? 1 : 0
