import { ArrowRight, CalendarClock, CircleAlert, CircleCheck, EyeOff, Lock } from 'lucide-react'
import { type ReactNode, Suspense, useEffect, useId } from 'react'
import { useTranslation } from 'react-i18next'
import type { PathOutput } from '../../api.ts'
import { type Formats, type Measure, useFormats } from '../../format.ts'
import { useRead } from '../../read.ts'
import { followTask, showTask } from '../../tasks.ts'
import { useSentence } from '../field/form.tsx'
import { Ask } from '../say/ask.tsx'
import { TaskProgress } from '../say/progress.tsx'
import { useTaskOwner } from '../say/task-notice.tsx'
import { KindDot, useKindsOf } from './kinds.tsx'
import './preview.css'

// Previews the effect of a change before the save: changed days and people, totals before and after, and the first
// days. A task computes the preview, so the dialog shows its progress.

type Task = PathOutput<'task/get'>
type Found = NonNullable<Task['preview']>
type Figures = Found['before']
type Row = Found['list'][number]

/** The figures in the order of reports, each with its measure. */
const figures = [
  ['dutyMinutes', 'work'],
  ['workMinutes', 'work'],
  ['lateMinutes', 'late'],
  ['earlyLeaveMinutes', 'early'],
  ['absentMinutes', 'absence'],
  ['leaveMinutes', 'absence'],
  ['unresolvedMinutes', 'absence'],
  ['unscheduledMinutes', 'work'],
  ['overtimeMinutes', 'overtime'],
] as const satisfies readonly (readonly [keyof Figures, Measure])[]

type Kinds = Found['kindsBefore']

/** The lines of figures and hour kinds, before and after the change. */
const useLines = () => {
  const { t } = useTranslation('preview')
  const kindsOf = useKindsOf()
  type Side = { [name in keyof Figures]: number } | null
  return (before: Side, after: Side, kindsBefore: Kinds = {}, kindsAfter: Kinds = {}) => [
    ...figures.map(([name, measure]) => ({
      ...{ key: name as string, title: t(`figures.${name}`), measure: measure as Measure, color: undefined },
      ...{ had: before?.[name] ?? 0, has: after?.[name] ?? 0 },
    })),
    ...kindsOf(Object.keys({ ...kindsBefore, ...kindsAfter })).map(({ code, name, color }) => ({
      ...{ key: `kind ${code}`, title: name, measure: 'work' as Measure, color },
      ...{ had: kindsBefore[code] ?? 0, has: kindsAfter[code] ?? 0 },
    })),
  ]
}

const pollMilliseconds = 700

/** A preview task; its result when it is done. */
const usePreview = (id: string | undefined) => {
  const { data, error } = useRead('task/get', id ? { id } : null, answer =>
    answer?.state === 'waiting' || answer?.state === 'running' ? pollMilliseconds : 0,
  )
  // Until the new task is read, the data still belongs to the previous one.
  const task = data?.id === id ? data : undefined
  return { task, error, found: task?.state === 'done' ? task.preview : undefined }
}

/** Shows the progress of a preview, then its result. */
export function Preview({ task: id, onDone }: { task: string | undefined; onDone?: (preview: Found) => void }) {
  const { t } = useTranslation(['preview', 'shell'])
  const owner = useTaskOwner()
  const sentence = useSentence()
  const { task, error, found: preview } = usePreview(id)
  useEffect(() => (id ? showTask(id) : undefined), [id])
  // Mark the preview as seen, because the next preview runs a new task.
  useEffect(() => {
    if (id) followTask(owner, { id, isSeen: true })
  }, [id, owner])
  // biome-ignore lint/correctness/useExhaustiveDependencies: reported once, when the result arrives.
  useEffect(() => {
    if (preview) onDone?.(preview)
  }, [preview])
  if (preview) return <Finding found={preview}>{task && <Conflicts task={task} />}</Finding>
  if (error || task?.state === 'failed' || task?.state === 'done')
    return (
      <p className="notice danger" role="alert">
        {task?.code === undefined ? t('failed') : sentence(task.code)}
      </p>
    )
  return (
    <div className="preview-running" role="status">
      <TaskProgress label={t('running')} task={task ?? { state: 'waiting', done: 0, total: 0 }} />
    </div>
  )
}

interface AskProps {
  title: string
  /** Shown above the preview's result. */
  children?: ReactNode
  task: string | undefined
  yes: string
  onYes: () => Promise<void>
  onNo: () => void
}

/** A question with a preview. The user can confirm only after the preview is complete. */
export const PreviewAsk = (props: AskProps) => (
  // Keeps the page visible while the texts load.
  <Suspense>
    <Question {...props} />
  </Suspense>
)

function Question(props: AskProps) {
  // Load the result's texts early. Loading them later would suspend the question and lose the focus.
  const { t } = useTranslation(['shell', 'preview', 'task', 'exception'])
  const { found: preview } = usePreview(props.task)
  return (
    <Ask title={props.title} yes={props.yes} no={t('cancel')} waits={!preview} onYes={props.onYes} onNo={props.onNo}>
      {props.children}
      <Preview task={props.task} />
    </Ask>
  )
}

const shownOf = (formats: Formats, minutes: number, measure: Measure) => formats.duration(minutes, measure)
const signed = (formats: Formats, minutes: number, measure: Measure) =>
  minutes === 0 ? '–' : `${minutes > 0 ? '+' : '−'}${shownOf(formats, Math.abs(minutes), measure)}`

function Finding({ found, children }: { found: Found; children: ReactNode }) {
  const { t } = useTranslation(['preview', 'shell'])
  const formats = useFormats()
  const id = useId()
  const { days, employees, unknownEmployees, lockedDays, lockedTo, toCome, hiddenDays, list } = found
  const unit = (measure: Measure) => t(`shell:unit.${formats.unit(measure)}`)
  const dutyOf = (minutes: number) => `${shownOf(formats, minutes, 'work')}\u00a0${unit('work')}`
  const rows = useLines()(found.before, found.after, found.kindsBefore, found.kindsAfter).filter(
    ({ had, has }) => had !== 0 || has !== 0,
  )
  // A day can have several rows: one for each shift, or an old and a new row after a change of shift.
  const changed = [...Map.groupBy(list, ({ employee, day }) => `${employee} ${day}`)]
  const listedDays = changed.length
  const more = days - listedDays - hiddenDays
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard.
    <section className="preview" tabIndex={0} aria-label={t('label')}>
      <div className="preview-points">
        {days === 0 ? (
          <p>
            <CircleCheck className="icon is-fine" aria-hidden="true" />
            <span>{t('nothing')}</span>
          </p>
        ) : (
          <p className="preview-head">
            <CircleAlert className="icon is-warn" aria-hidden="true" />
            <span>
              {t('changes', {
                count: days,
                days: t('days', { count: days }),
                people: t('people', { count: employees }),
              })}
            </span>
          </p>
        )}
        {unknownEmployees > 0 && (
          <p>
            <CircleAlert className="icon is-warn" aria-hidden="true" />
            <span>{t('unknown', { count: unknownEmployees })}</span>
          </p>
        )}
        {lockedDays > 0 && (
          <p>
            <Lock className="icon" aria-hidden="true" />
            <span>
              {lockedTo
                ? t('lockedTo', { count: lockedDays, day: formats.day(lockedTo) })
                : t('locked', { count: lockedDays })}
            </span>
          </p>
        )}
        {toCome.days > 0 && (
          <p>
            <CalendarClock className="icon" aria-hidden="true" />
            <span>
              {t('toCome', { count: toCome.days })}{' '}
              {toCome.dutyMinutesBefore === toCome.dutyMinutesAfter
                ? t('sameDuty', { duty: dutyOf(toCome.dutyMinutesAfter) })
                : t('otherDuty', {
                    before: dutyOf(toCome.dutyMinutesBefore),
                    after: dutyOf(toCome.dutyMinutesAfter),
                  })}
            </span>
          </p>
        )}
      </div>
      {children}
      {days > 0 && rows.length > 0 && (
        <table className="preview-totals" aria-labelledby={id}>
          <caption id={id}>{t('totals')}</caption>
          <thead>
            <tr>
              <th scope="col">{t('figure')}</th>
              <th scope="col">{t('before')}</th>
              <th scope="col">{t('after')}</th>
              <th scope="col">{t('difference')}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ key, title, measure, color, had, has }) => (
              <tr key={key} className={had === has ? 'is-same' : undefined}>
                <th scope="row">
                  {color && <KindDot color={color} />} {title} <small>{unit(measure)}</small>
                </th>
                <td className="figure">{shownOf(formats, had, measure)}</td>
                <td className="figure">{shownOf(formats, has, measure)}</td>
                <td className="figure">{signed(formats, has - had, measure)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {list.length > 0 && (
        <div>
          <h3>{more > 0 ? t('first', { count: listedDays }) : t('each')}</h3>
          <ul className="preview-days">
            {changed.map(([key, rows]) => (
              <ChangedDay key={key} rows={rows} />
            ))}
          </ul>
        </div>
      )}
      {days > 0 && (more > 0 || hiddenDays > 0) && (
        <div className="preview-points muted">
          {more > 0 && <p>{t('more', { count: more })}</p>}
          {hiddenDays > 0 && (
            <p>
              <EyeOff className="icon" aria-hidden="true" />
              <span>{t('hidden', { count: hiddenDays })}</span>
            </p>
          )}
        </div>
      )}
    </section>
  )
}

const mostConflicts = 8

/** People who would have overlapping shifts after the change. The user can save anyway. */
function Conflicts({ task: { problems, problemCount } }: { task: Task }) {
  const { t } = useTranslation('preview')
  const formats = useFormats()
  const listed = problems.slice(0, mostConflicts)
  const more = problemCount - listed.length
  if (problemCount === 0) return null
  const wordsOf = ({
    name,
    day = '',
    shift,
    withDay = '',
    withShift,
  }: NonNullable<Task['problems'][number]['about']>) =>
    t('conflict', { name, shift, withShift, day: formats.day(day), withDay: formats.day(withDay) })
  return (
    <div className="preview-points">
      <p className="preview-head">
        <CircleAlert className="icon is-warn" aria-hidden="true" />
        <span>{t('conflicts', { count: problemCount })}</span>
      </p>
      <ul className="preview-days">
        {listed.map(({ about }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the list of a finished task never changes.
          <li key={index}>{about && wordsOf(about)}</li>
        ))}
      </ul>
      {more > 0 && <p className="muted">{t('moreConflicts', { count: more })}</p>}
    </div>
  )
}

type ChangedRow = Pick<Row, 'name' | 'day' | 'shiftName' | 'before' | 'after'>

/** A changed day of a person. Removed rows come before the added ones. */
export function ChangedDay({ rows }: { rows: readonly ChangedRow[] }) {
  const formats = useFormats()
  const [first] = rows
  if (!first) return null
  const place = ({ before, after }: ChangedRow) => (!after ? 0 : before ? 1 : 2)
  return (
    <li>
      <p className="preview-day">
        <strong>{first.name}</strong>
        <span>
          {formats.weekday(first.day)} <span className="figure">{formats.day(first.day)}</span>
        </span>
        {rows.length === 1 && <ChangedShift row={first} />}
      </p>
      {rows
        .toSorted((a, b) => place(a) - place(b))
        .map(row => (
          <ChangedFigures key={row.shiftName} row={row} isOne={rows.length === 1} />
        ))}
    </li>
  )
}

function ChangedShift({ row: { shiftName, before, after } }: { row: ChangedRow }) {
  const { t } = useTranslation('preview')
  return (
    <>
      <span className="muted">{shiftName || t('noShift')}</span>
      {!before && <span className="tag">{t('appears')}</span>}
      {!after && <span className="tag">{t('vanishes')}</span>}
    </>
  )
}

function ChangedFigures({ row, isOne }: { row: ChangedRow; isOne: boolean }) {
  const { t } = useTranslation(['preview', 'shell', 'exception'])
  const formats = useFormats()
  const { before, after } = row
  const [previous, next] = [before?.exceptions ?? [], after?.exceptions ?? []]
  const come = next.filter(type => !previous.includes(type))
  const gone = previous.filter(type => !next.includes(type))
  const differing = useLines()(before, after, before?.kinds, after?.kinds).filter(({ had, has }) => had !== has)
  return (
    <p className="preview-figures">
      {!isOne && <ChangedShift row={row} />}
      {differing.map(({ key, title, measure, had, has }) => (
        <span key={key}>
          <span className="muted">{title}</span> <span className="figure">{shownOf(formats, had, measure)}</span>
          <ArrowRight className="icon" aria-hidden="true" />
          <span className="unseen">{t('becomes')}</span>
          <strong className="figure">{shownOf(formats, has, measure)}</strong>{' '}
          <small className="muted">{t(`shell:unit.${formats.unit(measure)}`)}</small>
        </span>
      ))}
      {come.map(type => (
        <span key={type} className="tag danger">
          {t(`exception:type.${type}`)}
        </span>
      ))}
      {gone.map(type => (
        <span key={type} className="tag">
          <span className="unseen">{t('settles')}</span>
          <s>{t(`exception:type.${type}`)}</s>
        </span>
      ))}
      {differing.length + come.length + gone.length === 0 && before && after && (
        <span className="muted">{t('beside')}</span>
      )}
    </p>
  )
}
