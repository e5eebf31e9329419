import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { isFault } from '../../api.ts'
import { TextField } from '../field/field.tsx'
import { fromNow, secondsOf, useForm } from '../field/form.tsx'
import { useLocation, usePageNavigate } from './router.ts'

// Forms in two steps: an e-mail address, then the one-time code that the server has mailed to it.

/** The address of a mailed code, and the time from which the server mails another, in milliseconds of the epoch. */
export interface Sent {
  email: string
  againAt: number
  /** The server requires the nonce together with the code. The nonce is empty for a mailed link. */
  nonce: string
}

/** Asks the server to mail a code. Resolves to the seconds until the next request is allowed. */
export type MailCode = (email: string) => Promise<{ resendSeconds: number; nonce?: string }>

/**
 * Mails a code and returns its data. Until `kept.againAt` it mails no second code, because the first code is still
 * valid.
 */
export const sendCode = async (mail: MailCode, email: string, kept?: Sent): Promise<Sent> => {
  if (kept?.email === email && kept.againAt > Date.now()) return kept
  const { resendSeconds, nonce = '' } = await mail(email)
  return { email, nonce, againAt: Date.now() + resendSeconds * 1000 }
}

/** The second step of a form has its own history entry, so the back button returns to the first step. */
export const useSecondStep = () => {
  const navigate = usePageNavigate()
  const { pathname, search, hash, state } = useLocation()
  const isSecond = state?.isSecondStep === true
  return {
    isSecond,
    enter: () => {
      if (!isSecond) navigate({ pathname, search, hash }, { state: { isSecondStep: true } })
    },
    leave: () => {
      if (isSecond) navigate(-1)
    },
  }
}

/** The data of the mailed code. The tab's session storage keeps it, so that a reloaded page still asks for the code. */
export const useSent = (purpose: string) => {
  const step = useSecondStep()
  const [kept, setKept] = useState<Sent | undefined>(
    () => JSON.parse(sessionStorage.getItem(purpose) ?? 'null') ?? undefined,
  )
  return {
    kept,
    /** The data of the mailed code, but only while the form is at its second step. */
    sent: step.isSecond ? kept : undefined,
    keep: (fresh: Sent) => {
      sessionStorage.setItem(purpose, JSON.stringify(fresh))
      setKept(fresh)
      step.enter()
    },
    back: step.leave,
    forget: () => {
      sessionStorage.removeItem(purpose)
      setKept(undefined)
    },
  }
}
export type KeptSent = ReturnType<typeof useSent>

/** The field for the six digits, with a button that mails another code. */
export function CodeField(props: {
  sent: Sent
  mail: MailCode
  onSent: (sent: Sent) => void
  /** The form's props for its field `code`. */
  field: { name?: string; value: string; onText: (value: string) => void; error?: string | undefined }
  code: number | undefined
}) {
  const { t } = useTranslation('register')
  // Every error of a typed code shows one sentence, except 60008: after too many attempts the code is invalid.
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
      {...(isWrong && { error: t(props.code === 60008 ? 'tooManyCodes' : 'wrongCode') })}
    />
  )
}

/** The button that mails another code, after a count-down. */
export function Resend({ sent, mail, onSent }: { sent: Sent; mail: MailCode; onSent: (sent: Sent) => void }) {
  const { t, i18n } = useTranslation('register')
  const form = useForm({})
  const [now, setNow] = useState(Date.now)
  const wait = Math.max(0, Math.ceil((sent.againAt - now) / 1000))
  useEffect(() => {
    if (wait === 0) return
    const timer = setTimeout(() => setNow(Date.now()), 1000)
    return () => clearTimeout(timer)
  }, [wait])
  const send = () =>
    form.submit(async () => {
      try {
        onSent(await sendCode(mail, sent.email))
      } catch (error) {
        // If the server refuses for some seconds, counts them down.
        const seconds = isFault(error) && secondsOf(error.about)
        if (seconds) onSent({ ...sent, againAt: Date.now() + seconds * 1000 })
        throw error
      } finally {
        setNow(Date.now())
      }
    })
  return wait > 0 ? (
    <span className="figure">{wait > 90 ? fromNow(wait, i18n.language) : t('resendIn', { seconds: wait })}</span>
  ) : (
    <button type="button" className="link" onClick={send} disabled={form.busy}>
      {t('resend')}
    </button>
  )
}
