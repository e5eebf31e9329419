import type { UsedPunch } from './attendance/row.ts'
import type { DayRow } from './day.ts'

// Reads from a person's rows whether a shift is still running, and which punches are arrivals and departures.

/**
 * Each punch once. Two adjacent rows may share a punch; its use in its own shift wins over `otherShift` and `outside`.
 */
export const eachOnce = (rows: readonly Pick<DayRow, 'punches'>[]): UsedPunch[] => {
  const byKey = new Map<string, UsedPunch>()
  for (const punch of rows.flatMap(({ punches }) => punches)) {
    const other = byKey.get(punch.key)
    const isPassedOver = other === undefined || other.use === 'otherShift' || other.use === 'outside'
    if (isPassedOver || punch.use === 'handOver') byKey.set(punch.key, punch)
  }
  return [...byKey.values()].sort((one, other) => one.at - other.at)
}

/** The punches that are an arrival or a departure. A hand-over is neither: it ends one shift and begins the next. */
export const turnsOf = (rows: readonly Pick<DayRow, 'punches'>[]) =>
  eachOnce(rows).filter(({ use }) => !['repeat', 'handOver', 'otherShift', 'outside'].includes(use))

/** Whether a shift is still running: its scheduled hours have not ended, or the employee has not left. */
const isGoingOn = (row: Pick<DayRow, 'dutyTo' | 'closesAt' | 'punches'>, now: number) =>
  (row.dutyTo !== null && row.dutyTo > now) || (row.closesAt > now && turnsOf([row]).length % 2 === 1)

/** The rows of today, and those of yesterday's shift while that shift is still running. */
export const rowsOfNow = <R extends Pick<DayRow, 'day' | 'dutyTo' | 'closesAt' | 'punches'>>(
  rows: readonly R[],
  today: string,
  now: number,
): R[] => rows.filter(row => row.day === today || isGoingOn(row, now))
