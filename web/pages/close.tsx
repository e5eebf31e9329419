import {
  CircleCheck,
  CircleHelp,
  Clock,
  Download,
  FileClock,
  Lock,
  PencilLine,
  Router,
  TriangleAlert,
} from 'lucide-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { type FigureName, type Figures, noFigures } from '../../shared/figure.ts'
import { earlierDay } from '../../shared/local-day.ts'
import { measureOf } from '../../shared/measure.ts'
import { roles } from '../../shared/permissions.ts'
import { type PathOutput, write } from '../api.ts'
import { useFormats } from '../format.ts'
import { Button } from '../parts/button.tsx'
import { useAmount } from '../parts/day/amount.ts'
import { CheckField } from '../parts/field/field.tsx'
import { useComplaint } from '../parts/field/form.tsx'
import { Range, useRange } from '../parts/list/range.tsx'
import { Page, Trouble } from '../parts/page.tsx'
import { useTaskOwner } from '../parts/say/task-notice.tsx'
import { say } from '../parts/say/toast.tsx'
import { Link } from '../parts/shell/router.ts'
import { isCovered } from '../parts/shell/shortcuts.ts'
import { refresh, useRead } from '../read.ts'
import { usePerson } from '../session.tsx'
import { followTask } from '../tasks.ts'
import { usePayrollFile } from './close/file.tsx'
import { ClosedPeriods } from './close/periods.tsx'
import { LeftOutHours } from './report/left-out.tsx'
import './close.css'

// Closes a pay period: shows what is still open, then locks the days and exports them in one step.

type Checklist = PathOutput<'report/close/check'>
type Dates = { from: string; to: string }

export default function ClosePage() {
  const { t } = useTranslation('close')
  const range = useRange('lastPay', 366)
  const dates = { from: range.from, to: range.to }
  const file = usePayrollFile(dates)
  const { template } = file.chosen
  const { data, error, readAgain } = useRead('report/close/check', { ...dates, ...(template && { template }) })
  return (
    <Page title={t('title')} className="close-page">
      <div className="filters">
        <Range range={range} />
      </div>
      {error && !data ? (
        <Trouble error={error} onRetry={readAgain} />
      ) : (
        <>
          <Open checklist={data} dates={dates} />
          <Totals dates={dates} />
          <Closing key={`${dates.from} ${dates.to}`} checklist={data} dates={dates} file={file} />
        </>
      )}
      <ClosedPeriods />
    </Page>
  )
}

/** The checklist: each line says what is open and links to its list. */
function Open({ checklist, dates: { from, to } }: { checklist: Checklist | undefined; dates: Dates }) {
  const { t } = useTranslation('close')
  const formats = useFormats()
  const amount = useAmount()
  if (!checklist) return <section className="card close-list skeleton" aria-busy="true" aria-label={t('open')} />
  const { exceptions, corrections, requests, terminals, unknownNumbers, unfinishedFrom } = checklist
  // The worst first: hours that may still change or are missing, then what waits for a decision.
  const lines = [
    <Line
      key="unfinished"
      icon={<Clock className="icon" />}
      count={unfinishedFrom ? 1 : 0}
      title={unfinishedFrom ? t('unfinished', { day: formats.day(unfinishedFrom) }) : ''}
      text={t('unfinishedText')}
      done={t('finished')}
    />,
    <Line
      key="terminals"
      icon={<Router className="icon" />}
      isSevere
      count={terminals.length}
      title={t('terminals', { count: terminals.length })}
      text={terminals
        .slice(0, 5)
        .map(({ name, uploadedAt }) => (uploadedAt ? `${name} (${formats.dayAndTime(uploadedAt)})` : name))
        .join(', ')}
      done={t('noTerminals')}
      to="/device"
      action={t('review')}
    />,
    <Line
      key="exceptions"
      icon={<TriangleAlert className="icon" />}
      count={exceptions.count}
      title={t('exceptions', { count: exceptions.count })}
      text={t('exceptionsText', { hours: amount(exceptions.minutes, 'unresolvedMinutes') })}
      done={t('noExceptions')}
      note={
        exceptions.reviewedMinutes > 0 &&
        t('reviewedText', { hours: amount(exceptions.reviewedMinutes, 'unresolvedMinutes') })
      }
      // Closing also locks earlier days, so the list begins with the first open exception.
      to={`/exception?from=${earlierDay(exceptions.firstDay ?? from, from)}&to=${to}`}
      action={t('review')}
    />,
    <Line
      key="unknown"
      icon={<CircleHelp className="icon" />}
      count={unknownNumbers}
      title={t('unknown', { count: unknownNumbers })}
      text={t('unknownText')}
      done={t('noUnknown')}
      to="/record?orphans=look"
      action={t('assign')}
    />,
    <Line
      key="requests"
      icon={<FileClock className="icon" />}
      count={requests}
      title={t('requests', { count: requests })}
      text={t('requestsText')}
      done={t('noRequests')}
      to="/approve"
      action={t('review')}
    />,
    <Line
      key="corrections"
      icon={<PencilLine className="icon" />}
      count={corrections.count}
      title={t('corrections', { count: corrections.count })}
      text={t('correctionsText')}
      done={t('noCorrections')}
    >
      <Corrections corrections={corrections} />
    </Line>,
  ]
  return (
    <section className="card close-list" aria-label={t('open')}>
      <ul>{lines.toSorted((one, other) => Number(one.props.count === 0) - Number(other.props.count === 0))}</ul>
    </section>
  )
}

/** Links each correction to the day of its employee, where a manager can withdraw it. */
function Corrections({ corrections: { count, list } }: Pick<Checklist, 'corrections'>) {
  const { t } = useTranslation('close')
  const formats = useFormats()
  return (
    <ul className="close-people small">
      {list.map(({ employee, name, day, objectBy }, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a person can have several corrections on a day.
        <li key={`${employee} ${day} ${i}`}>
          <Link to={`/report?${new URLSearchParams({ employee, from: day, to: day, day })}`}>
            {t('correction', { name, day: formats.day(day) })}
          </Link>{' '}
          <span className="muted">
            {objectBy ? t('objectBy', { at: formats.dayAndTime(objectBy) }) : t('proposed')}
          </span>
        </li>
      ))}
      {count > list.length && <li className="muted">{t('moreCorrections', { count: count - list.length })}</li>}
    </ul>
  )
}

function Line(props: {
  icon: ReactNode
  count: number
  title: string
  text: string
  done: string
  /** Shown also when nothing is open. */
  note?: string | false
  to?: string
  action?: string
  /** Hours may be missing that no list shows yet. */
  isSevere?: boolean
  children?: ReactNode
}) {
  const isDone = props.count === 0
  return (
    <li className={isDone ? 'is-done' : props.isSevere ? 'is-severe' : undefined}>
      <span className="close-icon" aria-hidden="true">
        {isDone ? <CircleCheck className="icon" /> : props.icon}
      </span>
      <span className="close-text">
        <strong>{isDone ? props.done : props.title}</strong>
        {!isDone && <span className="muted small">{props.text}</span>}
        {props.note && <span className="muted small">{props.note}</span>}
        {!isDone && props.children}
      </span>
      {!isDone && props.to && (
        <Link className="button" to={props.to}>
          {props.action}
        </Link>
      )}
    </li>
  )
}

/** Scheduled time, and the figures that account for it. */
const equation = [
  ...(['dutyMinutes', 'workMinutes', 'lateMinutes', 'earlyLeaveMinutes'] as const),
  ...(['absentMinutes', 'leaveMinutes', 'unresolvedMinutes'] as const),
]
const beside = ['unscheduledMinutes', 'overtimeMinutes'] as const

function Totals({ dates }: { dates: Dates }) {
  const { t } = useTranslation(['close', 'explain', 'report', 'shell'])
  const formats = useFormats()
  const { data } = useRead('report/total', { filters: dates })
  const amounts: Figures = data?.amounts ?? noFigures()
  const figure = (name: FigureName) => (
    <div key={name} className={name}>
      <dt>{t(`explain:figure.${name}`)}</dt>
      <dd className="figure">
        {formats.amount(amounts[name], measureOf[name])}{' '}
        <small className="muted">{t(`shell:unit.${formats.unit(measureOf[name])}`)}</small>
      </dd>
    </div>
  )
  return (
    <section className="card close-totals" aria-busy={!data}>
      <header>
        <h2>{t('totals')}</h2>
        <span className="muted small">{t('totalsText')}</span>
        <Link to={`/report?view=summary&from=${dates.from}&to=${dates.to}`}>{t('byPerson')}</Link>
      </header>
      {data && !data.amounts ? (
        <p className="muted">{t('report:tooMany')}</p>
      ) : (
        <>
          <dl className="close-equation">{equation.map(figure)}</dl>
          <dl className="close-beside">{beside.map(figure)}</dl>
        </>
      )}
    </section>
  )
}

/** Exports a draft, or locks the days and exports them. Locked days are only exported. */
function Closing({
  checklist,
  dates,
  file,
}: {
  checklist: Checklist | undefined
  dates: Dates
  file: ReturnType<typeof usePayrollFile>
}) {
  const { t } = useTranslation(['close', 'report', 'lock'])
  const amount = useAmount()
  const formats = useFormats()
  const owner = useTaskOwner()
  const complain = useComplaint()
  const { employee } = usePerson()
  const [isAccepted, setAccepted] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const isAdministrator = employee.role === roles.administrator
  const { count = 0, minutes = 0 } = checklist?.exceptions ?? {}
  const { lockedTo = '' } = checklist ?? {}
  const isLocked = dates.to <= lockedTo
  const isChecked = checklist !== undefined && !checklist.unfinishedFrom
  const isReady = file.isLoaded && isChecked && (count === 0 || isAccepted)
  const run = async (begin: () => Promise<{ task: string }>) => {
    setBusy(true)
    try {
      const { task } = await begin()
      followTask(owner, { id: task, isAwaited: true })
      refresh(['task/', 'report/', 'exception/'])
    } catch (error) {
      complain(error)
    } finally {
      setBusy(false)
    }
  }
  const exportDays = () =>
    run(() =>
      write('report/export', {
        ...{ ...file.chosen, view: 'summary', filters: dates },
        ...((!isLocked || !isAdministrator) && { isDraft: true }),
      }),
    )
  const closePeriod = () =>
    run(async () => {
      const closed = await write('report/close/add', {
        ...{ ...dates, ...file.chosen },
        ...(count > 0 && { openExceptions: count }),
      })
      say(t('closed'))
      return closed
    })
  const keys = useRef(() => undefined as unknown)
  keys.current = () => isAdministrator && !isLocked && isReady && !isBusy && void closePeriod()
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.repeat || isCovered()) return
      event.preventDefault()
      keys.current()
    }
    window.addEventListener('keydown', press)
    return () => window.removeEventListener('keydown', press)
  }, [])
  return (
    <section className="card close-steps">
      {isLocked && (
        <div>
          <h2>{t('lock')}</h2>
          <p className="notice">
            <Lock className="icon" aria-hidden="true" /> {t('lock:lockedTo', { day: formats.day(lockedTo) })}
          </p>
        </div>
      )}
      {isAdministrator && !isLocked && (
        <div>
          <h2>{t('lock')}</h2>
          <p className="muted">{t('lockText')}</p>
          {count > 0 && (
            <CheckField checked={isAccepted} onCheck={setAccepted}>
              {t('accept', { count, hours: amount(minutes, 'unresolvedMinutes') })}
            </CheckField>
          )}
        </div>
      )}
      <div>
        <h2>{t('export')}</h2>
        <p className="muted">{isAdministrator || isLocked ? t('exportText') : t('onlyAdministrators')}</p>
        {file.field}
        <LeftOutHours leftOut={checklist?.leftOut} />
      </div>
      <footer>
        <Button
          icon={<Download className="icon" aria-hidden="true" />}
          disabled={!file.isLoaded || isBusy}
          onClick={exportDays}
        >
          {isLocked ? t('report:export.button') : t('draft')}
        </Button>
        {isAdministrator && !isLocked && (
          <Button
            look="primary"
            icon={<Lock className="icon" aria-hidden="true" />}
            disabled={!isReady || isBusy}
            aria-keyshortcuts="Control+Enter"
            onClick={closePeriod}
          >
            {t('close')}
          </Button>
        )}
      </footer>
    </section>
  )
}
