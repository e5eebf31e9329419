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
  /** `Early 06:00–14:00` */
  words: string
  hours: string
  /** A short name that fits into a narrow cell. */
  letters: string
}

/** The header of a day's column. */
export interface Head {
  day: string
  letter: string
  /** The weekday in three letters or so, for a wide column. */
  weekday: string
  name: string
  isPast: boolean
  isToday: boolean
  /** The CSS classes of its column: `rest`, `holiday`, `today`, `past`. */
  looks: string
  /** The week of the day, with its names. */
  week: { key: string; name: string; short: string }
}

/** The free days of each department in addition to the company's. */
export type FreeDays = ReadonlyMap<string, ReadonlySet<string>>
