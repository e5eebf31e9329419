import type { BoardLeave } from '../../../shared/schedule/leave.ts'

/** A leave on the board. The type is absent if the user may not see it. */
export interface RowLeave extends BoardLeave {
  leaveType?: number | undefined
  timezone: string
  to?: string | undefined
}

export interface BoardRow {
  employee: string
  first_name: string
  last_name: string
  workno: string
  department: string
  days: Record<string, string[]>
  leaves: readonly RowLeave[]
  /** The published shifts of drafted days. `days` then holds the draft. */
  published?: Record<string, string[]>
}

export interface BoardShift {
  id: string
  name: string
  color: string
  kind?: 'fixed' | 'weekly'
  onDuty: string
  offDuty: string
  /** The name with its times, such as `Early 06:00–14:00`. */
  words: string
  hours: string
  /** A short name that fits into a narrow cell. */
  letters: string
}

/** The header of a day's column. */
export interface Head {
  day: string
  letter: string
  /** The abbreviated weekday, for a wide column. */
  weekday: string
  name: string
  isPast: boolean
  isToday: boolean
  /** The CSS classes of the column: `rest`, `holiday`, `half-holiday`, `today`, `past`. */
  looks: string
  /** The week that contains the day, with the week's names. */
  week: { key: string; name: string; short: string }
}

/** The CSS class of a whole holiday, or of one of a part of the day. */
export type HolidayLook = 'holiday' | 'half-holiday'

/** The company's holidays by day. */
export type Holidays = ReadonlyMap<string, { name: string; look: HolidayLook }>

/** The holidays of each department in addition to the company's holidays. */
export type FreeDays = ReadonlyMap<string, ReadonlyMap<string, HolidayLook>>
