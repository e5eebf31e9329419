import type { Key } from './table.ts'

/** What a stage is told to send mail from that sends none: its mails are kept for an hour, for whoever tries it out. */
export const noSender = 'outbox'

export interface KeptMail {
  to: string
  subject: string
  text: string
  expiresAt: number
}
/** Global, the newest last. */
export const keptMailKey = (to: string, id: string): Key<KeptMail> => ({ pk: `OUTBOX#${to}`, sk: id })
