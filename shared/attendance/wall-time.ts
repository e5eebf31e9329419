// Wall times are clock readings: `HH:MM` on the work day, `HH:MM+1` on the next date, `HH:MM-1` on the previous date.

const pattern = /^([01]\d|2[0-3]):([0-5]\d)([+-]1)?$/

/** Minutes on the clock from 00:00 of the work day, not elapsed minutes. Undefined if the text is no wall time. */
export const readWallTime = (text: string): number | undefined => {
  const match = pattern.exec(text)
  if (!match) return undefined
  return Number(match[1]) * 60 + Number(match[2]) + Number(match[3] ?? 0) * 1440
}

/** `readWallTime` for validated wall times. Throws a RangeError for other text. */
export const wallMinutes = (text: string): number => {
  const minutes = readWallTime(text)
  if (minutes === undefined) throw new RangeError(`not a wall time: ${text}`)
  return minutes
}

/** `HH:MM`, with `+1` or `-1` for a reading on the next or previous date (`+n` beyond). */
export const wallTime = (minutes: number): string => {
  const day = Math.floor(minutes / 1440)
  const minutesOfDay = minutes - day * 1440
  const clock = `${String(Math.floor(minutesOfDay / 60)).padStart(2, '0')}:${String(minutesOfDay % 60).padStart(2, '0')}`
  return day === 0 ? clock : `${clock}${day > 0 ? '+' : ''}${day}`
}
