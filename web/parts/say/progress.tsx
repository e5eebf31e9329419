import { useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { useFormats } from '../../format.ts'
import './progress.css'

/** How far something is, from 0 to 1; undefined where nobody can say. */
export function Bar({ label, part }: { label: string; part: number | undefined }) {
  return (
    <div
      className={part === undefined ? 'bar is-unknown' : 'bar'}
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={part === undefined ? undefined : Math.round(part * 100)}
    >
      <span style={part === undefined ? undefined : { inlineSize: `${Math.max(1, part * 100)}%` }} />
    </div>
  )
}

export interface Progress {
  state: 'waiting' | 'running' | 'done' | 'failed'
  step?: 'check' | 'write' | 'takeBack' | 'calculate' | 'wait' | undefined
  done: number
  total: number
  /** Days calculated again, and how many of their rows became others. */
  recalculated?: { rows: number } | undefined
}

/** In words, what calculating days again has done. */
export const useOutcome = () => {
  const { t } = useTranslation('task')
  return ({ days, employees, rows }: { days: number; employees: number; rows: number }) =>
    t('recalculated.text', {
      days: t('recalculated.days', { count: days }),
      people: t('recalculated.people', { count: employees }),
      rows: t('progress.rows', { count: rows }),
    })
}

/** Nothing is foretold from less than this. */
const leastMilliseconds = 1500

/** In how many seconds the present step should be through, judged by its pace since it was first seen. */
const useSecondsLeft = ({ state, step, done, total }: Progress) => {
  const began = useRef({ step, done, at: Date.now() })
  if (began.current.step !== step || done < began.current.done) began.current = { step, done, at: Date.now() }
  const milliseconds = Date.now() - began.current.at
  const progress = done - began.current.done
  if (state !== 'running' || milliseconds < leastMilliseconds || progress <= 0) return undefined
  return Math.ceil(((total - done) * (milliseconds / progress)) / 1000)
}

/** The bar of a task, what it is at, how much of it is done and how long it still takes. */
export function TaskProgress({ label, task }: { label: string; task: Progress }) {
  const { t } = useTranslation('task')
  const formats = useFormats()
  const seconds = useSecondsLeft(task)
  const isCounting = task.state === 'running' && task.total > 0
  const counts = { done: formats.number(task.done), total: formats.number(task.total) }
  const left =
    seconds === undefined
      ? undefined
      : seconds < 60
        ? t('progress.seconds', { count: seconds < 10 ? Math.max(1, seconds) : Math.ceil(seconds / 5) * 5 })
        : t('progress.minutes', { count: Math.ceil(seconds / 60) })
  return (
    <div className="task-progress">
      <Bar label={label} part={isCounting ? task.done / task.total : undefined} />
      <p className="muted small">
        <span>{t(task.state === 'waiting' ? 'progress.waiting' : `progress.${task.step ?? 'check'}`)}</span>
        {isCounting && (
          <span className="figure">
            {task.step === 'calculate'
              ? t('progress.days', { percent: formats.percent(Math.floor((task.done / task.total) * 100)), ...counts })
              : t('progress.of', counts)}
            {task.recalculated && ` · ${t('progress.rows', { count: task.recalculated.rows })}`}
            {left && ` · ${left}`}
          </span>
        )}
      </p>
    </div>
  )
}
