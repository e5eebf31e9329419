import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Code } from '../../../shared/errors.ts'
import { isFault } from '../../api.ts'
import { say } from '../say/toast.tsx'

// What a form knows: its values, what is wrong with them by field, and whether it is being sent.

/** In how long, as a language says it: in seconds up to a minute and a half, then in minutes, then in hours, never too early. */
export const fromNow = (seconds: number, language: string) => {
  const relative = new Intl.RelativeTimeFormat(language)
  if (seconds <= 90) return relative.format(Math.ceil(seconds), 'second')
  if (seconds <= 5400) return relative.format(Math.ceil(seconds / 60), 'minute')
  return relative.format(Math.ceil(seconds / 3600), 'hour')
}

/** How many seconds a refusal asks to wait, where it says so. */
export const secondsOf = (about: unknown): number | undefined =>
  about instanceof Object && 'seconds' in about && typeof about.seconds === 'number' ? about.seconds : undefined

/**
 * The sentence of a code in the person's language, with how long to wait where the answer is `about` that; a code without a
 * sentence is shown as it is.
 */
export const useSentence = () => {
  const { t, i18n } = useTranslation('error')
  return (code: number | 'network', about?: unknown) => {
    const seconds = secondsOf(about)
    if (code === 60008 && seconds !== undefined) return t('wait', { when: fromNow(seconds, i18n.language) })
    return i18n.exists(`error:${code}`) ? t(`${code as Code}`) : t('unknown', { code: String(code) })
  }
}

/** Says what went wrong with a call that no field is to blame for. */
export const useComplaint = () => {
  const sentence = useSentence()
  return (error: unknown) => {
    if (!isFault(error)) throw error
    // An ended session asks its own question.
    if (error.code === 101 || error.code === 502) return
    say(sentence(error.code, error.about), error.code === 'network' ? 'network' : 'danger')
  }
}

type Named<V> = Extract<keyof V, string>
type TextNames<V> = { [K in Named<V>]: V[K] extends string ? K : never }[Named<V>]

/**
 * `item` is what the values were filled from. The form keeps it as `from`: a change is sent with its version, whatever is read
 * meanwhile, so that what somebody else saved since is not undone unseen.
 */
export const useForm = <V extends object, Item = undefined>(initial: V, item?: Item) => {
  const [values, setValues] = useState(initial)
  const [from, setFrom] = useState(item as Item)
  const [errors, setErrors] = useState<Record<string, number>>({})
  const [about, setAbout] = useState<unknown>()
  const [busy, setBusy] = useState(false)
  const [initialText, setInitialText] = useState(() => JSON.stringify(initial))
  const form = useRef<HTMLFormElement>(null)
  const sentence = useSentence()
  const complain = useComplaint()

  /** Changes values; what was wrong with them is forgotten. */
  const set = (change: Partial<V>) => {
    setValues(was => ({ ...was, ...change }))
    const changed = Object.keys(change)
    setErrors(was =>
      Object.fromEntries(
        Object.entries(was).filter(([field]) => !changed.some(name => field === name || field.startsWith(`${name}.`))),
      ),
    )
  }

  /** Begins anew with these values, of this item: nothing is changed and nothing wrong. */
  const restart = (values: V, item: Item = from) => {
    setValues(values)
    setFrom(item)
    setInitialText(JSON.stringify(values))
    setErrors({})
  }

  // After the fields have been drawn as wrong, the first of them takes the focus.
  const [blames, setBlames] = useState(0)
  useEffect(() => {
    if (blames > 0) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [blames])
  const blame = (fields: Record<string, number>, about?: unknown) => {
    setErrors(fields)
    setAbout(about)
    setBlames(count => count + 1)
  }

  /**
   * Sends. Fields named by the answer are blamed; a code that belongs to one field without naming it is blamed on
   * `fieldOf[code]`; anything else is said as a toast, or by the question in which it `isAsked` whether to send. Nothing is sent
   * while a required value is empty or a value is `wrong`: all of them are marked at once.
   */
  const submit = async (
    action: () => Promise<void>,
    {
      required = [],
      wrong = {},
      fieldOf = {},
      isAsked = false,
    }: {
      required?: Named<V>[]
      wrong?: Record<string, number | false>
      fieldOf?: Partial<Record<number, string>>
      isAsked?: boolean
    } = {},
  ) => {
    const missing = required.filter(name => {
      const value = values[name]
      return typeof value === 'string' && value.trim() === ''
    })
    const faults = [
      ...Object.entries(wrong).flatMap(([name, code]) => (code === false ? [] : [[name, code] as const])),
      ...missing.map(name => [name, 60001] as const),
    ]
    if (faults.length > 0) return blame(Object.fromEntries(faults))
    setBusy(true)
    try {
      await action()
    } catch (error) {
      if (!isFault(error)) throw error
      const owner = fieldOf[Number(error.code)]
      if (Object.keys(error.fields).length > 0) blame(error.fields, error.about)
      else if (owner && error.code !== 'network') blame({ [owner]: error.code }, error.about)
      else if (isAsked) throw error
      else complain(error)
    } finally {
      setBusy(false)
    }
  }

  const error = (field: string) => {
    const code = errors[field]
    return code === undefined ? undefined : sentence(code, about)
  }

  return {
    ref: form,
    values,
    from,
    setFrom,
    set,
    restart,
    blame,
    busy,
    submit,
    isChanged: JSON.stringify(values) !== initialText,
    /** The code a field is blamed with, and its sentence. */
    codeOf: (field: string) => errors[field],
    error,
    /** Everything a text field needs to stand for the value of this name, and what it says where it may not be empty. */
    text: (name: TextNames<V>, whenEmpty?: string) => ({
      name,
      value: String(values[name]),
      error: whenEmpty && errors[name] === 60001 ? whenEmpty : error(name),
      onText: (value: string) => set({ [name]: value } as unknown as Partial<V>),
    }),
  }
}

/** A field that cannot take what was typed says so itself, and gets the focus: what it stood for before is not what was meant. */
export const focusUnread = (around: HTMLElement | null): boolean => {
  const unread = around?.querySelector<HTMLElement>('.unread :is(input, textarea)')
  unread?.focus()
  return !!unread
}

/** A form that is sent by Enter and by its button, and checked by us rather than by the browser. */
export function Form(props: {
  form: { ref: React.RefObject<HTMLFormElement | null>; busy: boolean }
  id?: string
  className?: string
  onSubmit: () => void
  children: ReactNode
}) {
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (!focusUnread(event.currentTarget) && !props.form.busy) props.onSubmit()
  }
  return (
    <form ref={props.form.ref} id={props.id} className={props.className} noValidate onSubmit={send}>
      {props.children}
    </form>
  )
}
