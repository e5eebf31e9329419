import type { Key } from './table.ts'

/** The sender of a stage that sends no mail. The table keeps its mails for an hour, for testers. */
export const noSender = 'outbox'

export interface KeptMail {
  to: string
  subject: string
  text: string
  expiresAt: number
}
/** Global, newest mail last. */
export const keptMailKey = (to: string, id: string): Key<KeptMail> => ({ pk: `OUTBOX#${to}`, sk: id })
