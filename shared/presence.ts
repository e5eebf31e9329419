import { isElsewhere, type UsedPunch } from './attendance/row.ts'
import type { DayRow } from './day.ts'

// Reads from a person's rows whether a shift is still running, and which punches are arrivals and departures.

/**
 * Each punch once. Two adjacent rows may share a punch; its use in its own shift wins over `otherShift` and `outside`.
 */
export const eachOnce = (rows: readonly Pick<DayRow, 'punches'>[]): UsedPunch[] => {
  const byKey = new Map<string, UsedPunch>()
  for (const punch of rows.flatMap(({ punches }) => punches)) {
    const other = byKey.get(punch.key)
    const isPassedOver = other === undefined || isElsewhere(other)
    if (isPassedOver || punch.use === 'handOver') byKey.set(punch.key, punch)
  }
  return [...byKey.values()].sort((one, other) => one.at - other.at)
}

type Punched = Pick<DayRow, 'punches'>
const belongsTo = ({ punches }: Punched, key: string) => punches.some(punch => punch.key === key && !isElsewhere(punch))

/**
 * The punches that are an arrival or a departure. A hand-over between two of the rows is neither: it ends one shift and
 * begins the next. Without the row of the shift that it ends, a hand-over is the arrival.
 */
export const turnsOf = (rows: readonly Punched[]) =>
  eachOnce(rows).filter(punch =>
    punch.use === 'handOver'
      ? rows.filter(row => belongsTo(row, punch.key)).length === 1
      : punch.use !== 'repeat' && !isElsewhere(punch),
  )

/**
 * The arrivals and departures that tell whether a person is in now: those of the shifts that are still open, or else of
 * the last shift with punches. A clock-out that somebody forgot at an earlier shift must not turn the later ones around.
 */
export const presentTurnsOf = (rows: readonly Pick<DayRow, 'punches' | 'closesAt'>[], now: number) => {
  const open = turnsOf(rows.filter(({ closesAt }) => closesAt > now))
  if (open.length > 0) return open
  const last = rows
    .filter(row => turnsOf([row]).length > 0)
    .reduce<(typeof rows)[number] | undefined>(
      (one, other) => (one && one.closesAt > other.closesAt ? one : other),
      undefined,
    )
  return last ? turnsOf([last]) : []
}

/** Whether a shift is still running: its scheduled hours have not ended, or the employee has not left. */
const isGoingOn = (row: Pick<DayRow, 'dutyTo' | 'closesAt' | 'punches'>, now: number) =>
  (row.dutyTo !== null && row.dutyTo > now) || (row.closesAt > now && turnsOf([row]).length % 2 === 1)

/** Whether a row of tomorrow counts today: the shift begins soon after midnight, and the employee is there already. */
export const isBegun = (row: Pick<DayRow, 'punches'>) => turnsOf([row]).length > 0

/** The rows of today, those of yesterday's shift while that shift is still running, and the begun rows of tomorrow. */
export const rowsOfNow = <R extends Pick<DayRow, 'day' | 'dutyTo' | 'closesAt' | 'punches'>>(
  rows: readonly R[],
  today: string,
  now: number,
): R[] => rows.filter(row => row.day === today || (row.day < today ? isGoingOn(row, now) : isBegun(row)))
