import { ChartColumn, Table2 } from 'lucide-react'
import { type ReactNode, useLayoutEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { type Formats, useFormats } from '../../format.ts'
import { Button } from '../button.tsx'
import { Link } from '../shell/router.ts'
import './chart.css'

export type Tone = 'accent' | 'soft' | 'signal' | 'danger' | 'info'

/** One number per day. */
export interface Series {
  name: string
  values: readonly number[]
}

interface ChartProps {
  /** The title of the table. */
  name: string
  days: readonly string[]
  /** Stacked series, the first at the bottom. */
  series: readonly (Series & { tone: Tone })[]
  /** The maximum of the stack, drawn as a bar behind it. */
  of?: Series
  /** Formats a number; without it, plain. */
  format?: (value: number) => string
  /** The link of a day. */
  to?: ((day: string) => string) | undefined
  /** Shown if all values are zero. */
  empty: ReactNode
}

/** Days as bars, with a table of the numbers. Screen readers always get the table; other users can open it. */
export function Chart(props: ChartProps) {
  const { t } = useTranslation('chart')
  const [isTable, setIsTable] = useState(false)
  const { series, of, empty } = props
  const all = of ? [{ ...of, tone: 'of' }, ...series] : series
  if (all.every(({ values }) => values.every(value => value === 0))) return <p className="quiet-line muted">{empty}</p>
  return (
    <figure className="chart">
      <figcaption>
        <ul className={isTable ? 'unseen' : undefined} aria-hidden="true">
          {all.map(({ name, tone }) => (
            <li key={name} className={tone}>
              {name}
            </li>
          ))}
        </ul>
        <Button
          look="quiet"
          icon={isTable ? <ChartColumn className="icon" /> : <Table2 className="icon" />}
          onClick={() => setIsTable(!isTable)}
        >
          {t(isTable ? 'asChart' : 'asTable')}
        </Button>
      </figcaption>
      {!isTable && <Bars {...props} />}
      <div className={isTable ? 'chart-table' : 'unseen'}>
        <Numbers {...props} />
      </div>
    </figure>
  )
}

/** The newest day first. */
function Numbers({ name, days, series, of, format, to }: ChartProps) {
  const { t } = useTranslation('chart')
  const formats = useFormats()
  const columns = of ? [of, ...series] : series
  const written = format ?? formats.number
  return (
    <table>
      <caption className="unseen">{name}</caption>
      <thead>
        <tr>
          <th scope="col">{t('day')}</th>
          {columns.map(({ name }) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {days
          .map((day, at) => (
            <tr key={day}>
              <th scope="row">{to ? <Link to={to(day)}>{formats.shortDay(day)}</Link> : formats.shortDay(day)}</th>
              {columns.map(({ name, values }) => (
                <td key={name} className="figure">
                  {written(values[at] ?? 0)}
                </td>
              ))}
            </tr>
          ))
          .toReversed()}
      </tbody>
    </table>
  )
}

const [height, top, bottom, left] = [220, 10, 26, 40]
const ground = height - bottom
const widestBar = 26
/** The width of a day's label in pixels. */
const labelWidth = 76
const steps = [1, 2, 2.5, 5, 10]

/** A round step, of which about four reach the maximum. Whole numbers, because the chart counts people. */
const stepOf = (most: number): number => {
  const rough = Math.max(1, most / 4)
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = (steps.find(step => step * power >= rough) ?? 10) * power
  return Number.isInteger(step) ? step : Math.ceil(step)
}

/** The labelled days; if there is room for weeks, from the first day of a week on. */
const named = (days: readonly string[], band: number, firstWeekday: number): Set<number> => {
  const weeks = Math.max(1, Math.ceil(labelWidth / (band * 7)))
  const begins = days.flatMap((day, at) => (new Date(`${day}T12:00:00Z`).getUTCDay() === firstWeekday ? [at] : []))
  return new Set(band >= labelWidth ? days.keys() : begins.filter((_, week) => week % weeks === 0))
}

/** The current width of the chart's container. */
const useWidth = () => {
  const place = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(0)
  useLayoutEffect(() => {
    const box = place.current
    if (!box) return
    const measure = () => setWidth(box.clientWidth)
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(box)
    return () => observer.disconnect()
  }, [])
  return [place, width] as const
}

function Bars(props: ChartProps) {
  const { days, series, of } = props
  const formats = useFormats()
  const [place, width] = useWidth()
  const [shown, setShown] = useState<number>()
  const sums = days.map((_, at) => series.reduce((sum, { values }) => sum + (values[at] ?? 0), 0))
  const most = Math.max(1, ...sums, ...(of?.values ?? []))
  const step = stepOf(most)
  const ceiling = Math.ceil(most / step) * step
  const band = Math.max(0, width - left) / Math.max(1, days.length)
  const bar = Math.min(widestBar, Math.max(2, band * 0.66))
  const y = (value: number) => ground - (value / ceiling) * (ground - top)
  const middle = (at: number) => left + band * (at + 0.5)
  const labels = named(days, band, formats.firstWeekday)
  return (
    <div className="chart-bars" ref={place} onPointerLeave={() => setShown(undefined)}>
      <svg width={width} height={height} aria-hidden="true">
        {Array.from({ length: Math.round(ceiling / step) + 1 }, (_, line) => line * step).map(value => (
          <g key={value} className="chart-line">
            <line x1={left} x2={width} y1={y(value)} y2={y(value)} />
            <text x={left - 8} y={y(value) + 4}>
              {formats.number(value)}
            </text>
          </g>
        ))}
        {days.map((day, at) => (
          <Column key={day} {...props} at={at} isShown={at === shown} {...{ band, bar, y }} onShow={setShown} />
        ))}
        {days.map(
          (day, at) =>
            labels.has(at) && (
              <text
                key={day}
                className="chart-day"
                x={Math.min(Math.max(middle(at), left + labelWidth / 2 - 8), width - labelWidth / 2)}
                y={height - 6}
              >
                {formats.shortDay(day)}
              </text>
            ),
        )}
      </svg>
      {shown !== undefined && <Tip {...props} at={shown} x={middle(shown)} width={width} formats={formats} />}
    </div>
  )
}

interface ColumnProps extends ChartProps {
  at: number
  band: number
  bar: number
  y: (value: number) => number
  isShown: boolean
  onShow: (at: number) => void
}

/** One day: the possible amount, and in front of it the stack. */
function Column({ days, series, of, to, at, band, bar, y, isShown, onShow }: ColumnProps) {
  const start = left + band * at
  const piece = (from: number, value: number, tone: string) =>
    value > 0 && (
      <rect
        key={tone}
        className={tone}
        x={start + (band - bar) / 2}
        width={bar}
        y={y(from + value)}
        height={y(from) - y(from + value)}
        rx={Math.min(2, bar / 4)}
      />
    )
  let from = 0
  const drawn = (
    <g className={isShown ? 'shown' : undefined} onPointerEnter={() => onShow(at)}>
      <rect className="chart-band" x={start} width={band} y={top} height={ground - top} />
      {piece(0, of?.values[at] ?? 0, 'of')}
      {series.map(({ values, tone }) => {
        const value = values[at] ?? 0
        from += value
        return piece(from - value, value, tone)
      })}
    </g>
  )
  return to ? (
    <Link to={to(days[at] ?? '')} tabIndex={-1}>
      {drawn}
    </Link>
  ) : (
    drawn
  )
}

const tipWidth = 200

function Tip(props: ChartProps & { at: number; x: number; width: number; formats: Formats }) {
  const { days, series, of, at, x, width, formats, format = formats.number } = props
  const lines = of ? [{ ...of, tone: 'of' }, ...series] : series
  return (
    <dl
      className="chart-tip"
      style={{ width: tipWidth, left: Math.min(Math.max(0, x - tipWidth / 2), Math.max(0, width - tipWidth)) }}
    >
      <dt className="chart-tip-day">{formats.shortDay(days[at] ?? '')}</dt>
      {lines.map(({ name, tone, values }) => (
        <div key={name}>
          <dt className={tone}>{name}</dt>
          <dd className="figure">{format(values[at] ?? 0)}</dd>
        </div>
      ))}
    </dl>
  )
}
