import { SESv2Client, SendEmailCommand } from '@aws-sdk/client-sesv2'
import { keptMailKey, noSender } from '../../shared/mail.ts'
import { environment } from './environment.ts'
import { newId } from './id.ts'
import { directory, save } from './table.ts'

const ses = new SESv2Client()

/** A plain-text mail. The limit is 40 MB, and encoding enlarges attachments by a third. */
export interface NewMail {
  to: string
  subject: string
  text: string
  files?: { name: string; type: string; bytes: Uint8Array }[]
}

const keptSeconds = 3600

const keepMail = ({ to, subject, text }: NewMail): Promise<void> => {
  const expiresAt = Math.floor(Date.now() / 1000) + keptSeconds
  return save(directory().insert(keptMailKey(to, newId()), { to, subject, text, expiresAt }))
}

/** Sends a mail. A deployment without a sender stores the mail instead. */
export const sendMail = async (mail: NewMail): Promise<void> => {
  const sender = environment('MAIL_FROM')
  if (sender === noSender) return keepMail(mail)
  const { to, subject, text, files = [] } = mail
  await ses.send(
    new SendEmailCommand({
      FromEmailAddress: sender,
      Destination: { ToAddresses: [to] },
      Content: {
        Simple: {
          Subject: { Data: subject },
          Body: { Text: { Data: text } },
          ...(files.length > 0 && {
            Attachments: files.map(({ name, type, bytes }) => ({
              ...{ FileName: name, ContentType: type, RawContent: bytes },
              ContentDisposition: 'ATTACHMENT' as const,
            })),
          }),
        },
      },
    }),
  )
}
