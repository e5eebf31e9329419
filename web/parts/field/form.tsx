import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Code } from '../../../shared/errors.ts'
import { isFault } from '../../api.ts'
import { say } from '../say/toast.tsx'

// The state of a form: its values, its errors by field, and whether the form is being sent.

/** Formats a wait in a language. Uses seconds up to 90 s, minutes up to 90 min, and then hours. Always rounds up. */
export const fromNow = (seconds: number, language: string) => {
  const relative = new Intl.RelativeTimeFormat(language)
  if (seconds <= 90) return relative.format(Math.ceil(seconds), 'second')
  if (seconds <= 5400) return relative.format(Math.ceil(seconds / 60), 'minute')
  return relative.format(Math.ceil(seconds / 3600), 'hour')
}

/** The seconds to wait before a retry, if the error's details contain them. */
export const secondsOf = (about: unknown): number | undefined =>
  about instanceof Object && 'seconds' in about && typeof about.seconds === 'number' ? about.seconds : undefined

/**
 * Returns a function that gives the sentence of a code in the user's language. For code 60008 the sentence includes the
 * wait, if `about` contains it. The sentence of an unknown code contains the code itself.
 */
export const useSentence = () => {
  const { t, i18n } = useTranslation('error')
  return (code: number | 'network', about?: unknown) => {
    const seconds = secondsOf(about)
    if (code === 60008 && seconds !== undefined) return t('wait', { when: fromNow(seconds, i18n.language) })
    return i18n.exists(`error:${code}`) ? t(`${code as Code}`) : t('unknown', { code: String(code) })
  }
}

/** Returns a function that shows a call's error as a toast, for errors that belong to no field. */
export const useComplaint = () => {
  const sentence = useSentence()
  return (error: unknown) => {
    if (!isFault(error)) throw error
    // An ended session asks the user to sign in again.
    if (error.code === 101 || error.code === 502) return
    say(sentence(error.code, error.about), error.code === 'network' ? 'network' : 'danger')
  }
}

type Named<V> = Extract<keyof V, string>
type TextNames<V> = { [K in Named<V>]: V[K] extends string ? K : never }[Named<V>]

/**
 * The state of a form. `item` is the record that filled the values, and the form keeps it as `from`. A save sends the
 * version of that record, even if the page has read a newer one. So the save does not silently undo another user's
 * change.
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

  /** Changes values and clears their errors. */
  const set = (change: Partial<V>) => {
    setValues(previous => ({ ...previous, ...change }))
    const names = Object.keys(change)
    setErrors(previous =>
      Object.fromEntries(
        Object.entries(previous).filter(
          ([field]) => !names.some(name => field === name || field.startsWith(`${name}.`)),
        ),
      ),
    )
  }

  /** Resets the form to the values of a record, without changes and errors. */
  const restart = (values: V, item: Item = from) => {
    setValues(values)
    setFrom(item)
    setInitialText(JSON.stringify(values))
    setErrors({})
  }

  // After React has rendered the errors, the first invalid field takes the focus.
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
   * Sends the form with `action`. If a required value is empty (60001) or `wrong` has codes, it marks these fields and
   * sends nothing. After a `Fault`, it marks the fields in the answer, or else the field `fieldOf[code]`. For any other
   * `Fault` it shows a toast. With `isAsked` it rethrows that `Fault`, so that the dialog around the form shows it.
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
    /** The error code of a field. */
    codeOf: (field: string) => errors[field],
    error,
    /** The props of a text field. `whenEmpty` replaces the error text of an empty required field. */
    text: (name: TextNames<V>, whenEmpty?: string) => ({
      name,
      value: String(values[name]),
      error: whenEmpty && errors[name] === 60001 ? whenEmpty : error(name),
      onText: (value: string) => set({ [name]: value } as unknown as Partial<V>),
    }),
  }
}

/**
 * Focuses the first field with an invalid text. Returns whether there is one. The form must not send, because the
 * field's value is still the previous one.
 */
export const focusUnread = (container: HTMLElement | null): boolean => {
  const unread = container?.querySelector<HTMLElement>('.unread :is(input, textarea)')
  unread?.focus()
  return !!unread
}

/** A form with its own validation instead of the browser's. Enter or its button submits it. */
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

/** Restarts a form whenever its record changes, unless the user is editing. */
export const useFreshForm = (record: unknown, isChanged: boolean, restart: () => void) => {
  const shown = useRef(record)
  useEffect(() => {
    if (shown.current === record) return
    shown.current = record
    if (!isChanged) restart()
  })
}
