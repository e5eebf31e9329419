import { CircleHelp, Lock, MessageSquareText, TriangleAlert } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { explain, type ReasonKey, type Sentence } from '../../../shared/attendance/explain.ts'
import { type Reason, type Rule, rules } from '../../../shared/attendance/reason.ts'
import { isElsewhere } from '../../../shared/attendance/row.ts'
import { causeKinds } from '../../../shared/day.ts'
import { type FigureName, figureNames } from '../../../shared/figure.ts'
import { dayIn, useFormats } from '../../format.ts'
import { fullName } from '../../person-name.ts'
import { useRead } from '../../read.ts'
import { Panel } from '../list/panel.tsx'
import { useShownName } from '../list/person-name.tsx'
import { Empty, Trouble } from '../page.tsx'
import { AbsenceNote } from './absence.tsx'
import { type Explained, useAmount, useMeasureText } from './amount.ts'
import { useHeld } from './held.tsx'
import { HourKinds } from './hours.tsx'
import { type Corrector, Punches } from './punches.tsx'
import { type ListedDay, neighboursOf, StepButtons, type Steps, useKeys } from './steps.tsx'
import { UndoBar, useUndo } from './undo.tsx'
import './explain.css'

// Explains a figure: the punches, the rule behind each minute, and earlier versions of the day.

/** Formats clock times in the row's zone, with the weekday on another date. */
const useClock = ({ timezone, day }: Pick<Explained, 'timezone' | 'day'>) => {
  const formats = useFormats()
  return (at: string | number) => {
    const instant = new Date(at)
    const date = dayIn(timezone, instant)
    const time = formats.time(instant, timezone)
    return date === day ? time : `${time} ${formats.weekday(date)}`
  }
}

const minuteOf = (at: string) => Math.floor(Date.parse(at) / 60_000)

/** The day in sentences. Every explanation uses the same sentences. */
const sentencesOf = (day: Explained, timeText: (at: number) => string): Sentence[] =>
  explain(
    {
      ...day,
      zone: day.timezone,
      closesAt: Date.parse(day.closesAt),
      punches: day.punches.map(({ at, use }) => ({ at: Date.parse(at), use, key: at })),
      reasons: day.reasons.map(
        ({ rule, minutes, from, to }): Reason =>
          from && to ? [rule, minuteOf(from), minuteOf(to)] : [rule, 0, minutes],
      ),
      shiftVersion: day.shiftVersion ?? null,
    },
    timeText,
  )

const useSentence = () => {
  const { t } = useTranslation('reason')
  const formats = useFormats()
  return ({ key, values }: Sentence) =>
    // The dates of a week use the company's format.
    t(
      key,
      key.startsWith('week.')
        ? { ...values, from: formats.day(String(values.from)), to: formats.day(String(values.to)) }
        : values,
    )
}

const isRule = (key: ReasonKey): key is `rule.${Rule}` => key.startsWith('rule.')
const effectsOf = (key: ReasonKey): Partial<Record<string, 1 | -1>> =>
  isRule(key) ? rules[key.slice('rule.'.length) as Rule] : {}
/** Time too short for overtime is explained at the overtime. */
const isAbout = (key: ReasonKey, name: FigureName) => {
  if (!isRule(key)) return false
  const effects = effectsOf(key)
  return name in effects || (name === 'overtimeMinutes' && Object.keys(effects).length === 0)
}

/** On a day without scheduled work, all work is unscheduled. */
const explainedBy = ({ workMinutes, unscheduledMinutes }: Explained, name: FigureName): FigureName => {
  if (workMinutes > 0 || unscheduledMinutes === 0) return name
  return name === 'unscheduledMinutes' ? 'workMinutes' : name === 'workMinutes' ? 'unscheduledMinutes' : name
}

/** A panel with an employee's day. With `steps`, Left and Right go to the neighbours of the day in its list. */
export function DayPanel(props: ListedDay & { steps?: Steps; onClose: () => void }) {
  const { t } = useTranslation('explain')
  const { day, employee, steps, onClose } = props
  const formats = useFormats()
  const { data, error, readAgain } = useRead('report/day', { employee, day })
  const shown = useShownName()
  const undo = useUndo(employee, day, data?.correcting.rule)
  const { previous, next } = steps ? neighboursOf(steps.days, props) : {}
  const { hold, question } = useHeld()
  const stepTo = (to: ListedDay | undefined) => to && (() => hold(() => steps?.onStep(to)))
  useKeys({
    'Ctrl+z': undo.deed && (() => void undo.undo()),
    ArrowLeft: stepTo(previous),
    ArrowRight: stepTo(next),
  })
  const name = data && `${shown(fullName(data))} · `
  return (
    <Panel
      title={`${name ?? ''}${formats.longDay(day)}`}
      tools={steps && <StepButtons steps={{ ...steps, onStep: day => hold(() => steps.onStep(day)) }} open={props} />}
      foot={undo.deed && <UndoBar {...undo} deed={undo.deed} />}
      onClose={() => hold(onClose)}
    >
      <div className="panel-body explained" aria-busy={!data && !error}>
        {data?.note && (
          <p className="notice">
            <MessageSquareText className="icon" aria-hidden="true" />
            <span>{t('note', { when: formats.dayAndTime(data.note.at), note: data.note.note })}</span>
          </p>
        )}
        <ExplainedDays
          key={`${employee} ${day}`}
          days={data?.list}
          {...(data && { corrector: { employee, rule: data.correcting, made: undo.made } })}
          error={error}
          onRetry={() => void readAgain()}
        />
      </div>
      {question}
    </Panel>
  )
}

/**
 * A day under each of its shifts, or the reason for an empty day. With `corrector`, a manager can correct the punches.
 * Without `corrector`, employees see their own day and answer corrections.
 */
export function ExplainedDays(props: {
  days: readonly Explained[] | undefined
  corrector?: Corrector
  error: unknown
  onRetry: () => void
}) {
  const { t } = useTranslation('explain')
  const { days, corrector, error, onRetry } = props
  if (error && !days) return <Trouble error={error} onRetry={onRetry} />
  if (!days)
    return [70, 100, 90, 60].map(width => (
      <span key={width} className="skeleton" style={{ width: `${width}%`, height: 16 }} />
    ))
  if (days.length === 0)
    return (
      <Empty icon={<CircleHelp />} title={t('nothing.title')}>
        {t('nothing.text')}
      </Empty>
    )
  return days.map((day, index) => (
    <ExplainedDay key={`${day.shift} ${day.dutyFrom}`} day={day} corrector={corrector} isFirst={index === 0} />
  ))
}

const isProposed = ({ correction }: Pick<Explained['ignored'][number], 'correction'>) =>
  correction?.state === 'proposed'

/** One day under one shift, explained. */
function ExplainedDay(props: { day: Explained; corrector: Corrector | undefined; isFirst: boolean }) {
  const { t } = useTranslation('explain')
  const { day, corrector, isFirst } = props
  const clock = useClock(day)
  const say = useSentence()
  const amount = useAmount()
  const sentences = sentencesOf(day, clock)
  const some = (prefix: string) => sentences.filter(({ key }) => key.startsWith(prefix))
  const figures = figureNames.flatMap(name => {
    const reasons = sentences.filter(({ key }) => isAbout(key, explainedBy(day, name)))
    return day[name] > 0 || reasons.length > 0 ? [{ name, reasons }] : []
  })
  return (
    <article className="explained-day">
      <header className={`shift-color ${day.shiftColor ?? ''}`}>
        <h3 className="shift-name">{day.shift ?? t('free')}</h3>
        {day.dutyFrom && day.dutyTo && (
          <span className="figure muted">
            {clock(day.dutyFrom)}–{clock(day.dutyTo)}
          </span>
        )}
        <DayState day={day} />
      </header>
      <DayLine day={day} />
      {some('exception.').map(sentence => (
        <p key={sentence.key} className="notice warn">
          <TriangleAlert className="icon" aria-hidden="true" /> {say(sentence)}
        </p>
      ))}
      {!corrector && !day.isLocked && [...day.punches, ...day.ignored].some(isProposed) && (
        <p className="notice warn">
          <TriangleAlert className="icon" aria-hidden="true" /> {t('answer.waits')}
        </p>
      )}
      {[...some('state.'), ...some('kind.')].map(sentence => (
        <p key={sentence.key}>{say(sentence)}</p>
      ))}
      {day.isLocked && <p>{t('lockedText')}</p>}
      <section>
        <h4>{t('figures')}</h4>
        <dl className="reasons">
          {figures.map(({ name, reasons }) => (
            <div key={name} className={name}>
              <dt>{t(`figure.${name}`)}</dt>
              <dd className="figure">{amount(day[name], name)}</dd>
              <dd className="why">
                {reasons.map((sentence, index) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: the order of reasons is the order of the day.
                  <span key={index}>{say(sentence)}</span>
                ))}
                {day.printed[name] !== day[name] && (
                  <span className="muted">{t('printed', { value: amount(day.printed[name], name) })}</span>
                )}
              </dd>
            </div>
          ))}
        </dl>
        {some('week.').map(sentence => (
          <p key={sentence.key}>{say(sentence)}</p>
        ))}
      </section>
      <HourKinds day={day} />
      <AbsenceNote day={day} employee={corrector?.employee} />
      <Punches day={day} corrector={corrector} sentences={some('punch.').map(say)} hasKeys={isFirst} />
      <History day={day} />
      <details className="muted small">
        <summary>
          <Calculated day={day} />
        </summary>
        {some('versions.').map(say)}
      </details>
    </article>
  )
}

/** Whether the day is final. */
export function DayState({ day }: { day: Pick<Explained, 'state' | 'isLocked'> }) {
  const { t } = useTranslation('explain')
  if (day.isLocked)
    return (
      <span className="tag">
        <Lock className="icon" aria-hidden="true" /> {t('state.locked')}
      </span>
    )
  return <span className={day.state === 'final' ? 'tag ok' : 'tag'}>{t(`state.${day.state}`)}</span>
}

const causes = [...causeKinds, 'shift', 'holiday', 'attparams', 'company', 'report'] as const

const useCause = () => {
  const { t } = useTranslation('explain')
  return ({ kind, by }: Explained['cause']) => {
    const [group] = kind.split('/')
    const cause = t(`cause.${causes.find(name => name === group) ?? 'other'}`)
    return by ? t('causeBy', { cause, name: by }) : cause
  }
}

function Calculated({ day }: { day: Explained }) {
  const { t } = useTranslation('explain')
  const formats = useFormats()
  const causeOf = useCause()
  return t('calculated', { when: formats.dayAndTime(day.calculatedAt), cause: causeOf(day.cause) })
}

/** Earlier versions of the day and the causes of its changes. */
function History({ day }: { day: Explained }) {
  const { t } = useTranslation('explain')
  const formats = useFormats()
  const causeOf = useCause()
  const amount = useAmount()
  const text = useMeasureText()
  if (day.history.length === 0) return null
  const kindName = (code: string) => day.hours?.pieces.find(({ kind }) => kind === code)?.name ?? code
  return (
    <section>
      <h4>{t('history')}</h4>
      <ol className="explained-history">
        {day.history.map(({ at, cause, kind, figures, exceptions, kinds = {} }, index) => {
          const next = day.history[index - 1]?.figures ?? day
          const differing = figureNames.filter(name => figures[name] !== next[name])
          const { kinds: nextKinds = {} } = day.history[index - 1] ?? day
          const differingKinds = Object.keys({ ...nextKinds, ...kinds }).filter(
            code => (kinds[code] ?? 0) !== (nextKinds[code] ?? 0),
          )
          return (
            <li key={at}>
              <p>{t('altered', { when: formats.dayAndTime(at), cause: causeOf(cause) })}</p>
              <ul>
                {differing.map(name => (
                  <li key={name}>
                    {t('before', {
                      name: t(`figure.${name}`),
                      before: amount(figures[name], name),
                      after: amount(next[name], name),
                    })}
                  </li>
                ))}
                {differingKinds.map(code => (
                  <li key={code}>
                    {t('before', {
                      name: kindName(code),
                      before: text(kinds[code] ?? 0, 'work'),
                      after: text(nextKinds[code] ?? 0, 'work'),
                    })}
                  </li>
                ))}
                {differing.length + differingKinds.length === 0 && <li>{t('same')}</li>}
                {kind !== (day.history[index - 1]?.kind ?? day.kind) && (
                  <li>{t('kindBefore', { kind: t(`kind.${kind}`) })}</li>
                )}
                {exceptions.length > 0 && (
                  <li>{t('exceptionsBefore', { list: exceptions.map(name => t(`exception.${name}`)).join(', ') })}</li>
                )}
              </ul>
            </li>
          )
        })}
      </ol>
    </section>
  )
}

/** The tone of a rule's minutes; deducted minutes are drawn on top. */
const drawnAs: Record<string, string> = {
  dutyMinutes: 'duty',
  workMinutes: 'work',
  lateMinutes: 'late',
  earlyLeaveMinutes: 'late',
  absentMinutes: 'missed',
  leaveMinutes: 'leave',
  overtimeMinutes: 'over',
}
const lookOf = (rule: Rule): string | undefined => {
  const effects: [string, number][] = Object.entries(rules[rule])
  if (effects.some(([, effect]) => effect < 0)) return 'break'
  return effects.map(([name]) => drawnAs[name]).find(look => look !== undefined)
}
const order = ['duty', 'leave', 'work', 'over', 'late', 'missed', 'break']

/** The day as a timeline: scheduled time, worked time and punches. The sentences contain the information too. */
function DayLine({ day }: { day: Explained }) {
  const clock = useClock(day)
  const spans = day.reasons
    .flatMap(({ rule, from, to }) => {
      const look = lookOf(rule)
      return look && from && to ? [{ look, from: Date.parse(from), to: Date.parse(to) }] : []
    })
    .sort((a, b) => order.indexOf(a.look) - order.indexOf(b.look))
  const punches = day.punches.filter(punch => !isElsewhere(punch)).map(({ at }) => Date.parse(at))
  const edges = [...spans.flatMap(({ from, to }) => [from, to]), ...punches]
  const [left, right] = [Math.min(...edges), Math.max(...edges)]
  if (!(right > left)) return null
  const place = (at: number) => `${((at - left) / (right - left)) * 100}%`
  return (
    <div className="day-line" aria-hidden="true">
      <div className="track">
        {spans.map(({ look, from, to }) => (
          <span
            key={`${look} ${from}`}
            className={look}
            style={{ insetInlineStart: place(from), width: `${((to - from) / (right - left)) * 100}%` }}
          />
        ))}
        {punches.map((at, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two punches may fall into the same second.
          <i key={index} style={{ insetInlineStart: place(at) }} />
        ))}
      </div>
      <div className="ends figure muted small">
        <span>{clock(left)}</span>
        <span>{clock(right)}</span>
      </div>
    </div>
  )
}
