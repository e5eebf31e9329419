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
  /** What a narrow cell has room for. */
  letters: string
}

/** A day as it stands over its column. */
export interface Head {
  day: string
  letter: string
  /** The weekday in three letters or so, for a wide column. */
  weekday: string
  name: string
  isPast: boolean
  isToday: boolean
  /** How its column is marked: `rest`, `holiday`, `today`, `past`. */
  looks: string
  /** The week it lies in, and how it is called. */
  week: { key: string; name: string; short: string }
}

/** The days a department has free beside those of everybody. */
export type FreeDays = ReadonlyMap<string, ReadonlySet<string>>
