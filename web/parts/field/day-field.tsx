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

/** Reads what `day()` wrote, and the ISO form. */
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
 * A day, typed or picked from a calendar; written as the company writes days. Empty is the empty string. What is typed and
 * is no day that may be chosen here stays in the field, is called wrong there, and keeps a form from being sent.
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
  // biome-ignore lint/correctness/useExhaustiveDependencies: another value takes the place of what was typed.
  useEffect(() => setUnread(undefined), [value])
  // The picker writes its text anew whenever one of these changes, also over what is being typed.
  // No day is told as null: where it is left out at first, the picker keeps a day of its own, and empties the field by it.
  const date = useMemo(() => (value ? dateOf(value) : null) as Date, [value])
  const formatDate = useCallback((shown?: Date) => (shown ? formats.day(dayOf(shown)) : ''), [formats])
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
  // What was typed may be chosen once another field says so.
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is looked at again with other bounds only.
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
            // Read out with the field; what is seen stands below it as everywhere.
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
