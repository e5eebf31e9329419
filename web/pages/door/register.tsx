import { lazy, Suspense } from 'react'
import { Trans, useTranslation } from 'react-i18next'
import { call } from '../../api.ts'
import { Button } from '../../parts/button.tsx'
import { CheckField, PasswordField, TextField } from '../../parts/field/field.tsx'
import { Form, useForm } from '../../parts/field/form.tsx'
import { Strength } from '../../parts/field/strength.tsx'
import { Door } from '../../parts/shell/door.tsx'
import {
  CodeField,
  type KeptSent,
  type MailCode,
  type Sent,
  sendCode,
  useSent,
} from '../../parts/shell/mailed-code.tsx'
import { Link, Navigate } from '../../parts/shell/router.ts'
import { passwordFaults } from '../../password.ts'
import { useSession } from '../../session.tsx'
import { ownZone } from '../../zones.ts'

// Loads lazily, because the field needs Fluent, which no other part of this page needs.
const ZoneField = lazy(() => import('../../parts/zone-field.tsx'))

const mailCode: MailCode = email => call('user/register/code', { email })

export default function Register() {
  const { t } = useTranslation('register')
  const { person, signIn } = useSession()
  const mailed = useSent('register')
  const { sent } = mailed
  if (person) return <Navigate to="/dashboard" replace />
  return (
    <Door title={t('title')}>
      <p className="step small muted">{t('step', { step: sent ? 2 : 1, of: 2 })}</p>
      <h1>{t('title')}</h1>
      {sent ? (
        <Details
          sent={sent}
          mailed={mailed}
          signIn={token => {
            mailed.forget()
            signIn(token)
          }}
        />
      ) : (
        <Address mailed={mailed} />
      )}
      <p className="after">
        {t('known')} <Link to="/login">{t('signIn')}</Link>
      </p>
    </Door>
  )
}

/** Step 1: mails a code to the user's address. */
function Address({ mailed }: { mailed: KeptSent }) {
  const { t } = useTranslation('register')
  const { kept, keep } = mailed
  const form = useForm({ email: kept?.email ?? '' })
  const submit = () =>
    form.submit(async () => keep(await sendCode(mailCode, form.values.email, kept)), {
      fieldOf: { 21001: 'email', 21002: 'email', 21003: 'email', 60008: 'email' },
    })
  return (
    <>
      <p>{t('addressText')}</p>
      <Form form={form} onSubmit={submit}>
        <TextField
          label={t('email')}
          type="email"
          inputMode="email"
          autoComplete="email"
          autoFocus
          {...form.text('email')}
        />
        <Button look="primary" type="submit" wide busy={form.busy}>
          {t('sendCode')}
        </Button>
      </Form>
    </>
  )
}

/** Step 2: the code from the mail, the person and the company. */
function Details(props: { sent: Sent; mailed: KeptSent; signIn: (token: string) => void }) {
  const { t } = useTranslation('register')
  const { email, nonce } = props.sent
  const form = useForm({
    code: '',
    first_name: '',
    last_name: '',
    company_name: '',
    timezone: ownZone(),
    password: '',
    confirm_password: '',
    terms: false,
  })
  const { password, confirm_password, terms } = form.values
  const submit = () =>
    form.submit(async () => props.signIn((await call('user/register', { email, nonce, ...form.values })).token), {
      wrong: { ...passwordFaults(password, confirm_password), terms: !terms && 60014 },
      required: ['code', 'first_name', 'last_name', 'company_name', 'password', 'confirm_password'],
      fieldOf: { 21012: 'password', 21013: 'confirm_password', 60012: 'code', 60014: 'terms' },
    })
  return (
    <>
      <p>
        <Trans
          t={t}
          i18nKey="sentTo"
          values={{ email }}
          components={{
            mail: <strong />,
            back: <button type="button" className="link" onClick={props.mailed.back} />,
          }}
        />
      </p>
      <Form form={form} onSubmit={submit}>
        <CodeField
          sent={props.sent}
          mail={mailCode}
          onSent={props.mailed.keep}
          field={form.text('code')}
          code={form.codeOf('code')}
        />
        <div className="pair">
          <TextField label={t('firstName')} autoComplete="given-name" maxLength={60} {...form.text('first_name')} />
          <TextField label={t('lastName')} autoComplete="family-name" maxLength={60} {...form.text('last_name')} />
          <TextField
            label={t('organization')}
            autoComplete="organization"
            maxLength={100}
            {...form.text('company_name', t('organizationEmpty'))}
          />
          <Suspense fallback={<TextField label={t('timezone')} disabled {...form.text('timezone')} />}>
            <ZoneField label={t('timezone')} {...form.text('timezone')} />
          </Suspense>
          <PasswordField label={t('password')} autoComplete="new-password" {...form.text('password')} />
          <PasswordField label={t('confirm')} autoComplete="new-password" {...form.text('confirm_password')} />
        </div>
        <Strength password={password} />
        <CheckField checked={terms} onCheck={value => form.set({ terms: value })} error={form.error('terms')}>
          <Trans
            t={t}
            i18nKey="accept"
            components={{
              terms: <Link to="/terms" target="_blank" />,
              privacy: <Link to="/privacy" target="_blank" />,
            }}
          />
        </CheckField>
        <Button look="primary" type="submit" wide busy={form.busy}>
          {t('create')}
        </Button>
      </Form>
    </>
  )
}
