import { useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { useFormats } from '../../format.ts'
import './progress.css'

/** A progress bar. `part` is the finished share from 0 to 1; undefined if unknown. */
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
  /** The result of the recalculation so far: the number of changed rows. */
  recalculated?: { rows: number } | undefined
}

/** Describes the result of a recalculation in words. */
export const useOutcome = () => {
  const { t } = useTranslation('task')
  return ({ days, employees, rows }: { days: number; employees: number; rows: number }) =>
    t('recalculated.text', {
      days: t('recalculated.days', { count: days }),
      people: t('recalculated.people', { count: employees }),
      rows: t('progress.rows', { count: rows }),
    })
}

/** The time that passes before an estimate of the remaining time. */
const leastMilliseconds = 1500

/** Estimates the remaining seconds of the current step from its speed since this component first saw the step. */
const useSecondsLeft = ({ state, step, done, total }: Progress) => {
  const start = useRef({ step, done, at: Date.now() })
  if (start.current.step !== step || done < start.current.done) start.current = { step, done, at: Date.now() }
  const milliseconds = Date.now() - start.current.at
  const progress = done - start.current.done
  if (state !== 'running' || milliseconds < leastMilliseconds || progress <= 0) return undefined
  return Math.ceil(((total - done) * (milliseconds / progress)) / 1000)
}

/** The progress bar of a task, with its step, its counts and the remaining time. */
export function TaskProgress({ label, task }: { label: string; task: Progress }) {
  const { t } = useTranslation('task')
  const formats = useFormats()
  const seconds = useSecondsLeft(task)
  const isCounting = task.state === 'running' && task.total > 0
  const counts = { done: formats.number(task.done), total: formats.number(task.total) }
  const timeLeft =
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
            {timeLeft && ` · ${timeLeft}`}
          </span>
        )}
      </p>
    </div>
  )
}
