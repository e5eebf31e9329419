import { Trans, useTranslation } from 'react-i18next'
import { call } from '../../api.ts'
import { Button } from '../../parts/button.tsx'
import { PasswordField, TextField } from '../../parts/field/field.tsx'
import { Form, useForm } from '../../parts/field/form.tsx'
import { Strength } from '../../parts/field/strength.tsx'
import { say } from '../../parts/say/toast.tsx'
import { Door } from '../../parts/shell/door.tsx'
import {
  CodeField,
  type KeptSent,
  type MailCode,
  type Sent,
  sendCode,
  useSent,
} from '../../parts/shell/mailed-code.tsx'
import { Link, Navigate, usePageNavigate } from '../../parts/shell/router.ts'
import { passwordFaults } from '../../password.ts'
import { useSession } from '../../session.tsx'

const mailCode: MailCode = email => call('user/forgot', { email })

/** Resets a forgotten password with a code from the user's mail. */
export default function Forget() {
  const { t } = useTranslation(['forget', 'register'])
  const { person } = useSession()
  const mailed = useSent('forget')
  const { sent } = mailed
  if (person) return <Navigate to="/dashboard" replace />
  return (
    <Door title={t('title')}>
      <p className="step small muted">{t('register:step', { step: sent ? 2 : 1, of: 2 })}</p>
      <h1>{t('title')}</h1>
      {sent ? <NewPassword sent={sent} mailed={mailed} /> : <Address mailed={mailed} />}
      <p className="after">
        {t('remembered')} <Link to="/login">{t('signIn')}</Link>
      </p>
    </Door>
  )
}

function Address({ mailed }: { mailed: KeptSent }) {
  const { t } = useTranslation(['forget', 'register'])
  const { kept, keep } = mailed
  const form = useForm({ email: kept?.email ?? '' })
  const submit = () =>
    form.submit(async () => keep(await sendCode(mailCode, form.values.email, kept)), {
      fieldOf: { 21001: 'email', 21002: 'email', 21004: 'email', 60008: 'email' },
    })
  return (
    <>
      <p>{t('text')}</p>
      <Form form={form} onSubmit={submit}>
        <TextField
          label={t('register:email')}
          type="email"
          inputMode="email"
          autoComplete="username"
          autoFocus
          {...form.text('email')}
        />
        <Button look="primary" type="submit" wide busy={form.busy}>
          {t('register:sendCode')}
        </Button>
      </Form>
      <p className="after small">{t('byNumber')}</p>
    </>
  )
}

function NewPassword({ sent, mailed }: { sent: Sent; mailed: KeptSent }) {
  const { t } = useTranslation(['forget', 'register'])
  const navigate = usePageNavigate()
  const form = useForm({ code: '', new_password: '', confirm_password: '' })
  const { new_password, confirm_password } = form.values
  const faults = passwordFaults(new_password, confirm_password)
  const submit = () =>
    form.submit(
      async () => {
        await call('user/forgot/save', { email: sent.email, nonce: sent.nonce, ...form.values })
        mailed.forget()
        say(t('done'))
        navigate('/login', { replace: true })
      },
      {
        wrong: { new_password: faults.password, confirm_password: faults.confirm_password },
        required: ['code', 'new_password', 'confirm_password'],
        fieldOf: { 21012: 'new_password', 21013: 'confirm_password', 60012: 'code', 60030: 'new_password' },
      },
    )
  return (
    <>
      <p>
        <Trans
          t={t}
          i18nKey="register:sentTo"
          values={{ email: sent.email }}
          components={{
            mail: <strong />,
            back: <button type="button" className="link" onClick={mailed.back} />,
          }}
        />
      </p>
      <Form form={form} onSubmit={submit}>
        <CodeField
          sent={sent}
          mail={mailCode}
          onSent={mailed.keep}
          field={form.text('code')}
          code={form.codeOf('code')}
        />
        <PasswordField label={t('new')} autoComplete="new-password" {...form.text('new_password')} />
        <PasswordField label={t('register:confirm')} autoComplete="new-password" {...form.text('confirm_password')} />
        <Strength password={new_password} />
        <Button look="primary" type="submit" wide busy={form.busy}>
          {t('save')}
        </Button>
      </Form>
      <p className="after small">{t('ends')}</p>
    </>
  )
}
