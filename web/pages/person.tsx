import { ChevronRight, UserRoundX } from 'lucide-react'
import { Suspense, useEffect, useLayoutEffect, useMemo, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { isFault } from '../api.ts'
import { useEveryMinute } from '../every-minute.ts'
import { useFormats } from '../format.ts'
import { useMayOpen } from '../menu.ts'
import { useAddress } from '../parts/field/address.ts'
import { useShownName } from '../parts/list/person-name.tsx'
import { TabPanel, Tabs } from '../parts/list/tabs.tsx'
import { Empty, Page, Trouble } from '../parts/page.tsx'
import { withinPage } from '../parts/say/leaving.tsx'
import { Keys } from '../parts/shell/keys.tsx'
import { Link, useLocation, usePageNavigate, useParams } from '../parts/shell/router.ts'
import { hasSingleKeys, isCovered, isTyping } from '../parts/shell/shortcuts.ts'
import { Splash } from '../parts/shell/splash.tsx'
import { fullName } from '../person-name.ts'
import { refresh, useRareRead, useRead } from '../read.ts'
import { PersonDays } from './person/days.tsx'
import { PersonForms, useForms } from './person/forms.tsx'
import { PersonHead } from './person/head.tsx'
import { PersonHistory } from './person/history.tsx'
import { PersonLeave } from './person/leave.tsx'
import { useMayChange } from './person/menu.tsx'
import { Neighbours, useNeighbours } from './person/neighbours.tsx'
import { Overview } from './person/overview.tsx'
import { PersonSchedule } from './person/schedule.tsx'
import { type Got, type Tab, useTabs } from './person/tabs.ts'
import './person.css'

// Everything about one person. Each tab shows what the permission of its own lists opens.

const tabsName = 'person'

export default function PersonPage() {
  const { id = '' } = useParams()
  // Another person is another page, with forms of its own.
  return <OnePerson key={id} id={id} />
}

function OnePerson({ id }: { id: string }) {
  const { t } = useTranslation(['person', 'shell'])
  const neighbours = useNeighbours(id)
  const { data, error } = useRareRead('employee/get', { id })
  // Time alone makes people late, and ends their work days.
  useEveryMinute(() => refresh(['employee/get']))
  if (data) return <Shown person={data} neighbours={neighbours} />
  if (!error) return <Splash inside />
  // An address may contain anything, also what is no id.
  if (isFault(error) && (error.code === 60004 || error.code === 10002)) return <Refused />
  return (
    <Page title={t('shell:nav.person')}>
      <Trouble error={error} onRetry={() => refresh(['employee/get'])} />
    </Page>
  )
}

/** An unknown person, or one of another department or company. The server does not tell which. */
function Refused() {
  const { t } = useTranslation(['person', 'shell'])
  const mayList = useMayOpen()('/employee')
  return (
    <Page title={t('shell:nav.person')}>
      <Empty
        icon={<UserRoundX />}
        title={t('refused.title')}
        action={
          <Link className="button primary" to={mayList ? '/employee' : '/dashboard'}>
            {t(mayList ? 'refused.employees' : 'refused.dashboard')}
          </Link>
        }
      >
        {t('refused.text')}
      </Empty>
    </Page>
  )
}

/** The number keys open the tabs, and the brackets the people before and after this one. */
const usePageKeys = (
  shown: readonly Tab[],
  pick: (tab: Tab) => void,
  { previous, next }: ReturnType<typeof useNeighbours>,
) => {
  const { t } = useTranslation('person')
  const latest = useRef({ shown, pick, previous, next })
  latest.current = { shown, pick, previous, next }
  // A layout effect, because the page hears keys as soon as it shows the person.
  useLayoutEffect(() => {
    const handleKey = (event: KeyboardEvent) => {
      if (event.altKey || event.ctrlKey || event.metaKey || isTyping(event) || isCovered() || !hasSingleKeys()) return
      const { key } = event
      const { shown, pick, previous, next } = latest.current
      const tab = /^[1-9]$/.test(key) ? shown[Number(key) - 1] : undefined
      const step = key === '[' ? previous : key === ']' ? next : undefined
      if (!tab && !step) return
      event.preventDefault()
      if (tab) pick(tab)
      else step?.()
    }
    addEventListener('keydown', handleKey)
    return () => removeEventListener('keydown', handleKey)
  }, [])
  return useMemo(
    () =>
      [
        [`1–${shown.length}`, t('keys.tabs')],
        ['[ ]', t('keys.steps')],
      ] as const,
    [t, shown.length],
  )
}

function Shown({ person, neighbours }: { person: Got; neighbours: ReturnType<typeof useNeighbours> }) {
  const { t } = useTranslation(['person', 'employee', 'shell'])
  const formats = useFormats()
  const shownName = useShownName()
  const mayChange = useMayChange()
  const mayList = useMayOpen()('/employee')
  const { address, set } = useAddress()
  const { state } = useLocation()
  const navigate = usePageNavigate()
  const shown = useTabs(person)
  const tab = shown.find(key => key === address.get('tab')) ?? shown[0]
  const pick = (next: Tab) => {
    const query = new URLSearchParams(location.search)
    if (next === shown[0]) query.delete('tab')
    else query.set('tab', next)
    // Unsaved changes stay in their tabs.
    navigate({ search: query.toString() }, { replace: true, state: { ...state, ...withinPage } })
  }
  const keys = usePageKeys(shown, pick, neighbours)
  const { record, isFormer, isDeleted, endDay } = person
  const forms = useForms(record, tab)
  const pending = useRead(
    'approve/grid',
    shown.includes('leave') ? { filters: { employee: person.id, status: 0 }, size: 50 } : null,
  ).data?.list.length
  const name = shownName(fullName(person))
  useEffect(() => {
    document.title = `${name} · ${t('shell:product')}`
  }, [name, t])
  const labelOf = (key: Tab) => {
    const text = t(`tabs.${key}`)
    return key === 'leave' && pending ? t('tabs.withCount', { tab: text, count: pending }) : text
  }
  const isForm = tab === 'details' || tab === 'attendance' || tab === 'signIn'
  return (
    <div className="page person-page">
      <div className="person-path">
        <nav aria-label={t('path')}>
          {mayList ? <Link to="/employee">{t('employee:title')}</Link> : <span>{t('employee:title')}</span>}
          <ChevronRight className="icon" aria-hidden="true" />
          <span aria-current="page">{name}</span>
        </nav>
        <Keys title={t('keys.title')} keys={keys} />
        <Neighbours {...neighbours} />
      </div>
      {isFormer && (
        <p className="notice person-former">
          {t(isDeleted ? 'former.deleted' : 'former.banner', { day: endDay ? formats.day(endDay) : t('shell:none') })}
        </p>
      )}
      <PersonHead person={person} name={name} version={forms.version} onDone={() => refresh(['employee/get'])} />
      {tab && (
        <>
          <Tabs
            name={tabsName}
            label={t('tabs.label', { name })}
            value={tab}
            onPick={pick}
            tabs={shown.map(key => ({
              ...{ key, text: labelOf(key) },
              hasChanges: forms.changed.has(key as 'details'),
            }))}
          />
          {!isForm && (
            <TabPanel name={tabsName} tab={tab} isShown>
              {/* A tab that still loads must not hide the page, because its forms would forget that they have changes. */}
              <Suspense>
                {tab === 'overview' && <Overview person={person} tabs={shown} onTab={pick} />}
                {tab === 'days' && <PersonDays person={person} />}
                {tab === 'schedule' && <PersonSchedule person={person} />}
                {tab === 'leave' && <PersonLeave person={person} />}
                {tab === 'history' && <PersonHistory person={person} name={name} />}
              </Suspense>
            </TabPanel>
          )}
          {record && (
            <div className="person-forms" hidden={!isForm}>
              <PersonForms
                name={tabsName}
                record={record}
                tab={tab}
                isAccepting={address.has('accept')}
                onAccepted={() => set({ accept: undefined })}
                mayChange={mayChange(record)}
                forms={forms}
              />
            </div>
          )}
        </>
      )}
    </div>
  )
}
