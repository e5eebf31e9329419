import { ChevronDown } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Field } from './field.tsx'

/** Reads what people type for a time: `8`, `830`, `8:30`, `8.30`, `17h`; undefined where it is none. */
export const readTime = (text: string): string | undefined => {
  const match = /^(\d{1,2})(?:[:.h ]?(\d{2}))?h?$/i.exec(text.trim())
  const [hours, minutes] = [Number(match?.[1]), Number(match?.[2] ?? 0)]
  if (!match || hours > 23 || minutes > 59) return undefined
  return `${String(hours).padStart(2, '0')}:${String(minutes).padStart(2, '0')}`
}

type Offset = '' | '-1' | '+1'
const offsets: readonly Offset[] = ['-1', '', '+1']
const names = { '-1': 'before', '': 'same', '+1': 'after' } as const

/**
 * A wall time, `HH:MM` with `+1` or `-1` for the date beside the work day. Where `days` is given, the date can be chosen.
 * What is typed and is no time stays in the field, is called wrong there, and keeps a form from being sent.
 */
export function TimeField(props: {
  label: string
  value: string
  onText: (value: string) => void
  error?: string | undefined
  hint?: string
  days?: readonly Offset[]
  className?: string
}) {
  const { t } = useTranslation('shift')
  const { label, value, onText, days, className } = props
  const clock = value.slice(0, 5)
  const offset = offsets.find(day => day !== '' && value.endsWith(day)) ?? ''
  const [typed, setTyped] = useState(clock)
  useEffect(() => setTyped(clock), [clock])
  const [isTyping, setTyping] = useState(false)
  const isUnread = readTime(typed) === undefined
  const error = isUnread && !isTyping ? t('wrong.time') : props.error
  const settle = () => {
    setTyping(false)
    const time = readTime(typed)
    if (time === undefined) return
    setTyped(time)
    if (time !== clock) onText(time + offset)
  }
  return (
    <Field {...{ label, error, hint: props.hint, ...(className && { className }) }}>
      {ids => (
        <div className={['input time', error && 'wrong', isUnread && 'unread'].filter(Boolean).join(' ')}>
          <input
            {...ids}
            inputMode="numeric"
            maxLength={5}
            placeholder="HH:MM"
            value={typed}
            onChange={event => {
              setTyped(event.target.value)
              setTyping(true)
              // Complete times are taken at once, so that the drawn day follows the typing.
              if (/^\d{2}:\d{2}$/.test(event.target.value) && readTime(event.target.value)) {
                onText(event.target.value + offset)
              }
            }}
            onBlur={settle}
            // Enter sends the form with what stands here.
            onKeyDown={event => event.key === 'Enter' && settle()}
          />
          {days && (
            <>
              <select
                aria-label={t('dayOf', { field: label })}
                value={offset}
                onChange={event => onText(clock + event.target.value)}
              >
                {days.map(day => (
                  <option key={day} value={day}>
                    {t(`day.${names[day]}`)}
                  </option>
                ))}
              </select>
              <ChevronDown className="icon" aria-hidden="true" />
            </>
          )}
        </div>
      )}
    </Field>
  )
}
