import { Check, Circle } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Trans, useTranslation } from 'react-i18next'
import { call } from '../api.ts'
import { Button } from '../parts/button.tsx'
import { Door } from '../parts/door.tsx'
import { CheckField, PasswordField, SelectField, TextField } from '../parts/field.tsx'
import { Form, useForm } from '../parts/form.tsx'
import { Link, Navigate } from '../parts/router.ts'
import { passwordFaults, passwordRuleNames, passwordRules } from '../password.ts'
import { useSession } from '../session.tsx'
import { zones } from '../zones.ts'

/** The address a code was mailed to, and when it can be mailed again, in milliseconds of the epoch. */
interface Sent {
  email: string
  againAt: number
}

const again = (resendSeconds: number) => Date.now() + resendSeconds * 1000

/** Kept for as long as the tab, so that a page that is loaded again still asks for the code. */
const readSent = (): Sent | undefined => JSON.parse(sessionStorage.getItem('register') ?? 'null') ?? undefined
const keepSent = (sent: Sent) => sessionStorage.setItem('register', JSON.stringify(sent))
const forgetSent = () => sessionStorage.removeItem('register')

export default function Register() {
  const { t } = useTranslation('register')
  const { person, signIn } = useSession()
  const [sent, setSent] = useState(readSent)
  if (person) return <Navigate to="/dashboard" replace />
  return (
    <Door title={t('title')}>
      <p className="step small muted">{t('step', { step: sent ? 2 : 1, of: 2 })}</p>
      <h1>{t('title')}</h1>
      {sent ? (
        <Details
          {...sent}
          onBack={() => {
            forgetSent()
            setSent(undefined)
          }}
          signIn={token => {
            forgetSent()
            signIn(token)
          }}
        />
      ) : (
        <Address
          onSent={fresh => {
            keepSent(fresh)
            setSent(fresh)
          }}
        />
      )}
      <p className="after">
        {t('known')} <Link to="/login">{t('signIn')}</Link>
      </p>
    </Door>
  )
}

/** First the address: a code is mailed to it. */
function Address({ onSent }: { onSent: (sent: Sent) => void }) {
  const { t } = useTranslation('register')
  const form = useForm({ email: '' })
  const submit = () =>
    form.submit(
      async () => {
        const { resendSeconds } = await call('user/register/code', form.values)
        onSent({ email: form.values.email, againAt: again(resendSeconds) })
      },
      { fieldOf: { 21001: 'email', 21002: 'email', 21003: 'email', 60008: 'email' } },
    )
  return (
    <>
      <p>{t('addressText')}</p>
      <Form form={form} onSubmit={submit}>
        <TextField
          label={t('email')}
          type="email"
          inputMode="email"
          autoComplete="email"
          {...form.text('email')}
          {...(form.codeOf('email') === 60008 && { error: t('tooSoon') })}
        />
        <Button look="primary" type="submit" wide busy={form.busy}>
          {t('sendCode')}
        </Button>
      </Form>
    </>
  )
}

/** Then the code from the mail, the person and the company. */
function Details(props: Sent & { onBack: () => void; signIn: (token: string) => void }) {
  const { t } = useTranslation('register')
  const form = useForm({
    code: '',
    first_name: '',
    last_name: '',
    company_name: '',
    timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    password: '',
    confirm_password: '',
    terms: false,
  })
  const [zoneList] = useState(zones)
  const { password, confirm_password, terms } = form.values
  const submit = () =>
    form.submit(async () => props.signIn((await call('user/register', { email: props.email, ...form.values })).token), {
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
          values={{ email: props.email }}
          components={{ mail: <strong />, back: <button type="button" className="link" onClick={props.onBack} /> }}
        />
      </p>
      <Form form={form} onSubmit={submit}>
        <TextField
          label={t('code')}
          className="code"
          inputMode="numeric"
          autoComplete="one-time-code"
          maxLength={6}
          autoFocus
          suffix={<Resend email={props.email} againAt={props.againAt} />}
          {...form.text('code')}
          {...(form.codeOf('code') !== undefined && form.codeOf('code') !== 60001 && { error: t('wrongCode') })}
        />
        <div className="pair">
          <TextField label={t('firstName')} autoComplete="given-name" maxLength={60} {...form.text('first_name')} />
          <TextField label={t('lastName')} autoComplete="family-name" maxLength={60} {...form.text('last_name')} />
          <TextField
            label={t('organization')}
            autoComplete="organization"
            maxLength={100}
            {...form.text('company_name')}
          />
          <SelectField label={t('timezone')} options={zoneList} {...form.text('timezone')} />
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

/** Sends the code again, once the count-down has run out. */
function Resend({ email, againAt }: Sent) {
  const { t } = useTranslation('register')
  const form = useForm({ email })
  const [until, setUntil] = useState(againAt)
  const [now, setNow] = useState(Date.now)
  const left = Math.max(0, Math.ceil((until - now) / 1000))
  useEffect(() => {
    if (left === 0) return
    const timer = setTimeout(() => setNow(Date.now()), 1000)
    return () => clearTimeout(timer)
  }, [left])
  const send = () =>
    form.submit(async () => {
      const { resendSeconds } = await call('user/register/code', { email })
      const sent = { email, againAt: again(resendSeconds) }
      keepSent(sent)
      setUntil(sent.againAt)
      setNow(Date.now())
    })
  return left > 0 ? (
    <span className="figure">{t('resendIn', { seconds: left })}</span>
  ) : (
    <button type="button" className="link" onClick={send} disabled={form.busy}>
      {t('resend')}
    </button>
  )
}

/** What a password must have, ticked as it is typed; the server judges it. */
function Strength({ password }: { password: string }) {
  const { t } = useTranslation('register')
  return (
    <ul className="strength small" aria-label={t('passwordNeeds')}>
      {passwordRuleNames.map(rule => {
        const isMet = passwordRules[rule](password)
        return (
          <li key={rule} className={isMet ? 'met' : undefined}>
            {isMet ? <Check className="icon" aria-hidden="true" /> : <Circle className="icon" aria-hidden="true" />}
            {t(`rule.${rule}`)}
            {isMet && <span className="unseen"> ✓</span>}
          </li>
        )
      })}
    </ul>
  )
}
