import { daySpans } from '../local-day.ts'
import type { NoticeEvent } from '../notice.ts'

const decisions = { 1: 'approved', 2: 'declined' } as const

const corrections = {
  counts: 'corrected',
  decided: 'decided',
  proposed: 'proposed',
  agreed: 'agreed',
  objected: 'objected',
  absent: 'absent',
} as const

/** The key of a notice's sentence; the site and the mails use the same. */
export const sentenceOf = ({
  kind,
  status,
  correction,
}: {
  kind: NoticeEvent['kind']
  status?: number | undefined
  correction?: NoticeEvent['correction'] | undefined
}) => {
  if (correction) return corrections[correction]
  if (kind === 'punch.forgotten') return 'forgotten'
  if (kind === 'day.explained') return 'explained'
  if (kind === 'record.held') return 'held'
  if (kind === 'mailing.failed') return 'mailingFailed'
  if (kind === 'schedule.published') return 'published'
  if (kind === 'request.asked') return 'asked'
  if (kind === 'request.entered') return 'entered'
  if (kind === 'request.cancelled') return 'cancelled'
  if (kind === 'request.commented') return 'commented'
  return status === 1 || status === 2 ? decisions[status] : 'withdrawn'
}

/** The most spans of days in a sentence. */
const mostSpans = 4

/** The days of a notice as text. Names several spans, because a publication may change single days of a month. */
export const daysText = (
  { day, toDay, days }: Pick<NoticeEvent, 'day' | 'toDay' | 'days'>,
  format: (day: string) => string,
): string => {
  const spans = daySpans(days ?? [])
  const shown = spans.length > 0 ? spans : [{ from: day, to: toDay }]
  const words = shown
    .slice(0, mostSpans)
    .map(({ from, to }) => (from === to ? format(from) : `${format(from)} – ${format(to)}`))
    .join(', ')
  return shown.length > mostSpans ? `${words} …` : words
}
