// Durations as users type them. All duration fields use this file.

/** Reads typed hours (`40`, `38.5`, `38,5` or `38:30`) as minutes. NaN if the text is invalid. */
export const readHours = (text: string): number => {
  const match = /^(\d{1,3})(?:[:h](\d{2})|[.,](\d{1,2}))?h?$/i.exec(text.trim())
  if (!match) return Number.NaN
  const [, hours, minutes, decimals] = match
  if (Number(minutes ?? 0) > 59) return Number.NaN
  return Number(hours) * 60 + (decimals === undefined ? Number(minutes ?? 0) : Math.round(Number(`0.${decimals}`) * 60))
}

/** Whole hours as `8`, all other durations as `7:30`. */
export const hoursText = (minutes: number) => {
  const [hours, remainder] = [Math.floor(minutes / 60), minutes % 60]
  return remainder === 0 ? String(hours) : `${hours}:${String(remainder).padStart(2, '0')}`
}

/** As `readHours`, with a sign before the hours. */
export const readSignedHours = (text: string): number => {
  const [, sign, hours = ''] = /^([+\-−]?)(.*)$/.exec(text.trim()) ?? []
  const minutes = readHours(hours)
  return sign === '-' || sign === '−' ? 0 - minutes : minutes
}

export const signedHoursText = (minutes: number) => `${minutes < 0 ? '-' : ''}${hoursText(Math.abs(minutes))}`
