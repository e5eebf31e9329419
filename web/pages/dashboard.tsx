import dayjs from 'dayjs'
import { ArrowRight, Check, Fingerprint, Moon, ScanLine, UsersRound } from 'lucide-react'
import { lazy, type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { PathOutput } from '../api.ts'
import { useFormats } from '../format.ts'
import { useMayOpen } from '../menu.ts'
import { Chart, type Tone } from '../parts/day/chart.tsx'
import { type DayRow, OpenDay, opensDay, useMayOpenDay } from '../parts/day/open-day.tsx'
import { SegmentField } from '../parts/field/segment-field.tsx'
import { useDeviceName } from '../parts/list/device-name.ts'
import { Page, Trouble } from '../parts/page.tsx'
import { Avatar } from '../parts/shell/avatar.tsx'
import { FirstSteps, useFirstSteps } from '../parts/shell/first-steps.tsx'
import { Ring } from '../parts/shell/ring.tsx'
import { Link } from '../parts/shell/router.ts'
import { fullName } from '../person-name.ts'
import { useRead } from '../read.ts'
import { usePerson } from '../session.tsx'
import './dashboard.css'

/** The home page of an employee account. */
const OwnDay = lazy(() => import('./timecard/day.tsx'))

export default function Dashboard() {
  return usePerson().type === 'management' ? <CompanyDay /> : <OwnDay />
}

function CompanyDay() {
  const { t } = useTranslation('dashboard')
  const formats = useFormats()
  const today = useRead('dashboard/today', {})
  const absent = useRead('dashboard/today/absent', {})
  const yesterday = useRead('dashboard/yesterday', {})
  const info = useRead('dashboard/info', {})
  if (today.error && !today.data) {
    return (
      <Page title={t('title')}>
        <Trouble error={today.error} onRetry={today.readAgain} />
      </Page>
    )
  }
  return (
    <Page title={t('title')} note={formats.longDay(today.data?.day ?? formats.today())} className="dashboard">
      <Figures info={info.data} />
      <div className="dashboard-cards">
        <Today today={today.data} />
        <Absent absent={absent.data} today={today.data} />
        <Yesterday yesterday={yesterday.data} people={info.data?.employee_num} />
        <History />
        <Latest />
        <FirstStepsCard info={info.data} />
      </div>
    </Page>
  )
}

function Figures({ info }: { info: PathOutput<'dashboard/info'> | undefined }) {
  const { t } = useTranslation('dashboard')
  const formats = useFormats()
  const number = (value: number | undefined) => (value === undefined ? '–' : formats.number(value))
  return (
    <dl className="figures">
      <Figure icon={<UsersRound className="icon" />} name={t('people')} to="/employee">
        {number(info?.employee_num)}
      </Figure>
      <Figure icon={<Fingerprint className="icon" />} name={t('records')} to="/record">
        {number(info?.record_num)}
      </Figure>
      <Figure icon={<ScanLine className="icon" />} name={t('devices')} to="/device">
        {number(info?.device_online_num)}
        <small> / {number(info?.device_num)}</small>
      </Figure>
    </dl>
  )
}

function Figure(props: { icon: ReactNode; name: string; to: string; children: ReactNode }) {
  const isOpen = useMayOpen()(props.to)
  return (
    <div className="card figure-card">
      <dt>
        {props.icon}
        {isOpen ? <Link to={props.to}>{props.name}</Link> : props.name}
      </dt>
      <dd className="figure">{props.children}</dd>
    </div>
  )
}

function Today({ today }: { today: PathOutput<'dashboard/today'> | undefined }) {
  const { t } = useTranslation('dashboard')
  const formats = useFormats()
  return (
    <section className="card today" aria-busy={!today}>
      <h2>{t('today.title')}</h2>
      <Ring share={(today?.percentage ?? 0) / 100}>
        <strong className="figure">{today ? formats.percent(today.percentage) : '–'}</strong>
        <span className="muted">{t('today.present')}</span>
      </Ring>
      <p className="today-line">
        {today?.should_num === 0
          ? t('today.nobody')
          : today
            ? t('today.count', { active: formats.number(today.active_num), should: formats.number(today.should_num) })
            : t('today.loading')}
      </p>
      {today?.running && (
        <p className="today-running muted">
          <Moon className="icon" aria-hidden="true" />
          {t('today.running', {
            active: formats.number(today.running.active_num),
            should: formats.number(today.running.should_num),
          })}
        </p>
      )}
    </section>
  )
}

/** The card shows this many names, and only counts the other people. */
const shownAbsent = 7

function Absent(props: {
  absent: PathOutput<'dashboard/today/absent'> | undefined
  today: PathOutput<'dashboard/today'> | undefined
}) {
  const { t } = useTranslation('dashboard')
  const formats = useFormats()
  const { absent, today } = props
  const [shown, setShown] = useState<DayRow>()
  const days = absent?.list
    .slice(0, shownAbsent)
    .map(({ employee, workno, shift }): DayRow => ({ key: `absent ${workno} ${shift}`, employee, day: absent.day }))
  return (
    <section className="card absent" aria-busy={!absent}>
      <header>
        <h2>{t('absent.title')}</h2>
        <span className="tag figure">{absent ? formats.number(absent.count) : '–'}</span>
      </header>
      {absent?.list.length === 0 && today?.active_num === 0 ? (
        <p className="quiet-line muted">{t(today.should_num === 0 ? 'absent.nobody' : 'absent.notYet')}</p>
      ) : absent?.list.length === 0 ? (
        <p className="quiet-line">
          <Check className="icon" aria-hidden="true" /> {t('absent.none')}
        </p>
      ) : (
        <ul>
          {absent
            ? absent.list.slice(0, shownAbsent).map(({ first_name, last_name, workno, shift }, index) => (
                <li key={`${workno} ${shift}`}>
                  <span>
                    <DayButton day={days?.[index]} onShow={setShown}>
                      {fullName({ first_name, last_name })}
                    </DayButton>
                    <small className="muted figure">{workno}</small>
                  </span>
                  <span className="muted">{shift}</span>
                </li>
              ))
            : [1, 2, 3, 4, 5].map(line => (
                <li key={line}>
                  <span className="skeleton" style={{ width: `${80 - line * 8}%`, height: 12 }} />
                </li>
              ))}
        </ul>
      )}
      {absent && absent.count > shownAbsent && (
        <p className="muted small">{t('absent.more', { count: absent.count - shownAbsent })}</p>
      )}
      <OpenDay shown={shown} days={days} onShow={setShown} />
    </section>
  )
}

/** A name that opens the person's day, for users who may see it. */
function DayButton(props: { day: DayRow | undefined; onShow: (day: DayRow) => void; children: ReactNode }) {
  const { day, onShow, children } = props
  const mayOpen = useMayOpenDay()
  if (!day || !mayOpen) return children
  return (
    <button type="button" className="day-button" {...opensDay(day.key)} onClick={() => onShow(day)}>
      {children}
    </button>
  )
}

const kinds = ['late', 'early', 'absent', 'over', 'exception'] as const

function Yesterday(props: { yesterday: PathOutput<'dashboard/yesterday'> | undefined; people: number | undefined }) {
  const { t } = useTranslation('dashboard')
  const formats = useFormats()
  const { yesterday, people = 0 } = props
  const mayRead = useMayOpen()('/report')
  return (
    <section className="card yesterday" aria-busy={!yesterday}>
      <header>
        <h2>{t('yesterday.title')}</h2>
        {yesterday && mayRead && (
          <Link to={`/report?from=${yesterday.day}&to=${yesterday.day}`}>
            {t('yesterday.report')} <ArrowRight className="icon" aria-hidden="true" />
          </Link>
        )}
      </header>
      <dl>
        {kinds.map(kind => {
          const value = yesterday?.[kind] ?? 0
          return (
            <div key={kind} className={value > 0 ? `has-some ${kind === 'absent' ? 'missed' : kind}` : undefined}>
              <dt>{t(`yesterday.${kind}`)}</dt>
              <dd className="bar" aria-hidden="true">
                <span style={{ width: `${people > 0 ? Math.min(100, (value / people) * 100) : 0}%` }} />
              </dd>
              <dd className="figure">{yesterday ? formats.number(value) : '–'}</dd>
            </div>
          )
        })}
      </dl>
    </section>
  )
}

const views = ['attendance', 'irregular', 'hours'] as const
type View = (typeof views)[number]
type HistoryDay = PathOutput<'dashboard/history'>['list'][number]
const irregular: Record<(typeof kinds)[number], Tone> = {
  ...{ late: 'signal', early: 'soft', absent: 'danger', over: 'accent', exception: 'info' },
}

/** The recent days: attendance, exceptions and worked hours. */
function History() {
  const { t } = useTranslation('dashboard')
  const formats = useFormats()
  const mayRead = useMayOpen()('/report')
  const [view, setView] = useState<View>('attendance')
  const { data } = useRead('dashboard/history', {})
  const list = data?.list ?? []
  const values = (of: (day: HistoryDay) => number) => list.map(of)
  const shown = {
    name: `${t('history.title')}: ${t(`history.${view}`)}`,
    days: list.map(({ day }) => day),
    to: mayRead ? (day: string) => `/report?from=${day}&to=${day}` : undefined,
    empty: t('history.none'),
  }
  return (
    <section className="card history" aria-busy={!data}>
      <header>
        <h2>{t('history.title')}</h2>
        <SegmentField
          label={t('history.show')}
          value={view}
          onText={chosen => setView(views.find(name => name === chosen) ?? 'attendance')}
          options={views.map(name => [name, t(`history.${name}`)])}
        />
      </header>
      {!data ? (
        <div className="skeleton history-skeleton" />
      ) : view === 'attendance' ? (
        <Chart
          {...shown}
          of={{ name: t('history.should'), values: values(day => day.should_num) }}
          series={[{ name: t('history.active'), tone: 'accent', values: values(day => day.active_num) }]}
        />
      ) : view === 'irregular' ? (
        <>
          <Chart
            {...shown}
            series={kinds.map(kind => ({
              ...{ name: t(`yesterday.${kind}`), tone: irregular[kind] },
              values: values(day => day[kind]),
            }))}
          />
          <p className="muted small">{t('history.note')}</p>
        </>
      ) : (
        <Chart
          {...shown}
          format={hours => formats.hours(hours * 3600)}
          series={[
            { name: t('history.work'), tone: 'accent', values: values(day => day.workMinutes / 60) },
            { name: t('history.overtime'), tone: 'signal', values: values(day => day.overtimeMinutes / 60) },
          ]}
        />
      )}
    </section>
  )
}

const shownPunches = 8

/** The latest punches. */
function Latest() {
  const { t } = useTranslation('dashboard')
  const nameOf = useDeviceName()
  const formats = useFormats()
  const mayRead = useMayOpen()('/record')
  const today = formats.today()
  const from = dayjs(today).subtract(6, 'day').format('YYYY-MM-DD')
  const { data } = useRead('record/grid', mayRead ? { filters: { from, to: today }, size: shownPunches } : null)
  const [shown, setShown] = useState<DayRow>()
  const days = data?.list.map(
    ({ employee, at, workDay }): DayRow => ({ key: `punch ${employee} ${at}`, employee, day: workDay }),
  )
  if (!mayRead || data?.list.length === 0) return null
  return (
    <section className="card latest" aria-busy={!data}>
      <header>
        <h2>{t('latest.title')}</h2>
        <Link to="/record">
          {t('latest.all')} <ArrowRight className="icon" aria-hidden="true" />
        </Link>
      </header>
      <ol>
        {data
          ? data.list.map(({ employee, first_name, last_name, at, timezone, day, device, deviceName }, index) => (
              <li key={`${employee} ${at}`}>
                <Avatar person={{ first_name, last_name }} />
                <span className="who">
                  <DayButton day={days?.[index]} onShow={setShown}>
                    {fullName({ first_name, last_name })}
                  </DayButton>
                  <small className="muted" title={device}>
                    {nameOf({ device, deviceName })}
                  </small>
                </span>
                <span className="when figure">
                  {formats.time(at, timezone)}
                  <small className="muted">{day === today ? t('latest.today') : formats.weekday(day)}</small>
                </span>
              </li>
            ))
          : Array.from({ length: shownPunches }, (_, line) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: these lines never move.
              <li key={line}>
                <span className="skeleton" style={{ width: '70%', height: 12 }} />
              </li>
            ))}
      </ol>
      <OpenDay shown={shown} days={days} onShow={setShown} />
    </section>
  )
}

/** The first steps of a new company. The card disappears once employees and terminals exist, or all steps are done. */
function FirstStepsCard({ info }: { info: PathOutput<'dashboard/info'> | undefined }) {
  const { t } = useTranslation('dashboard')
  const isNew = info !== undefined && !(info.employee_num > 1 && info.device_num > 0)
  const { steps } = useFirstSteps(isNew)
  if (!isNew || !steps || steps.every(({ isDone }) => isDone)) return null
  return (
    <section className="card first-steps-card">
      <header>
        <h2>{t('steps.title')}</h2>
        <Link to="/guid">
          {t('steps.all')} <ArrowRight className="icon" aria-hidden="true" />
        </Link>
      </header>
      <FirstSteps steps={steps} />
    </section>
  )
}
