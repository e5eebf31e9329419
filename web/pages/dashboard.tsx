import { ArrowRight, Fingerprint, Moon, ScanLine, UsersRound } from 'lucide-react'
import { lazy, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { PathOutput } from '../api.ts'
import { useFormats } from '../format.ts'
import { useMayOpen } from '../menu.ts'
import { useAddress } from '../parts/field/address.ts'
import { Page, Trouble } from '../parts/page.tsx'
import { FirstSteps, useFirstSteps, useStepsDone } from '../parts/shell/first-steps.tsx'
import { Ring } from '../parts/shell/ring.tsx'
import { Link } from '../parts/shell/router.ts'
import { HideSteps, SampleData } from '../parts/shell/sample-data.tsx'
import { useRead } from '../read.ts'
import { usePerson } from '../session.tsx'
import { Attention } from './dashboard/attention.tsx'
import { History, kinds } from './dashboard/history.tsx'
import { WhoCard } from './dashboard/who.tsx'
import './dashboard.css'

const Wall = lazy(async () => ({ default: (await import('./dashboard/wall.tsx')).Wall }))

/** The home page of an employee account. */
const OwnDay = lazy(() => import('./timecard/day.tsx'))

export default function Dashboard() {
  const isWall = useAddress().address.has('wall')
  if (usePerson().type !== 'management') return <OwnDay />
  return isWall ? <Wall /> : <CompanyDay />
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
    <Page
      title={t('title')}
      note={formats.longDay(today.data?.day ?? formats.today())}
      className="dashboard"
      actions={<Figures info={info.data} />}
    >
      <FirstStepsCard />
      <Attention />
      <div className="dashboard-cards">
        <WhoCard />
        <div className="dashboard-side">
          <Today today={today.data} absent={absent.data} />
          <Yesterday yesterday={yesterday.data} people={info.data?.employee_num} />
        </div>
        <History />
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
    <div className="figure-card">
      <dt>
        {props.icon}
        {isOpen ? <Link to={props.to}>{props.name}</Link> : props.name}
      </dt>
      <dd className="figure">{props.children}</dd>
    </div>
  )
}

/** The specified share of those who clocked in among the scheduled, with its formula. */
function Today(props: {
  today: PathOutput<'dashboard/today'> | undefined
  absent: PathOutput<'dashboard/today/absent'> | undefined
}) {
  const { t } = useTranslation('dashboard')
  const formats = useFormats()
  const { today, absent } = props
  const number = (value: number | undefined) => (value === undefined ? '–' : formats.number(value))
  const later = today && absent && Math.max(0, today.should_num - today.active_num - absent.count)
  return (
    <section className="card today" aria-busy={!today}>
      <h2>{t('today.title')}</h2>
      <Ring share={(today?.percentage ?? 0) / 100}>
        <strong className="figure">{today ? formats.percent(today.percentage) : '–'}</strong>
        <span className="muted">{t('today.present')}</span>
      </Ring>
      {today?.should_num === 0 ? (
        <p className="today-line">{t('today.nobody')}</p>
      ) : (
        <dl>
          <div>
            <dt>{t('today.came')}</dt>
            <dd className="figure">
              {number(today?.active_num)} <small>{t('today.of', { should: number(today?.should_num) })}</small>
            </dd>
          </div>
          <div className={absent?.count ? 'has-absent' : undefined}>
            <dt>{t('today.absent')}</dt>
            <dd className="figure">{number(absent?.count)}</dd>
          </div>
          <div>
            <dt>{t('today.later')}</dt>
            <dd className="figure">{number(later)}</dd>
          </div>
        </dl>
      )}
      <p className="today-formula muted small">{t('today.formula')}</p>
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

/** The first steps stay on top until all are done, or an administrator hides them. */
function FirstStepsCard() {
  const { t } = useTranslation('dashboard')
  const areDone = useStepsDone()
  const areHidden = useRead('company/get', areDone ? null : {}).data?.areStepsHidden ?? true
  const { steps } = useFirstSteps(!areDone && !areHidden)
  if (areHidden || !steps || steps.every(({ isDone }) => isDone)) return null
  return (
    <section className="card first-steps-card">
      <header>
        <h2>{t('steps.title')}</h2>
        <span className="first-steps-do">
          <HideSteps areHidden={false} />
          <Link to="/guid">
            {t('steps.all')} <ArrowRight className="icon" aria-hidden="true" />
          </Link>
        </span>
      </header>
      <FirstSteps steps={steps} />
      <SampleData />
    </section>
  )
}
