import { ArrowRight, TriangleAlert, UsersRound } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { type FigureName, figureNames } from '../../../shared/figure.ts'
import { type PathCall, type PathOutput, write } from '../../api.ts'
import { useFormats } from '../../format.ts'
import { Button } from '../../parts/button.tsx'
import { useAmount } from '../../parts/day/amount.ts'
import { type DayRow, OpenDay, opensDay } from '../../parts/day/open-day.tsx'
import { Panel } from '../../parts/list/panel.tsx'
import { useShownName } from '../../parts/list/person-name.tsx'
import { Trouble } from '../../parts/page.tsx'
import { RequestComments, RequestDetails } from '../../parts/request/details.tsx'
import { RequestStatus, useRequestWords } from '../../parts/request/words.tsx'
import { fullName } from '../../person-name.ts'
import { refresh, useRead } from '../../read.ts'
import { type Decision, DecisionQuestion, decisions, mayBe } from './question.tsx'

// Everything for a decision: the request, its effect on the days, absent colleagues and comments.

type Judged = PathOutput<'approve/get'>
type Day = Judged['days'][number]
type Face = NonNullable<Day['before']>

interface PanelProps {
  request: PathCall<'approve/get'>
  onClose: () => void
}

/** The request, or one of its days. Closing the day returns to the request. */
export function ApprovePanel(props: PanelProps) {
  const { employee } = props.request
  const [shown, setShown] = useState<DayRow>()
  const [days, setDays] = useState<readonly string[]>([])
  const rowOf = (day: string): DayRow => ({ key: `asked ${day}`, employee, day })
  return (
    <>
      {!shown && (
        <RequestOverview
          {...props}
          onDay={(day, days) => {
            setDays(days)
            setShown(rowOf(day))
          }}
        />
      )}
      <OpenDay shown={shown} days={days.map(rowOf)} onShow={setShown} />
    </>
  )
}

/** Opens a day. `days` are all shown days of the request. */
type OnDay = (day: string, days: readonly string[]) => void

function RequestOverview(props: PanelProps & { onDay: OnDay }) {
  const { t } = useTranslation(['approve', 'shell'])
  const words = useRequestWords()
  const shownName = useShownName()
  const { request, onDay, onClose } = props
  const { data, error, readAgain } = useRead('approve/get', request)
  const [decision, setDecision] = useState<Decision>()
  const comment = async (text: string) => {
    await write('approve/comment/add', { ...request, text })
    refresh(['approve/'])
  }
  const looks = { approve: 'primary', decline: 'danger-quiet', cancel: 'danger-quiet' } as const
  const allowed = data ? decisions.filter(move => mayBe(data, move)) : []
  return (
    <Panel
      wide
      title={data ? `${shownName(fullName(data))} · ${words.what(data)}` : t('panel.title')}
      onClose={onClose}
      foot={
        allowed.length > 0 &&
        allowed.toReversed().map(move => (
          <Button key={move} look={looks[move]} onClick={() => setDecision(move)}>
            {t(move)}
          </Button>
        ))
      }
    >
      <div className="panel-body" aria-busy={!data && !error}>
        {error && !data ? (
          <Trouble error={error} onRetry={() => void readAgain()} />
        ) : data ? (
          <>
            <Obstacle request={data} />
            <RequestDetails request={data} />
            <Days request={data} onDay={onDay} />
            <Balance request={data} />
            <Colleagues request={data} />
            <RequestComments comments={data.comments} onAdd={comment} />
          </>
        ) : (
          [70, 100, 90, 60].map(width => (
            <span key={width} className="skeleton" style={{ width: `${width}%`, height: 16 }} />
          ))
        )}
      </div>
      {decision && data && (
        <DecisionQuestion
          decision={decision}
          requests={[data]}
          onEnd={isDone => {
            setDecision(undefined)
            if (isDone) refresh(['approve/'])
          }}
        />
      )}
    </Panel>
  )
}

/** Why the manager may not approve the request, or which approval is still missing. */
function Obstacle({ request }: { request: Judged }) {
  const { t } = useTranslation(['approve', 'error'])
  const { refused, needsSecond, status, steps } = request
  const first = status === 0 ? steps.find(step => step.status === 1) : undefined
  const code = ([60061, 60082, 60083] as const).find(refusal => refusal === refused)
  const text = code
    ? t(`error:${code}`)
    : first
      ? t('panel.half', { name: first.by })
      : needsSecond && status === 0
        ? t('panel.first')
        : undefined
  return text ? (
    <p className="notice">
      <TriangleAlert className="icon" aria-hidden="true" />
      <span>{text}</span>
    </p>
  ) : null
}

function Days({ request, onDay }: { request: Judged; onDay: OnDay }) {
  const { t } = useTranslation('approve')
  const { days, dayCount, status } = request
  const isOpen = days.some(({ after }) => after !== undefined)
  const more = dayCount - days.length
  return (
    <section className="request-part">
      <h3>{t(isOpen ? 'panel.days' : 'panel.only')}</h3>
      {days.length === 0 ? (
        <p className="muted">{t('panel.none')}</p>
      ) : (
        <ul className="judged-days">
          {days.map(day => (
            <JudgedDay
              key={`${day.day} ${day.shift} ${day.dutyFrom}`}
              day={day}
              isApproved={status === 1}
              onOpen={() =>
                onDay(
                  day.day,
                  days.map(other => other.day),
                )
              }
            />
          ))}
        </ul>
      )}
      {more > 0 && <p className="muted small">{t('panel.more', { count: more })}</p>}
    </section>
  )
}

const isSame = (first: Day['before'], second: Day['before']) => JSON.stringify(first) === JSON.stringify(second)

/** A row of a day, with its state after the decision beside it. */
function JudgedDay(props: { day: Day; isApproved: boolean; onOpen: () => void }) {
  const { t } = useTranslation('approve')
  const formats = useFormats()
  const { day, isApproved, onOpen } = props
  const { before, after, shift, shiftColor, dutyFrom, dutyTo, timezone } = day
  return (
    <li className={after === undefined ? 'is-decided' : undefined}>
      <div className="judged-day">
        <button type="button" className="link" {...opensDay(`asked ${day.day}`)} onClick={onOpen}>
          <strong>{formats.shortDay(day.day)}</strong>
        </button>
        {shift !== undefined && <span className={`shift-name shift-color ${shiftColor ?? ''}`}>{shift}</span>}
        {dutyFrom && dutyTo && (
          <span className="muted figure">
            {formats.time(dutyFrom, timezone)}–{formats.time(dutyTo, timezone)}
          </span>
        )}
      </div>
      <Side title={t('panel.before')} face={before} day={day} />
      {after !== undefined && (
        <>
          <ArrowRight className="icon" aria-hidden="true" />
          <Side
            title={t(isApproved ? 'panel.afterCancel' : 'panel.after')}
            face={after}
            day={day}
            other={before}
            isSame={isSame(before, after)}
          />
        </>
      )}
    </li>
  )
}

/** One version of a row: first and last punch, non-zero figures and exceptions. */
function Side(props: { title: string; face: Face | null; day: Day; other?: Face | null; isSame?: boolean }) {
  const { t } = useTranslation(['approve', 'preview', 'exception', 'report'])
  const formats = useFormats()
  const amount = useAmount()
  const { title, face, day, other } = props
  const time = (at: string | undefined) => (at ? formats.time(at, day.timezone) : '?')
  const isChanged = (name: FigureName) => other !== undefined && (other?.[name] ?? 0) !== (face?.[name] ?? 0)
  const shownFigures = figureNames.filter(
    name => name !== 'dutyMinutes' && ((face?.[name] ?? 0) > 0 || isChanged(name)),
  )
  const isPlain = shownFigures.length === 0 && face?.exceptions.length === 0
  return (
    <div className="judged-side">
      <h4>{title}</h4>
      {face === null ? (
        <p className="muted">{t('panel.noRow')}</p>
      ) : props.isSame ? (
        <p className="muted">{t('panel.same')}</p>
      ) : (
        <>
          {(face.firstIn || face.lastOut) && (
            <p className="figure">
              {time(face.firstIn)} – {time(face.lastOut)}
            </p>
          )}
          {isPlain && <p className="muted">{t(`report:kind.${face.kind}`)}</p>}
          {shownFigures.map(name => (
            <p key={name} className={isChanged(name) ? 'is-news' : undefined}>
              <span className="muted">{t(`preview:figures.${name}`)}</span>{' '}
              <span className="figure">{amount(face[name], name)}</span>
            </p>
          ))}
          {face.exceptions.map(type => (
            <p key={type}>
              <span className="tag danger">{t(`exception:type.${type}`)}</span>
            </p>
          ))}
        </>
      )}
    </div>
  )
}

function Balance({ request }: { request: Judged }) {
  const { t } = useTranslation('approve')
  const formats = useFormats()
  const { balances = [], exceeds, status } = request
  if (balances.length === 0) return null
  return (
    <section className="request-part">
      <h3>{t('panel.balance')}</h3>
      <ul>
        {balances.map(({ year, before, after, later }) => (
          <li key={year}>
            {t(status === 1 ? 'panel.leftOver' : 'panel.left', {
              year: formats.leaveYear(year),
              before: formats.number(before),
              after: formats.number(after),
            })}
            {later && (
              <p className="muted">
                {t('panel.leftFrom', {
                  day: formats.day(later.from),
                  before: formats.number(later.before),
                  after: formats.number(later.after),
                })}
              </p>
            )}
          </li>
        ))}
      </ul>
      {exceeds && (
        <p className="judged-warning">
          <TriangleAlert className="icon" aria-hidden="true" />
          {t('panel.exceeds')}
        </p>
      )}
    </section>
  )
}

function Colleagues({ request }: { request: Judged }) {
  const { t } = useTranslation(['approve', 'leave'])
  const formats = useFormats()
  const shownName = useShownName()
  const { colleagues, people, type } = request
  if (type !== 2) return null
  const away = new Set(colleagues.map(({ employee }) => employee)).size
  return (
    <section className="request-part">
      <h3>{t('panel.colleagues')}</h3>
      {away === 0 ? (
        <p className="muted">{t('panel.nobody', { count: people })}</p>
      ) : (
        <>
          <p className="judged-away">
            <UsersRound className="icon" aria-hidden="true" />
            {t('panel.people', { away, count: people })}
          </p>
          <ul className="judged-colleagues">
            {colleagues.map(absence => (
              <li key={`${absence.employee} ${absence.date}`}>
                <span>
                  <strong>{shownName(fullName(absence))}</strong>{' '}
                  <span className="muted">{t(`leave:type.${absence.leaveType as 1}`)}</span>
                </span>
                <span className="figure muted">
                  {formats.shortDay(absence.date)}
                  {absence.toDate !== absence.date && ` – ${formats.shortDay(absence.toDate)}`}
                </span>
                <RequestStatus status={absence.status} />
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  )
}
