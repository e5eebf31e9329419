import { SESv2Client, SendEmailCommand } from '@aws-sdk/client-sesv2'
import { keptMailKey, noSender } from '../../shared/mail.ts'
import { environment } from './environment.ts'
import { newId } from './id.ts'
import { directory, save } from './table.ts'

const ses = new SESv2Client()

/** A mail as plain text. All that is sent is 40 MB at most, and written into a mail a file takes a third more than it has. */
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

/** Sends a mail, or keeps it where this deployment sends none. */
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
