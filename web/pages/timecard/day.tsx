import { ArrowRight, Fingerprint } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { PathOutput } from '../../api.ts'
import { useFormats } from '../../format.ts'
import { OwnAccount } from '../../parts/account/own.tsx'
import { Button } from '../../parts/button.tsx'
import { useAmount } from '../../parts/day/amount.ts'
import { Chart } from '../../parts/day/chart.tsx'
import { useDeviceName } from '../../parts/list/device-name.ts'
import { Page, Trouble } from '../../parts/page.tsx'
import { Link } from '../../parts/shell/router.ts'
import { greetingName } from '../../person-name.ts'
import { useRead } from '../../read.ts'
import { usePerson } from '../../session.tsx'
import { PunchButton } from '../dashboard/punch-button.tsx'
import { OwnDayPanel } from './day-panel.tsx'
import { OwnRequests } from './requests.tsx'
import { OwnTeam } from './team.tsx'
import './day.css'

/** The home page of an employee: attendance state, punches of today and the month so far. */
export default function OwnDay() {
  const { t } = useTranslation('personal')
  const { employee } = usePerson()
  const formats = useFormats()
  const [explained, setExplained] = useState<string>()
  const record = useRead('personal/dashboard/record', {})
  const work = useRead('personal/dashboard/work', {})
  const info = useRead('personal/dashboard/info', {})
  const history = useRead('personal/dashboard/history', {})
  return (
    <Page
      title={t('hello', { name: greetingName(employee) })}
      note={formats.longDay(record.data?.day ?? formats.today())}
      className="own-day"
    >
      {record.error && !record.data ? (
        <Trouble error={record.error} onRetry={() => void record.readAgain()} />
      ) : (
        <div className="own-cards">
          <Now now={record.data} onExplain={setExplained} />
          <OwnRequests today={record.data?.day ?? formats.today()} />
          <OwnTeam />
          <OwnAccount isBrief />
          <Month work={work.data} />
          <Counts info={info.data} />
          <History history={history.data} />
        </div>
      )}
      {explained && <OwnDayPanel day={explained} onClose={() => setExplained(undefined)} />}
    </Page>
  )
}

type Now = PathOutput<'personal/dashboard/record'>

/** The attendance state of the employee, and the punches of today. */
function Now({ now, onExplain }: { now: Now | undefined; onExplain: (day: string) => void }) {
  const { t } = useTranslation('personal')
  const zone = now?.list[0]?.timezone
  const formats = useFormats()
  return (
    <section className={`card now ${now?.state ?? ''}`} aria-busy={!now}>
      <h2 className="unseen">{t('today.title')}</h2>
      {now ? (
        <>
          <div className="now-state" role="status">
            <strong>{t(`today.state.${now.state}`)}</strong>
            <Since now={now} />
          </div>
          <PunchButton isAtWork={now.state === 'in'} />
          {now.list.map(day => (
            <NowShift key={`${day.day} ${day.shift}`} day={day} />
          ))}
          <h3>{t('today.punches')}</h3>
          <Punches punches={now.punches} zone={zone ?? formats.timezone} />
          {now.list[0] && <Button onClick={() => now.list[0] && onExplain(now.list[0].day)}>{t('today.why')}</Button>}
        </>
      ) : (
        [60, 40, 80].map(width => <span key={width} className="skeleton" style={{ width: `${width}%`, height: 20 }} />)
      )}
    </section>
  )
}

/** The start of the attendance state. For an expected or missing employee, the start of duty. */
function Since({ now }: { now: Now }) {
  const { t } = useTranslation('personal')
  const formats = useFormats()
  const { state, since, list } = now
  const zone = list[0]?.timezone
  if (state === 'in' || state === 'out' || state === 'forgotten')
    return <span>{since && t(`today.${state}`, { time: formats.time(since, zone) })}</span>
  const begins = list.find(({ dutyFrom }) => dutyFrom)?.dutyFrom
  if ((state === 'missing' || state === 'expected') && begins)
    return <span>{t(`today.${state}`, { time: formats.time(begins, zone) })}</span>
  return null
}

function NowShift({ day }: { day: Now['list'][number] }) {
  const formats = useFormats()
  const amount = useAmount()
  const { t } = useTranslation('personal')
  if (day.shift === undefined) return null
  return (
    <p className={`now-shift shift-color ${day.shiftColor ?? ''}`}>
      <span className="shift-name">{day.shift}</span>
      {day.dutyFrom && day.dutyTo && (
        <span className="figure">
          {formats.time(day.dutyFrom, day.timezone)}–{formats.time(day.dutyTo, day.timezone)}
        </span>
      )}
      {day.lateMinutes > 0 && (
        <span className="tag warn">
          {amount(day.lateMinutes, 'lateMinutes')} {t('timecard.late')}
        </span>
      )}
    </p>
  )
}

function Punches({ punches, zone }: { punches: Now['punches']; zone: string }) {
  const { t } = useTranslation(['personal', 'record'])
  const nameOf = useDeviceName()
  const formats = useFormats()
  if (punches.length === 0)
    return (
      <p className="muted now-none">
        <Fingerprint className="icon" aria-hidden="true" /> {t('today.none')}
      </p>
    )
  return (
    <ol className="now-punches">
      {punches.map(({ at, use, device, deviceName }) => (
        <li key={`${at} ${device}`} className={use}>
          <time className="figure" dateTime={at}>
            {formats.time(at, zone)}
          </time>
          <span>{t(`record:use.${use}`)}</span>
          <small className="muted">{nameOf({ device, deviceName })}</small>
        </li>
      ))}
    </ol>
  )
}

function Month({ work }: { work: PathOutput<'personal/dashboard/work'> | undefined }) {
  const { t } = useTranslation(['personal', 'shell'])
  const formats = useFormats()
  const lines = [
    ['duty', work?.dutytime, work?.duty_percentage],
    ['work', work?.worktime, work?.work_percentage],
    ['overtime', work?.overtime, work?.overtime_percentage],
  ] as const
  return (
    <section className="card own-month" aria-busy={!work}>
      <header>
        <h2>{t('month.title')}</h2>
        <Link to="/timecard">
          {t('timecard.title')} <ArrowRight className="icon" aria-hidden="true" />
        </Link>
      </header>
      <dl>
        {lines.map(([name, seconds, percentage]) => (
          <div key={name} className={name}>
            <dt>{t(`month.${name}`)}</dt>
            <dd className="figure">
              {seconds === undefined ? '–' : `${formats.hours(seconds)}\u00a0${t('shell:unit.hours')}`}
            </dd>
            <dd className="figure share">{percentage === undefined ? '–' : formats.percent(percentage)}</dd>
            <dd className="bar" aria-hidden="true">
              <span style={{ width: `${percentage ?? 0}%` }} />
            </dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

const hoursOf = (seconds: number) => seconds / 3600

/** The worked and scheduled hours of each day. Each day links to its explanation. */
function History({ history }: { history: PathOutput<'personal/dashboard/history'> | undefined }) {
  const { t } = useTranslation('personal')
  const formats = useFormats()
  return (
    <section className="card own-history" aria-busy={!history}>
      <h2>{t('history.title')}</h2>
      {history ? (
        <Chart
          name={t('history.title')}
          days={history.list.map(({ day }) => day)}
          of={{ name: t('month.duty'), values: history.list.map(({ dutytime }) => hoursOf(dutytime)) }}
          series={[
            {
              name: t('month.work'),
              tone: 'accent',
              values: history.list.map(({ worktime }) => hoursOf(worktime)),
            },
            {
              name: t('month.overtime'),
              tone: 'signal',
              values: history.list.map(({ overtime }) => hoursOf(overtime)),
            },
          ]}
          format={hours => formats.hours(hours * 3600)}
          to={day => `/timecard?month=${day.slice(0, 7)}&day=${day}`}
          empty={t('history.empty')}
        />
      ) : (
        <span className="skeleton" style={{ height: 220 }} />
      )}
    </section>
  )
}

const counts = [
  ['lateearly', 'month_early_late', 'late'],
  ['absent', 'month_absent', 'missed'],
  ['overtime', 'month_over', 'over'],
  ['exception', 'month_exception', 'exception'],
] as const

/** The number of notable days in the month, by kind. Each number links to its days. */
function Counts({ info }: { info: PathOutput<'personal/dashboard/info'> | undefined }) {
  const { t } = useTranslation('personal')
  return (
    <section className="card own-counts" aria-busy={!info}>
      <h2>{t('count.title')}</h2>
      <ul>
        {counts.map(([show, name, tone]) => (
          <li key={show} className={info && info[name] > 0 ? tone : undefined}>
            <Link to={`/timecard?view=list&show=${show}`}>
              <span>{t(`count.${show}`)}</span>
              <strong className="figure">{info ? t('count.days', { count: info[name] }) : '–'}</strong>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  )
}
