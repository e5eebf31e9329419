import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useFormats } from '../../format.ts'
import { Field } from './field.tsx'
import { readTime } from './read-time.ts'
import './time-field.css'

/**
 * Compares texts and treats all spaces as equal. Formatted times have another space before a.m. and p.m. than keyboards
 * type.
 */
const isSame = (left: string, right: string) => left.replace(/\s/g, ' ') === right.replace(/\s/g, ' ')

/**
 * A field for a wall time, in the company's format. The value is `HH:MM`, with `+1` or `-1` for the date after or
 * before the work day. With `otherDay`, a button in the field moves the time to that date. `day` only shows the date
 * that the time itself decides. An invalid text stays in the field with an error and blocks the form.
 */
export function TimeField(props: {
  label: string
  value: string
  onText: (value: string) => void
  error?: string | undefined
  hint?: string
  otherDay?: '-1' | '+1' | undefined
  day?: string | undefined
  className?: string
  /** Whether the user may empty the field again. */
  mayEmpty?: boolean
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
  // An empty field without a value is not an error.
  const isUnread = read(typed) === undefined && !(typed === '' && value === '')
  const error = isTyping ? undefined : isUnread ? t('wrong.time') : props.error
  const settle = () => {
    setTyping(false)
    if (typed === '' && props.mayEmpty && value !== '') onText('')
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
              // A complete time applies at once, so that the drawing of the day follows the typing.
              const time = read(text)
              const isComplete = time !== undefined && isSame(text, formats.wallTime(time))
              setTyping(!isComplete)
              if (isComplete) onText(time + offset)
            }}
            onBlur={settle}
            // Enter submits the form, so applies the typed time first.
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
