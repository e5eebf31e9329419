import { DatePicker, type IDatePickerStrings } from '@fluentui/react'
import type { TFunction } from 'i18next'
import { useCallback, useEffect, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { type Formats, useFormats } from '../../format.ts'
import { Field } from './field.tsx'
import './day-field.css'

const pad = (number: number) => String(number).padStart(2, '0')
const dayOf = (date: Date) => `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`
const dateOf = (day: string) => new Date(`${day}T12:00:00`)

const stringsOf = (language: string, t: TFunction): IDatePickerStrings => {
  const name = (options: Intl.DateTimeFormatOptions, date: Date) =>
    new Intl.DateTimeFormat(language, { ...options, timeZone: 'UTC' }).format(date)
  const months = Array.from({ length: 12 }, (_, month) => new Date(Date.UTC(2026, month, 1)))
  // The first of November 2026 is a Sunday.
  const days = Array.from({ length: 7 }, (_, day) => new Date(Date.UTC(2026, 10, 1 + day)))
  return {
    months: months.map(date => name({ month: 'long' }, date)),
    shortMonths: months.map(date => name({ month: 'short' }, date)),
    days: days.map(date => name({ weekday: 'long' }, date)),
    shortDays: days.map(date => name({ weekday: 'narrow' }, date)),
    goToToday: t('calendar.today'),
    nextMonthAriaLabel: t('calendar.next'),
    prevMonthAriaLabel: t('calendar.previous'),
    closeButtonAriaLabel: t('calendar.close'),
  }
}

/** Reads a day in the company's format or in ISO format. Returns null if the text is no valid day. */
const readDay = (text: string, formats: Formats): Date | null => {
  const order = formats.day('YYYY-MM-DD').split(/\W/)
  const parts = text.trim().split(/\W+/)
  const isIso = parts[0]?.length === 4
  const part = (name: string) => Number(parts[(isIso ? ['YYYY', 'MM', 'DD'] : order).indexOf(name)])
  const [year, month, date] = [part('YYYY'), part('MM'), part('DD')]
  const read = new Date(year, month - 1, date, 12)
  return read.getFullYear() === year && read.getMonth() === month - 1 && read.getDate() === date ? read : null
}

/**
 * A field for a day that the user types or picks from a calendar, in the company's format. The value is `YYYY-MM-DD`,
 * or empty without a day. An invalid text or a day out of bounds stays in the field with an error and blocks the form.
 */
export function DayField(props: {
  label: string
  value: string
  onText: (day: string) => void
  error?: string | undefined
  optional?: boolean
  least?: string
  most?: string
}) {
  const { t, i18n } = useTranslation()
  const formats = useFormats()
  const strings = useMemo(() => stringsOf(i18n.language, t), [i18n.language, t])
  const { label, optional, value, least, most } = props
  const [unread, setUnread] = useState<string>()
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new value replaces the typed text.
  useEffect(() => setUnread(undefined), [value])
  // The picker rewrites its text whenever one of these props changes, even while the user types, so both are memoized.
  // Without a day the prop is null. After undefined, the picker would keep its own day and clear the field later.
  const date = useMemo(() => (value ? dateOf(value) : null) as Date, [value])
  const formatDate = useCallback((picked?: Date) => (picked ? formats.day(dayOf(picked)) : ''), [formats])
  const chosenIn = (text: string) => {
    const typed = readDay(text, formats)
    const day = typed ? dayOf(typed) : ''
    return typed && !(least && day < least) && !(most && day > most) ? typed : null
  }
  const read = (text: string) => {
    const chosen = chosenIn(text)
    if (!chosen) setUnread(text)
    return chosen
  }
  // A typed day may become valid when another field changes the bounds.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only new bounds require another check.
  useEffect(() => {
    const chosen = unread === undefined ? null : chosenIn(unread)
    if (!chosen) return
    setUnread(undefined)
    props.onText(dayOf(chosen))
  }, [least, most])
  const error =
    unread === undefined ? props.error : t(readDay(unread, formats) ? 'calendar.outside' : 'calendar.invalid')
  return (
    <Field {...{ label, error, ...(optional && { optional }) }}>
      {ids => (
        <DatePicker
          id={ids.id}
          className={['day-field', error && 'wrong', unread !== undefined && 'unread'].filter(Boolean).join(' ')}
          ariaLabel={label}
          value={date}
          allowTextInput
          firstDayOfWeek={formats.firstWeekday}
          isMonthPickerVisible={false}
          showGoToToday={false}
          {...(least && { minDate: dateOf(least) })}
          {...(most && { maxDate: dateOf(most) })}
          formatDate={formatDate}
          parseDateFromString={read}
          onSelectDate={picked => props.onText(picked ? dayOf(picked) : '')}
          calendarProps={{ strings, onSelectDate: () => setUnread(undefined) }}
          textField={{
            invalid: Boolean(error),
            // Only for screen readers. The visible error is below the field, as in all fields.
            errorMessage: error ?? '',
            onChange: () => setUnread(undefined),
            ...(unread !== undefined && { value: unread }),
          }}
          strings={strings}
        />
      )}
    </Field>
  )
}
