// What people type for a time of day, wherever one is asked for.

/** Without what stands between or behind letters, and without case: `p. m.` is `pm`. */
const plain = (text: string) => text.replace(/[\s.]/g, '').toLowerCase()

/** What a language calls the hours before noon, or after it. */
const halfName = (language: string, hour: 0 | 12) =>
  new Intl.DateTimeFormat(language, { hour: '2-digit', hourCycle: 'h12', timeZone: 'UTC' })
    .formatToParts(hour * 3_600_000)
    .find(({ type }) => type === 'dayPeriod')?.value ?? ''

/**
 * Reads what people type for a time: `8`, `830`, `8:30`, `8.30`, `17h`, and of twelve hours `9:05 pm`, `9p` or as the language
 * itself writes them; undefined where it is none.
 */
export const readTime = (text: string, language = 'en'): string | undefined => {
  const [, before = '', digits = '', after = ''] = /^(\D*)(\d.*?)(\D*)$/.exec(text.trim()) ?? []
  const [, hour, minute = '0'] = /^(\d{1,2})(?:[:.h ]?(\d{2}))?$/i.exec(digits) ?? []
  const word = plain(before + after)
  const isOf = (...names: string[]) => names.includes(word)
  const half = isOf('a', 'am', plain(halfName(language, 0)))
    ? 0
    : isOf('p', 'pm', plain(halfName(language, 12)))
      ? 12
      : undefined
  if (hour === undefined || (half === undefined && !isOf('', 'h'))) return undefined
  const [read, minutes] = [Number(hour), Number(minute)]
  if (minutes > 59 || (half === undefined ? read > 23 : read < 1 || read > 12)) return undefined
  const hours = half === undefined ? read : (read % 12) + half
  return `${String(hours).padStart(2, '0')}:${String(minutes).padStart(2, '0')}`
}
