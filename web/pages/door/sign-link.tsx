import { Trans, useTranslation } from 'react-i18next'
import { call } from '../../api.ts'
import { Button } from '../../parts/button.tsx'
import { TextField } from '../../parts/field/field.tsx'
import { Form, useForm } from '../../parts/field/form.tsx'
import { Door } from '../../parts/shell/door.tsx'
import { type MailCode, Resend, sendCode, useSent } from '../../parts/shell/mailed-code.tsx'
import { Link, Navigate } from '../../parts/shell/router.ts'
import { useSession } from '../../session.tsx'

const mailLink: MailCode = email => call('user/login/link', { email })

/** Sign-in without a password: mails a link that signs the user in. */
export default function SignLink() {
  const { t } = useTranslation(['login', 'register'])
  const { person } = useSession()
  const { sent, kept, keep, back } = useSent('link')
  const form = useForm({ email: kept?.email ?? '' })
  if (person) return <Navigate to="/dashboard" replace />
  const submit = () =>
    form.submit(async () => keep(await sendCode(mailLink, form.values.email, kept)), {
      fieldOf: { 21001: 'email', 21002: 'email', 21004: 'email', 60008: 'email' },
    })
  return (
    <Door title={t('link.title')}>
      <h1>{t('link.title')}</h1>
      {sent ? (
        <>
          <p role="status">
            <Trans
              t={t}
              i18nKey="link.sent"
              values={{ email: sent.email }}
              components={{
                mail: <strong />,
                back: <button type="button" className="link" onClick={back} />,
              }}
            />
          </p>
          <p className="after">
            <Resend sent={sent} mail={mailLink} onSent={keep} />
          </p>
        </>
      ) : (
        <>
          <p>{t('link.text')}</p>
          <Form form={form} onSubmit={submit}>
            <TextField
              label={t('email')}
              type="email"
              inputMode="email"
              autoComplete="username"
              autoFocus
              {...form.text('email')}
            />
            <Button look="primary" type="submit" wide busy={form.busy}>
              {t('link.send')}
            </Button>
          </Form>
        </>
      )}
      <p className="after">
        <Link to="/login">{t('link.back')}</Link>
      </p>
    </Door>
  )
}
