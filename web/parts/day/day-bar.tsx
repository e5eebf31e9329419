import { useCallback } from 'react'
import { useTranslation } from 'react-i18next'
import type { Shift } from '../../../shared/attendance/shift.ts'
import { readWallTime } from '../../../shared/attendance/wall-time.ts'
import { useFormats } from '../../format.ts'
import './day-bar.css'

type Times = Pick<Shift, 'onDuty' | 'offDuty' | 'punchStart' | 'punchEnd'> & {
  breaks: readonly Pick<Shift['breaks'][number], 'start' | 'end'>[]
}
/** Minutes since the midnight at the start of the work day. */
interface Stretch {
  from: number
  to: number
}

const read = (text: string) => readWallTime(text) ?? Number.NaN
const validMinutes = (minutes: readonly number[]) => minutes.filter(minute => !Number.isNaN(minute))

/** The common axis of several shifts, so that their bars are comparable. */
export const axisOf = (shifts: readonly Times[]): Stretch => {
  const minutes = validMinutes(shifts.flatMap(({ punchStart, punchEnd }) => [read(punchStart), read(punchEnd)]))
  const hours = (minute: number, round: (value: number) => number) => round(minute / 180) * 180
  return {
    from: Math.min(0, hours(Math.min(0, ...minutes), Math.floor)),
    to: Math.max(1440, hours(Math.max(0, ...minutes), Math.ceil)),
  }
}

const placeOn = ({ from: left, to: right }: Stretch) => {
  const percent = (minutes: number) => ((minutes - left) / (right - left)) * 100
  return {
    at: (minutes: number) => ({ left: `${percent(minutes)}%` }),
    /** Draws nothing for an invalid range. */
    span: ({ from, to }: Stretch) =>
      to > from ? { left: `${percent(from)}%`, width: `${percent(to) - percent(from)}%` } : { display: 'none' },
    percent,
  }
}

const midnights = ({ from, to }: Stretch) => [0, 1440].filter(midnight => midnight > from && midnight < to)

/** A small bar of a shift on a shared axis: punch period, duty and breaks. */
export function DayBar({ shift, color, axis }: { shift: Times; color: string; axis: Stretch }) {
  const { at, span } = placeOn(axis)
  return (
    <div className={`day-bar shift-color ${color}`} aria-hidden="true">
      <div className="track">
        <span className="punch-period" style={span({ from: read(shift.punchStart), to: read(shift.punchEnd) })} />
        <span className="duty" style={span({ from: read(shift.onDuty), to: read(shift.offDuty) })} />
        {shift.breaks.map(({ start, end }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a break is its place in the list.
          <span key={index} className="break" style={span({ from: read(start), to: read(end) })} />
        ))}
        {midnights(axis).map(midnight => (
          <span key={midnight} className="midnight" style={at(midnight)} />
        ))}
      </div>
    </div>
  )
}

/** The values while the user types; an invalid one is not drawn. */
type Typed = Pick<
  Shift,
  | 'onDuty'
  | 'offDuty'
  | 'punchStart'
  | 'punchEnd'
  | 'allowedLateMinutes'
  | 'allowedEarlyMinutes'
  | 'earlyInOvertime'
  | 'lateOutOvertime'
  | 'breaks'
>

/** The axis grows in steps of this many minutes, so that it does not jump while the user types. */
const steadyMinutes = 360
const leastMinutes = 720

const steadyAxis = (minutes: readonly number[]): Stretch => {
  if (minutes.length === 0) return { from: 0, to: 1440 }
  const from = Math.floor((Math.min(...minutes) - 30) / steadyMinutes) * steadyMinutes
  const to = Math.ceil((Math.max(...minutes) + 30) / steadyMinutes) * steadyMinutes
  return { from, to: Math.max(to, from + leastMinutes) }
}

/** Formats a duration: `8 h`, `7 h 30 min`, `45 min`. */
export const useLength = () => {
  const { t } = useTranslation('shell')
  const formats = useFormats()
  return useCallback(
    (minutes: number) => {
      const [hours, rest] = [Math.floor(minutes / 60), minutes % 60]
      const words = [
        (hours > 0 || rest === 0) && `${formats.number(hours)}\u00a0${t('unit.hours')}`,
        rest > 0 && `${formats.number(rest)}\u00a0${t('unit.minutes')}`,
      ]
      return words.filter(Boolean).join(' ')
    },
    [t, formats],
  )
}

/**
 * A large drawing of the shift in the form: punch period, duty, breaks, tolerance and overtime. It has a text
 * equivalent; the fields beside it change the shift.
 */
export function DrawnShift({ shift, color }: { shift: Typed; color: string }) {
  const { t } = useTranslation('shift')
  const formats = useFormats()
  const lengthOf = useLength()
  const clockOf = (time: string) => formats.wallTime(time.slice(0, 5))
  const [on, off, start, end] = [read(shift.onDuty), read(shift.offDuty), read(shift.punchStart), read(shift.punchEnd)]
  const axis = steadyAxis(validMinutes([on, off, start, end]))
  const { at, span, percent } = placeOn(axis)
  const isOnDuty = off > on
  const step = axis.to - axis.from > 1440 ? 360 : 180
  const hours: number[] = []
  for (let hour = axis.from; hour <= axis.to; hour += step) hours.push(hour)

  const breaks = shift.breaks
    .map(rest => ({ from: read(rest.start), to: read(rest.end), off: rest.durationMinutes }))
    .filter(({ from, to }) => isOnDuty && to > from && from >= on && to <= off)
  const late = isOnDuty && shift.allowedLateMinutes < off - on ? shift.allowedLateMinutes : 0
  const early = isOnDuty && shift.allowedEarlyMinutes < off - on ? shift.allowedEarlyMinutes : 0
  /** A part that may still be too short for overtime is paler. */
  const overtime = (rule: Typed['earlyInOvertime'], from: number, to: number, isBefore: boolean) => {
    if (!rule.counts || !(to > from)) return []
    const after = Math.min(Math.max(0, rule.afterMinutes || 0), to - from)
    const [pale, full] = isBefore
      ? [
          { from: to - after, to },
          { from, to: to - after },
        ]
      : [
          { from, to: from + after },
          { from: from + after, to },
        ]
    return [
      { key: 'pale', isPale: true, ...pale },
      { key: 'full', isPale: false, ...full },
    ]
  }
  const before = overtime(shift.earlyInOvertime, start, on, true)
  const after = overtime(shift.lateOutOvertime, off, end, false)

  const isTight = percent(off) - percent(on) < 20
  const edge = (minutes: number, isFirst: boolean) => {
    const place = percent(minutes)
    const shove = isTight ? (isFirst ? -100 : 0) : place < 8 ? 0 : place > 92 ? -100 : -50
    return { left: `${place}%`, translate: `${shove}% 0` }
  }
  const taken = breaks.reduce((sum, { off: minutes }) => sum + (minutes || 0), 0)
  return (
    <section className={`drawn-day shift-color ${color}`} aria-label={t('drawn.label')}>
      <div className="drawing" aria-hidden="true">
        <div className="edges">
          {isOnDuty && (
            <>
              <span style={edge(on, true)}>{formats.wallTime(shift.onDuty)}</span>
              <span style={edge(off, false)}>{clockOf(shift.offDuty)}</span>
            </>
          )}
        </div>
        <div className="track">
          <span className="punch-period" style={span({ from: start, to: end })} />
          {[...before, ...after].map(({ key, isPale, from, to }) => (
            <span
              key={`${from < on} ${key}`}
              className={isPale ? 'overtime pale' : 'overtime'}
              style={span({ from, to })}
            />
          ))}
          <span className="duty" style={span({ from: on, to: off })} />
          <span className="tolerance" style={span({ from: on, to: on + late })} />
          <span className="tolerance" style={span({ from: off - early, to: off })} />
          {breaks.map(({ from, to, off: minutes }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a break is its place in the list.
            <span key={index} className="break-window" style={span({ from, to })}>
              <span className="break" style={{ width: `${Math.min(100, ((minutes || 0) / (to - from)) * 100)}%` }} />
            </span>
          ))}
          {midnights(axis).map(midnight => (
            <span key={midnight} className="midnight" style={at(midnight)} />
          ))}
        </div>
        <div className="scale">
          {hours.map(hour => (
            <span
              key={hour}
              className={hour === axis.from ? 'first' : hour === axis.to ? 'last' : undefined}
              style={at(hour)}
            >
              {formats.hour((((hour / 60) % 24) + 24) % 24)}
              {midnights(axis).includes(hour) && <b>{t(hour === 0 ? 'day.same' : 'day.after')}</b>}
            </span>
          ))}
        </div>
        <p className="legend">
          <Key look="duty">{t('drawn.duty')}</Key>
          <Key look="punch-period">{t('drawn.punchPeriod')}</Key>
          {breaks.length > 0 && <Key look="break">{t('drawn.break')}</Key>}
          {breaks.some(({ from, to, off }) => off < to - from) && (
            <Key look="break-window">{t('drawn.breakWindow')}</Key>
          )}
          {late + early > 0 && <Key look="tolerance">{t('drawn.tolerance')}</Key>}
          {before.length + after.length > 0 && <Key look="overtime">{t('drawn.overtime')}</Key>}
          {[...before, ...after].some(({ isPale, from, to }) => isPale && to > from) && (
            <Key look="overtime pale">{t('drawn.tooShort')}</Key>
          )}
        </p>
      </div>
      {isOnDuty && (
        <p className="drawn-words">
          {t(taken > 0 ? 'drawn.saysBreak' : 'drawn.says', {
            from: formats.wallTime(shift.onDuty),
            to: off >= 1440 ? t('drawn.nextDay', { time: clockOf(shift.offDuty) }) : clockOf(shift.offDuty),
            duty: lengthOf(Math.max(0, off - on - taken)),
            off: lengthOf(taken),
          })}
        </p>
      )}
    </section>
  )
}

const Key = ({ look, children }: { look: string; children: string }) => (
  <span>
    <i className={look} />
    {children}
  </span>
)
