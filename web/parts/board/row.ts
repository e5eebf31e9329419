export interface BoardRow {
  employee: string
  first_name: string
  last_name: string
  workno: string
  department: string
  days: Record<string, string[]>
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
  /** The CSS classes of the column: `rest`, `holiday`, `today`, `past`. */
  looks: string
  /** The week that contains the day, with the week's names. */
  week: { key: string; name: string; short: string }
}

/** The holidays of each department in addition to the company's holidays. */
export type FreeDays = ReadonlyMap<string, ReadonlySet<string>>
