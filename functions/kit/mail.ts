import { SESv2Client, SendEmailCommand } from '@aws-sdk/client-sesv2'
import { environment } from './environment.ts'

const ses = new SESv2Client()

/** Sends one mail as plain text. */
export const sendMail = async (mail: { to: string; subject: string; text: string }): Promise<void> => {
  await ses.send(
    new SendEmailCommand({
      FromEmailAddress: environment('MAIL_FROM'),
      Destination: { ToAddresses: [mail.to] },
      Content: { Simple: { Subject: { Data: mail.subject }, Body: { Text: { Data: mail.text } } } },
    }),
  )
}
