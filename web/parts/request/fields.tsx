import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { addDays } from '../../../shared/local-day.ts'
import { useFormats } from '../../format.ts'
import { useAmount } from '../day/amount.ts'
import { DayField } from '../field/day-field.tsx'
import { SelectField, SwitchField } from '../field/field.tsx'
import { readTime } from '../field/read-time.ts'
import { SegmentField } from '../field/segment-field.tsx'
import { TimeField } from '../field/time-field.tsx'
import { type Ask, instantsOf } from './ask.ts'

// The fields of the request forms, for the employee and for the manager who enters a request for others.

/** The part of a form that the fields use. */
interface FormOf<V> {
  values: V
  set: (change: Partial<V>) => void
  error: (field: string) => string | undefined
}

/** A wall time in the company's time zone. A skipped time is an error. A repeated time needs a choice between its two hours. */
function ClockField(props: {
  label: string
  day: string
  value: string
  isLater: boolean
  error: string | undefined
  otherDay?: '-1' | '+1'
  onChange: (change: { time: string } | { isLater: boolean }) => void
}) {
  const { t } = useTranslation('request')
  const { timezone } = useFormats()
  const { label, day, value, onChange } = props
  const instants = day && value ? instantsOf(timezone, day, value) : [0]
  return (
    <div className="clock-field">
      <TimeField
        label={label}
        value={value}
        onText={time => onChange({ time })}
        error={instants.length === 0 ? t('form.skipped') : props.error}
        {...(props.otherDay && { otherDay: props.otherDay })}
      />
      {instants.length > 1 && (
        <SegmentField
          label={t('form.later', { field: label })}
          value={props.isLater ? 'second' : 'first'}
          onText={occurrence => onChange({ isLater: occurrence === 'second' })}
          options={[
            ['first', t('form.first')],
            ['second', t('form.second')],
          ]}
        />
      )}
    </div>
  )
}

/** The instant of a wall time, in minutes. Undefined if the time does not exist. */
const instantOf = (zone: string, day: string, time: string, isLater: boolean) => {
  const [first, second] = instantsOf(zone, day, time)
  return isLater && second !== undefined ? second : first
}
/** Whether the user chose the second of two equal wall times. Only a repeated hour has two. */
const isLaterOfTwo = (zone: string, day: string, time: string, isLater: boolean) =>
  isLater && instantsOf(zone, day, time).length > 1

/** A time from an address or a row, in the form's format. */
const timeOf = (value: string | undefined) => (value && readTime(value.slice(0, 5)) ? value : '')

/** The initial values of all fields. */
export const valuesOf = (ask: Pick<Ask, 'date' | 'time' | 'inout' | 'from' | 'to'>, today: string) => ({
  date: ask.date ?? today,
  toDate: ask.date ?? today,
  time: timeOf(ask.time),
  isLater: false,
  inout: ask.inout ?? ('0' as const),
  leaveType: '',
  isAllDay: !(ask.from && ask.to),
  from: timeOf(ask.from),
  to: timeOf(ask.to),
  isFromLater: false,
  isToLater: false,
})
export type RequestValues = ReturnType<typeof valuesOf>
type ShiftValues = Pick<RequestValues, 'date' | 'time' | 'isLater' | 'inout'>
type OvertimeValues = Pick<RequestValues, 'date' | 'from' | 'to' | 'isFromLater' | 'isToLater'>
type LeaveValues = OvertimeValues & Pick<RequestValues, 'leaveType' | 'toDate' | 'isAllDay'>

/** A missing punch in the API's format. */
export const shiftInput = (zone: string, { date, time, isLater, inout }: ShiftValues) => ({
  ...{ date, time },
  inout: inout === '0' ? (0 as const) : (1 as const),
  ...(isLaterOfTwo(zone, date, time, isLater) && { isLater: true }),
})

export const overtimeInput = (zone: string, { date, from, to, isFromLater, isToLater }: OvertimeValues) => ({
  ...{ date, from, to },
  ...(isLaterOfTwo(zone, date, from, isFromLater) && { isFromLater: true }),
  ...(isLaterOfTwo(zone, date, to, isToLater) && { isToLater: true }),
})

export const leaveInput = (zone: string, values: LeaveValues) => {
  const { leaveType, date, toDate, isAllDay, from, to, isFromLater, isToLater } = values
  return {
    ...{ leaveType: Number(leaveType), date, toDate, isAllDay },
    ...(!isAllDay && {
      ...{ from, to },
      ...(isLaterOfTwo(zone, date, from, isFromLater) && { isFromLater: true }),
      ...(isLaterOfTwo(zone, toDate, to, isToLater) && { isToLater: true }),
    }),
  }
}

/** Whether the end of a part-day leave is not after its start. */
const isReversed = (zone: string, { date, toDate, isAllDay, from, to, isFromLater, isToLater }: LeaveValues) => {
  const [begin, end] = [instantOf(zone, date, from, isFromLater), instantOf(zone, toDate, to, isToLater)]
  return !isAllDay && begin !== undefined && end !== undefined && end <= begin
}

/** Whether a leave can be previewed. */
export const isLeaveComplete = (zone: string, values: LeaveValues) => {
  const { leaveType, date, toDate, isAllDay, from, to } = values
  const hasTimes = isAllDay || (from !== '' && to !== '' && !isReversed(zone, values))
  return leaveType !== '' && date !== '' && toDate >= date && hasTimes
}

/** The required fields of each form. */
export const requiredOf = {
  shift: ['date', 'time'],
  overtime: ['date', 'from', 'to'],
  leave: ['date', 'toDate'],
  partLeave: ['date', 'toDate', 'from', 'to'],
} as const

export function ShiftFields({ form }: { form: FormOf<ShiftValues> }) {
  const { t } = useTranslation(['request', 'approve'])
  const formats = useFormats()
  const { date, time, isLater, inout } = form.values
  const at = instantOf(formats.timezone, date, time, isLater)
  const isToCome = at !== undefined && at * 60_000 > Date.now()
  return (
    <>
      <DayField
        label={t('form.date')}
        value={date}
        most={formats.today()}
        onText={date => form.set({ date })}
        error={form.error('date')}
      />
      <div className="clock-field">
        <SegmentField
          label={t('form.inout')}
          value={inout}
          onText={inout => form.set({ inout: inout === '0' ? '0' : '1' })}
          options={[
            ['0', t('approve:inout.0')],
            ['1', t('approve:inout.1')],
          ]}
        />
      </div>
      <ClockField
        label={t('form.time')}
        day={date}
        value={time}
        isLater={isLater}
        error={isToCome ? t('form.toCome') : form.error('time')}
        otherDay="+1"
        onChange={change => form.set(change)}
      />
    </>
  )
}

export function OvertimeFields({ form }: { form: FormOf<OvertimeValues> }) {
  const { t } = useTranslation('request')
  const { timezone } = useFormats()
  const amount = useAmount()
  const { date, from, to, isFromLater, isToLater } = form.values
  const [begin, end] = [instantOf(timezone, date, from, isFromLater), instantOf(timezone, date, to, isToLater)]
  const minutes = begin !== undefined && end !== undefined ? end - begin : undefined
  return (
    <>
      <DayField label={t('form.date')} value={date} onText={date => form.set({ date })} error={form.error('date')} />
      <PairOfTimes
        form={form}
        days={[date, date]}
        errors={[form.error('from'), minutes !== undefined && minutes <= 0 ? t('form.order') : form.error('to')]}
      />
      {minutes !== undefined && minutes > 0 && (
        <p className="muted" role="status">
          {t('form.length', { length: amount(minutes, 'overtimeMinutes') })}
        </p>
      )}
    </>
  )
}

type Times = Pick<RequestValues, 'from' | 'to' | 'isFromLater' | 'isToLater'>

function PairOfTimes(props: {
  form: Pick<FormOf<Times>, 'values' | 'set'>
  days: readonly [from: string, to: string]
  errors: readonly [from: string | undefined, to: string | undefined]
}) {
  const { t } = useTranslation('request')
  const { form, days, errors } = props
  const { from, to, isFromLater, isToLater } = form.values
  return (
    <div className="pair">
      <ClockField
        label={t('form.from')}
        day={days[0]}
        value={from}
        isLater={isFromLater}
        error={errors[0]}
        otherDay="+1"
        onChange={change => form.set('time' in change ? { from: change.time } : { isFromLater: change.isLater })}
      />
      <ClockField
        label={t('form.to')}
        day={days[1]}
        value={to}
        isLater={isToLater}
        error={errors[1]}
        otherDay="+1"
        onChange={change => form.set('time' in change ? { to: change.time } : { isToLater: change.isLater })}
      />
    </div>
  )
}

/** The longest leave, in days. */
const mostDays = 366

export function LeaveFields(props: {
  form: FormOf<LeaveValues>
  /** The leave types in use, with the text of each. */
  types: readonly (readonly [leaveType: string, text: string])[]
}) {
  const { t } = useTranslation('request')
  const { timezone } = useFormats()
  const { form, types } = props
  const { values, set, error } = form
  const { leaveType, date, toDate, isAllDay } = values
  return (
    <>
      <SelectField
        label={t('form.leaveType')}
        name="leaveType"
        value={leaveType}
        onText={leaveType => set({ leaveType })}
        error={error('leaveType')}
        options={types}
      />
      <div className="pair">
        <DayField
          label={t('form.firstDay')}
          value={date}
          // The last day is never before the first.
          onText={next => set({ date: next, ...((toDate < next || toDate === date) && { toDate: next }) })}
          error={error('date')}
        />
        <DayField
          label={t('form.lastDay')}
          value={toDate}
          {...(date && { least: date, most: addDays(date, mostDays - 1) })}
          onText={toDate => set({ toDate })}
          error={error('toDate')}
        />
      </div>
      <SwitchField label={t('form.allDay')} checked={isAllDay} onCheck={isAllDay => set({ isAllDay })} />
      {!isAllDay && (
        <PairOfTimes
          form={form}
          days={[date, toDate]}
          errors={[error('from'), isReversed(timezone, values) ? t('form.order') : error('to')]}
        />
      )}
    </>
  )
}

/** The preview waits until the user has stopped typing for this long. */
const pauseMilliseconds = 300
export const useSettled = <V,>(value: V): V => {
  const [settled, setSettled] = useState(value)
  const text = JSON.stringify(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(JSON.parse(text)), pauseMilliseconds)
    return () => clearTimeout(timer)
  }, [text])
  return settled
}
