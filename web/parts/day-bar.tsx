import type { Shift } from '../../shared/attendance/shift.ts'
import { readWallTime } from '../../shared/attendance/wall-time.ts'
import './day-bar.css'

type Times = Pick<Shift, 'onDuty' | 'offDuty' | 'punchStart' | 'punchEnd'> & {
  breaks: readonly Pick<Shift['breaks'][number], 'start' | 'end'>[]
}

const hoursAround = (minutes: number[], least: number, most: number) =>
  [Math.min(least, ...minutes), Math.max(most, ...minutes)] as const

/**
 * A shift drawn on its day: the punch period, the duty in it, the breaks cut out of it. The axis is one day, and longer
 * where the shift reaches over midnight. Times that make no sense are not drawn.
 */
export function DayBar({ shift, color, scale }: { shift: Times; color: string; scale?: boolean }) {
  const read = (text: string) => readWallTime(text) ?? Number.NaN
  const [on, off, start, end] = [read(shift.onDuty), read(shift.offDuty), read(shift.punchStart), read(shift.punchEnd)]
  const known = [on, off, start, end].filter(minutes => !Number.isNaN(minutes))
  const [left, right] = hoursAround(known, 0, 1440)
  const length = right - left
  const span = (from: number, to: number) =>
    to > from ? { left: `${((from - left) / length) * 100}%`, width: `${((to - from) / length) * 100}%` } : { width: 0 }
  const hours: number[] = []
  const step = length > 1440 ? 360 : 180
  for (let hour = Math.ceil(left / step) * step; hour <= right; hour += step) hours.push(hour)
  return (
    <div className={`day-bar shift-color ${color}`} aria-hidden="true">
      <div className="track">
        <span className="punch-period" style={span(start, end)} />
        <span className="duty" style={span(on, off)} />
        {shift.breaks.map(({ start: from, end: to }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a break is its place in the list.
          <span key={index} className="break" style={span(read(from), read(to))} />
        ))}
        {[0, 1440].map(midnight =>
          midnight > left && midnight < right ? (
            <span key={midnight} className="midnight" style={{ left: `${((midnight - left) / length) * 100}%` }} />
          ) : null,
        )}
      </div>
      {scale && (
        <div className="scale">
          {hours.map(hour => (
            <span
              key={hour}
              className={
                hour === left ? 'first' : hour === right ? 'last' : hour % (2 * step) === 0 ? undefined : 'between'
              }
              style={{ left: `${((hour - left) / length) * 100}%` }}
            >
              {String((((hour / 60) % 24) + 24) % 24).padStart(2, '0')}
            </span>
          ))}
        </div>
      )}
    </div>
  )
}
