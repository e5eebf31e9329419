import { SESv2Client, SendEmailCommand } from '@aws-sdk/client-sesv2'
import { environment } from './environment.ts'

const ses = new SESv2Client()

/** A mail as plain text. All that is sent is 40 MB at most, and written into a mail a file takes a third more than it has. */
export interface NewMail {
  to: string
  subject: string
  text: string
  files?: { name: string; type: string; bytes: Uint8Array }[]
}

export const sendMail = async ({ to, subject, text, files = [] }: NewMail): Promise<void> => {
  await ses.send(
    new SendEmailCommand({
      FromEmailAddress: environment('MAIL_FROM'),
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
