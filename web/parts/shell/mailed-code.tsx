import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { isFault } from '../../api.ts'
import { TextField } from '../field/field.tsx'
import { fromNow, secondsOf, useForm } from '../field/form.tsx'
import { useLocation, usePageNavigate } from './router.ts'

// Forms in two steps: an address, then the code that was mailed to it.

/** The address a code was mailed to, and when it can be mailed again, in milliseconds of the epoch. */
export interface Sent {
  email: string
  againAt: number
  /** What the server wants with the code; a mailed link needs none. */
  nonce: string
}

/** Asks the server to mail a code; answers after how many seconds it may be asked again. */
export type MailCode = (email: string) => Promise<{ resendSeconds: number; nonce?: string }>

/** Mails a code and answers what is to be remembered of it. Who comes back at once gets no second one: the first is good. */
export const sendCode = async (mail: MailCode, email: string, kept?: Sent): Promise<Sent> => {
  if (kept?.email === email && kept.againAt > Date.now()) return kept
  const { resendSeconds, nonce = '' } = await mail(email)
  return { email, nonce, againAt: Date.now() + resendSeconds * 1000 }
}

/** The second step of a form is an entry of the browser's history, so that its Back leads to the first. */
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

/** What was sent is kept for as long as the tab, so that a page that is loaded again still asks for the code. */
export const useSent = (purpose: string) => {
  const step = useSecondStep()
  const [kept, setKept] = useState<Sent | undefined>(
    () => JSON.parse(sessionStorage.getItem(purpose) ?? 'null') ?? undefined,
  )
  return {
    kept,
    /** The same, while the page stands at its second step. */
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
  // Whatever is wrong with a code that was typed, its owner reads one sentence; after too many tries it is good no more.
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

/** Sends the code again, once the count-down has run out. */
export function Resend({ sent, mail, onSent }: { sent: Sent; mail: MailCode; onSent: (sent: Sent) => void }) {
  const { t, i18n } = useTranslation('register')
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
      try {
        onSent(await sendCode(mail, sent.email))
      } catch (error) {
        // Refused for a while, it counts down that while.
        const seconds = isFault(error) && secondsOf(error.about)
        if (seconds) onSent({ ...sent, againAt: Date.now() + seconds * 1000 })
        throw error
      } finally {
        setNow(Date.now())
      }
    })
  return left > 0 ? (
    <span className="figure">{left > 90 ? fromNow(left, i18n.language) : t('resendIn', { seconds: left })}</span>
  ) : (
    <button type="button" className="link" onClick={send} disabled={form.busy}>
      {t('resend')}
    </button>
  )
}
