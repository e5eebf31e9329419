// Writes an iCalendar feed (RFC 5545). All times are instants in UTC, so it needs no time zone definitions.

export interface CalendarEvent {
  /** Stays the same for the same shift of the same day, so that apps update the entry. */
  uid: string
  /** Grows with every change of the entry. */
  sequence: number
  /** The instant of the last change, if it is known. */
  changedAt?: number
  title: string
  /** The instants of work, or a whole day for a shift without hours. */
  time: { from: number; to: number } | { day: string; nextDay: string }
}

const escapeText = (text: string): string =>
  text.replace(/[\\;,]/g, character => `\\${character}`).replace(/\r?\n/g, '\\n')

const mostOctets = 75

/** Folds a line after 75 octets, never within a character. A continuation begins with a space. */
const fold = (line: string): string => {
  const parts: string[] = []
  let [part, octets] = ['', 0]
  for (const character of line) {
    const length = Buffer.byteLength(character)
    if (octets + length > mostOctets) {
      parts.push(part)
      // The space of the continuation counts.
      ;[part, octets] = ['', 1]
    }
    part += character
    octets += length
  }
  return [...parts, part].join('\r\n ')
}

const instant = (at: number): string => new Date(at).toISOString().replace(/[-:]|\.\d+/g, '')
const date = (day: string): string => day.replaceAll('-', '')

const linesOf = ({ uid, sequence, changedAt, title, time }: CalendarEvent, stamp: string): string[] => [
  'BEGIN:VEVENT',
  `UID:${uid}`,
  `DTSTAMP:${stamp}`,
  `SEQUENCE:${sequence}`,
  ...(changedAt === undefined ? [] : [`LAST-MODIFIED:${instant(changedAt)}`]),
  ...('day' in time
    ? [`DTSTART;VALUE=DATE:${date(time.day)}`, `DTEND;VALUE=DATE:${date(time.nextDay)}`, 'TRANSP:TRANSPARENT']
    : [`DTSTART:${instant(time.from)}`, `DTEND:${instant(time.to)}`]),
  `SUMMARY:${escapeText(title)}`,
  'END:VEVENT',
]

export const composeCalendar = (name: string, events: readonly CalendarEvent[], now: number): string =>
  [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Attendance//Schedule//EN',
    'CALSCALE:GREGORIAN',
    'METHOD:PUBLISH',
    `X-WR-CALNAME:${escapeText(name)}`,
    'REFRESH-INTERVAL;VALUE=DURATION:PT1H',
    'X-PUBLISHED-TTL:PT1H',
    ...events.flatMap(event => linesOf(event, instant(now))),
    'END:VCALENDAR',
    '',
  ]
    .map(fold)
    .join('\r\n')
