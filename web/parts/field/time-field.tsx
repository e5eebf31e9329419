import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useFormats } from '../../format.ts'
import { Field } from './field.tsx'
import { readTime } from './read-time.ts'
import './time-field.css'

/** Between a time and its half of the day stands a space of another kind than the one on a keyboard. */
const isSame = (one: string, other: string) => one.replace(/\s/g, ' ') === other.replace(/\s/g, ' ')

/**
 * A wall time, `HH:MM`, with `+1` or `-1` where it is on the date beside the work day. Where `otherDay` is given, a button in
 * the field moves it there; `day` only says so, where the time itself tells. It is shown as the company
 * writes times. What is typed and is no time stays in the field,
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
  const { t, i18n } = useTranslation('shift')
  const formats = useFormats()
  const { label, value, onText, otherDay, className } = props
  const clock = value.slice(0, 5)
  const offset = value.slice(5)
  const shown = clock && formats.wallTime(clock)
  const [typed, setTyped] = useState(shown)
  useEffect(() => setTyped(shown), [shown])
  const read = (text: string) => readTime(text, i18n.language)
  const [isTyping, setTyping] = useState(false)
  // What nobody has filled in yet is no wrong time.
  const isUnread = read(typed) === undefined && !(typed === '' && value === '')
  const error = isTyping ? undefined : isUnread ? t('wrong.time') : props.error
  const settle = () => {
    setTyping(false)
    const time = read(typed)
    if (time === undefined) return
    setTyped(formats.wallTime(time))
    if (time !== clock) onText(time + offset)
  }
  const dayName = otherDay && t(otherDay === '+1' ? 'day.after' : 'day.before')
  return (
    <Field {...{ label, error, hint: props.hint, ...(className && { className }) }}>
      {ids => (
        <div className={['input time', error && 'wrong', isUnread && 'unread'].filter(Boolean).join(' ')}>
          <input
            {...ids}
            inputMode={formats.is12Hours ? 'text' : 'numeric'}
            placeholder="--:--"
            value={typed}
            onChange={({ target: { value: text } }) => {
              setTyped(text)
              // Complete times are taken at once, so that the drawn day follows the typing.
              const time = read(text)
              const isWhole = time !== undefined && isSame(text, formats.wallTime(time))
              setTyping(!isWhole)
              if (isWhole) onText(time + offset)
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
