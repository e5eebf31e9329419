// Reads a typed time of day. All time fields use this file.

/** Removes dots, spaces and case, so that `p. m.` becomes `pm`. */
const normalize = (text: string) => text.replace(/[\s.]/g, '').toLowerCase()

/** The word of a language for the hours before noon (0) or after noon (12). */
const halfName = (language: string, hour: 0 | 12) =>
  new Intl.DateTimeFormat(language, { hour: '2-digit', hourCycle: 'h12', timeZone: 'UTC' })
    .formatToParts(hour * 3_600_000)
    .find(({ type }) => type === 'dayPeriod')?.value ?? ''

/**
 * Reads a typed time and returns it as `HH:MM`, or undefined if it is invalid. Accepts `8`, `830`, `8:30`, `8.30`,
 * `17h`, `9:05 pm`, `9p` and the language's own words for a.m. and p.m.
 */
export const readTime = (text: string, language = 'en'): string | undefined => {
  const [, before = '', digits = '', after = ''] = /^(\D*)(\d.*?)(\D*)$/.exec(text.trim()) ?? []
  const [, hour, minute = '0'] = /^(\d{1,2})(?:[:.h ]?(\d{2}))?$/i.exec(digits) ?? []
  const word = normalize(before + after)
  const isOf = (...names: string[]) => names.includes(word)
  const half = isOf('a', 'am', normalize(halfName(language, 0)))
    ? 0
    : isOf('p', 'pm', normalize(halfName(language, 12)))
      ? 12
      : undefined
  if (hour === undefined || (half === undefined && !isOf('', 'h'))) return undefined
  const [typedHours, minutes] = [Number(hour), Number(minute)]
  if (minutes > 59 || (half === undefined ? typedHours > 23 : typedHours < 1 || typedHours > 12)) return undefined
  const hours = half === undefined ? typedHours : (typedHours % 12) + half
  return `${String(hours).padStart(2, '0')}:${String(minutes).padStart(2, '0')}`
}
