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
  if (kind === 'request.asked') return 'asked'
  if (kind === 'request.entered') return 'entered'
  if (kind === 'request.cancelled') return 'cancelled'
  if (kind === 'request.commented') return 'commented'
  return status === 1 || status === 2 ? decisions[status] : 'withdrawn'
}
