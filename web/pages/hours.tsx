import { ArrowLeft, Layers, Plus, TriangleAlert } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { readyNames, readySets } from '../../shared/attendance/hours/ready.ts'
import type { HourSetForm } from '../../shared/hours/form.ts'
import { mostHourSets } from '../../shared/hours.ts'
import { useFormats } from '../format.ts'
import { KindDot } from '../parts/day/kinds.tsx'
import { Recalculations } from '../parts/day/recalculation.tsx'
import { useAddress } from '../parts/field/address.ts'
import { SettingsWaiting } from '../parts/field/settings.tsx'
import { useDepartments } from '../parts/list/departments.ts'
import { Empty, Page, Trouble } from '../parts/page.tsx'
import { Menu } from '../parts/shell/menu.tsx'
import { Link } from '../parts/shell/router.ts'
import { type RowOf, useList, useRead } from '../read.ts'
import './hours.css'

// Hour sets: which paid minutes are normal, overtime, night or Sunday hours. The address names the open set.

const HourEditor = lazy(() => import('./hours/editor.tsx'))

type Listed = RowOf<'attparams/hours/grid'>

/** A new set with the names of its kinds in the user's language. */
const useNewSet = () => {
  const { t } = useTranslation('hours')
  return (name: string): HourSetForm => {
    const ready = readyNames.find(other => other === name)
    if (!ready)
      return {
        name: '',
        kinds: [{ code: 'N', name: t('ready.kind.N'), color: '#2f6fde', account: true }],
        base: [{ kind: 'N' }],
        extra: [],
      }
    const set = readySets[ready]
    return {
      ...set,
      name: t(`ready.${ready}.name`),
      kinds: set.kinds.map(kind => ({ ...kind, name: t(`ready.kind.${kind.code as 'N'}`) })),
    }
  }
}

export default function HoursPage() {
  const { address, set } = useAddress()
  const [id, fresh] = [address.get('set'), address.get('new')]
  const onSaved = (saved: string | undefined) => set({ set: saved, new: undefined })
  if (id) return <StoredSet key={id} id={id} onSaved={onSaved} />
  if (fresh) return <NewSet key={fresh} like={fresh} onSaved={onSaved} />
  return <Sets />
}

const Back = () => {
  const { t } = useTranslation('hours')
  return (
    <Link className="button" to="/shift/hours">
      <ArrowLeft className="icon" aria-hidden="true" />
      {t('back')}
    </Link>
  )
}

function StoredSet({ id, onSaved }: { id: string; onSaved: (id: string | undefined) => void }) {
  const { t } = useTranslation('hours')
  const { data, error, readAgain } = useRead('attparams/hours/index', { id })
  return (
    <Page title={data?.name ?? t('title')} className="hours" actions={<Back />}>
      <Recalculations kinds={['attparams/hours/update']} />
      {data ? (
        <Suspense fallback={<SettingsWaiting groups={2} />}>
          <HourEditor
            {...{ stored: data, start: data, naming: data, version: data.version, onSaved }}
            readAgain={() => readAgain()}
          />
        </Suspense>
      ) : error ? (
        <Trouble error={error} onRetry={() => void readAgain()} />
      ) : (
        <SettingsWaiting groups={2} />
      )}
    </Page>
  )
}

function NewSet({ like, onSaved }: { like: string; onSaved: (id: string | undefined) => void }) {
  const { t } = useTranslation('hours')
  const newSet = useNewSet()
  const { data, error, readAgain } = useRead('attparams/index', {})
  const { data: sets } = useRead('attparams/hours/grid', {})
  const [start] = useState(() => newSet(like))
  return (
    <Page title={t('new.title')} className="hours" actions={<Back />}>
      {data && sets ? (
        <Suspense fallback={<SettingsWaiting groups={2} />}>
          <HourEditor
            {...{ start, version: data.version, onSaved }}
            // The first set is usually the one of the company. A later one must not take its place unasked.
            naming={{ isCompanySet: !sets.list.some(other => other.isCompanySet), departments: [] }}
            readAgain={async () => undefined}
          />
        </Suspense>
      ) : error ? (
        <Trouble error={error} onRetry={() => void readAgain()} />
      ) : (
        <SettingsWaiting groups={2} />
      )}
    </Page>
  )
}

function Sets() {
  const { t } = useTranslation('hours')
  const { set } = useAddress()
  const list = useList('attparams/hours/grid', {})
  const { rows, error } = list
  const add = rows && rows.length < mostHourSets && (
    <Menu
      className="button primary"
      label={t('new.button')}
      entries={[
        ...readyNames.map(name => ({
          ...{ key: name, text: t(`ready.${name}.name`) },
          onPick: () => set({ new: name }, true),
        })),
        { ...{ key: 'empty', text: t('new.scratch'), divider: true }, onPick: () => set({ new: 'empty' }, true) },
      ]}
    >
      <Plus className="icon" aria-hidden="true" />
      <span>{t('new.button')}</span>
    </Menu>
  )
  return (
    <Page title={t('title')} note={t('note')} className="hours" actions={rows && rows.length > 0 && add}>
      <Recalculations kinds={['attparams/hours/update']} />
      {error && !rows ? (
        <Trouble error={error} onRetry={list.readAgain} />
      ) : !rows ? (
        <SettingsWaiting groups={2} />
      ) : rows.length === 0 ? (
        <Empty icon={<Layers />} title={t('empty.title')} action={add}>
          {t('empty.text')}
        </Empty>
      ) : (
        <>
          {!rows.some(({ isCompanySet }) => isCompanySet) && <p className="notice warn">{t('noCompanySet')}</p>}
          <ul className="hour-sets">
            {rows.map(row => (
              <SetCard key={row.id} row={row} />
            ))}
          </ul>
        </>
      )}
    </Page>
  )
}

function SetCard({ row }: { row: Listed }) {
  const { t } = useTranslation('hours')
  const formats = useFormats()
  const { nameOf } = useDepartments()
  const { id, name, kinds, isCompanySet, departments, since, warnings } = row
  const isIdle = !isCompanySet && departments.length === 0
  return (
    <li className="card hour-set">
      <h2>
        <Link className="row-title" to={`/shift/hours?set=${id}`}>
          {name}
        </Link>
      </h2>
      <ul className="kind-chips">
        {kinds.map(kind => (
          <li key={kind.code}>
            <KindDot color={kind.color} />
            {kind.name}
          </li>
        ))}
      </ul>
      <p className="hour-set-uses">
        {isCompanySet && <span className="tag ok">{t('uses.company')}</span>}
        {departments.map(department => (
          <span key={department} className="tag">
            {nameOf(department)}
          </span>
        ))}
        {isIdle && <span className="tag warn">{t('uses.nobody')}</span>}
      </p>
      {since && <p className="muted small">{t('since', { day: formats.day(since) })}</p>}
      {warnings.length > 0 && (
        <p className="rule-note is-warning">
          <TriangleAlert className="icon" aria-hidden="true" /> {t('preview.dead', { count: warnings.length })}
        </p>
      )}
    </li>
  )
}
