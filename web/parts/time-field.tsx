import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Field } from './field.tsx'
import './time-field.css'

/** Reads what people type for a time: `8`, `830`, `8:30`, `8.30`, `17h`; undefined where it is none. */
export const readTime = (text: string): string | undefined => {
  const match = /^(\d{1,2})(?:[:.h ]?(\d{2}))?h?$/i.exec(text.trim())
  const [hours, minutes] = [Number(match?.[1]), Number(match?.[2] ?? 0)]
  if (!match || hours > 23 || minutes > 59) return undefined
  return `${String(hours).padStart(2, '0')}:${String(minutes).padStart(2, '0')}`
}

/**
 * A wall time, `HH:MM`, with `+1` or `-1` where it is on the date beside the work day. Where `otherDay` is given, a button in
 * the field moves it there; `day` only says so, where the time itself tells. What is typed and is no time stays in the field,
 * is called wrong there, and keeps a form from being sent.
 */
export function TimeField(props: {
  label: string
  value: string
  onText: (value: string) => void
  error?: string | undefined
  hint?: string
  otherDay?: '-1' | '+1'
  day?: string | undefined
  className?: string
}) {
  const { t } = useTranslation('shift')
  const { label, value, onText, otherDay, className } = props
  const clock = value.slice(0, 5)
  const offset = value.slice(5)
  const [typed, setTyped] = useState(clock)
  useEffect(() => setTyped(clock), [clock])
  const [isTyping, setTyping] = useState(false)
  // What nobody has filled in yet is no wrong time.
  const isUnread = readTime(typed) === undefined && !(typed === '' && value === '')
  const error = isTyping ? undefined : isUnread ? t('wrong.time') : props.error
  const settle = () => {
    setTyping(false)
    const time = readTime(typed)
    if (time === undefined) return
    setTyped(time)
    if (time !== clock) onText(time + offset)
  }
  const dayName = otherDay && t(otherDay === '+1' ? 'day.after' : 'day.before')
  return (
    <Field {...{ label, error, hint: props.hint, ...(className && { className }) }}>
      {ids => (
        <div className={['input time', error && 'wrong', isUnread && 'unread'].filter(Boolean).join(' ')}>
          <input
            {...ids}
            inputMode="numeric"
            placeholder="--:--"
            value={typed}
            onChange={event => {
              setTyped(event.target.value)
              // Complete times are taken at once, so that the drawn day follows the typing.
              const isWhole = /^\d{2}:\d{2}$/.test(event.target.value) && readTime(event.target.value) !== undefined
              setTyping(!isWhole)
              if (isWhole) onText(event.target.value + offset)
            }}
            onBlur={settle}
            // Enter sends the form with what stands here.
            onKeyDown={event => event.key === 'Enter' && settle()}
          />
          {dayName && clock && (
            <button
              type="button"
              className="other-day"
              aria-label={t('dayOf', { field: label, day: dayName })}
              aria-pressed={offset !== ''}
              onClick={() => onText(clock + (offset === '' ? otherDay : ''))}
            >
              {dayName}
            </button>
          )}
          {props.day && <span className="suffix">{props.day}</span>}
        </div>
      )}
    </Field>
  )
}
