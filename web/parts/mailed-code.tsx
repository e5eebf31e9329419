import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { TextField } from './field.tsx'
import { useForm } from './form.tsx'

// Forms in two steps: an address, then the code that was mailed to it.

/** The address a code was mailed to, and when it can be mailed again, in milliseconds of the epoch. */
export interface Sent {
  email: string
  againAt: number
}

/** Asks the server to mail a code; answers after how many seconds it may be asked again. */
export type MailCode = (email: string) => Promise<{ resendSeconds: number }>

/** Mails a code and answers what is to be remembered of it. */
export const sendCode = async (mail: MailCode, email: string): Promise<Sent> => {
  const { resendSeconds } = await mail(email)
  return { email, againAt: Date.now() + resendSeconds * 1000 }
}

/** Kept for as long as the tab, so that a page that is loaded again still asks for the code. */
export const useSent = (purpose: string) => {
  const [sent, setSent] = useState<Sent | undefined>(
    () => JSON.parse(sessionStorage.getItem(purpose) ?? 'null') ?? undefined,
  )
  const keep = (fresh: Sent | undefined) => {
    if (fresh) sessionStorage.setItem(purpose, JSON.stringify(fresh))
    else sessionStorage.removeItem(purpose)
    setSent(fresh)
  }
  return [sent, keep] as const
}

/** The six digits, and the button that has them mailed again. */
export function CodeField(props: {
  sent: Sent
  mail: MailCode
  onSent: (sent: Sent) => void
  /** What the form knows of its field `code`. */
  field: { name?: string; value: string; onText: (value: string) => void; error?: string | undefined }
  code: number | undefined
}) {
  const { t } = useTranslation('register')
  // Whatever is wrong with a code that was typed, its owner reads one sentence.
  const isWrong = props.code !== undefined && props.code !== 60001
  return (
    <TextField
      label={t('code')}
      className="code"
      inputMode="numeric"
      autoComplete="one-time-code"
      maxLength={6}
      autoFocus
      suffix={<Resend {...props} />}
      {...props.field}
      {...(isWrong && { error: t('wrongCode') })}
    />
  )
}

/** Sends the code again, once the count-down has run out. */
export function Resend({ sent, mail, onSent }: { sent: Sent; mail: MailCode; onSent: (sent: Sent) => void }) {
  const { t } = useTranslation('register')
  const form = useForm({})
  const [now, setNow] = useState(Date.now)
  const left = Math.max(0, Math.ceil((sent.againAt - now) / 1000))
  useEffect(() => {
    if (left === 0) return
    const timer = setTimeout(() => setNow(Date.now()), 1000)
    return () => clearTimeout(timer)
  }, [left])
  const send = () =>
    form.submit(async () => {
      onSent(await sendCode(mail, sent.email))
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
