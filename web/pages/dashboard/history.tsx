import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { PathOutput } from '../../api.ts'
import { useFormats } from '../../format.ts'
import { useMayOpen } from '../../menu.ts'
import { Chart, type Tone } from '../../parts/day/chart.tsx'
import { SegmentField } from '../../parts/field/segment-field.tsx'
import { useRead } from '../../read.ts'

/** The irregularities of a day, in the order of the page. */
export const kinds = ['late', 'early', 'absent', 'over', 'exception'] as const

const views = ['irregular', 'attendance', 'hours'] as const
type View = (typeof views)[number]
type HistoryDay = PathOutput<'dashboard/history'>['list'][number]
const irregular: Record<(typeof kinds)[number], Tone> = {
  ...{ late: 'signal', early: 'soft', absent: 'danger', over: 'accent', exception: 'info' },
}

/** The recent days: attendance, exceptions and worked hours. */
export function History() {
  const { t } = useTranslation('dashboard')
  const formats = useFormats()
  const mayRead = useMayOpen()('/report')
  const [view, setView] = useState<View>('irregular')
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
          onText={chosen => setView(views.find(name => name === chosen) ?? 'irregular')}
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
