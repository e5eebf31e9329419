// Wall times: readings of the clock, `HH:MM` on the work day, `HH:MM+1` on the date after it, `HH:MM-1` on the one before.

const pattern = /^([01]\d|2[0-3]):([0-5]\d)([+-]1)?$/

/** Minutes from 00:00 of the work day on the clock (not elapsed); undefined where the text is no wall time. */
export const readWallTime = (text: string): number | undefined => {
  const match = pattern.exec(text)
  if (!match) return undefined
  return Number(match[1]) * 60 + Number(match[2]) + Number(match[3] ?? 0) * 1440
}

/** The same, for wall times already checked. Throws a RangeError. */
export const wallMinutes = (text: string): number => {
  const minutes = readWallTime(text)
  if (minutes === undefined) throw new RangeError(`not a wall time: ${text}`)
  return minutes
}

/** `HH:MM`, with `+1` or `-1` where the reading is on the next or previous date (`+n` beyond). */
export const wallTime = (minutes: number): string => {
  const day = Math.floor(minutes / 1440)
  const rest = minutes - day * 1440
  const clock = `${String(Math.floor(rest / 60)).padStart(2, '0')}:${String(rest % 60).padStart(2, '0')}`
  return day === 0 ? clock : `${clock}${day > 0 ? '+' : ''}${day}`
}
