import { Plus } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../parts/button.tsx'
import { useAddress } from '../parts/field/address.ts'
import { TabPanel, Tabs } from '../parts/list/tabs.tsx'
import { Page } from '../parts/page.tsx'
import { LeaveBalances } from './leave/balances.tsx'
import { type FreeDay, LeaveCalendar } from './leave/calendar.tsx'
import './leave.css'

// Leave: the balances of a year, and the calendar of a month.

const BehalfPanel = lazy(async () => ({ default: (await import('../parts/request/behalf.tsx')).BehalfPanel }))

const leaveOnly = ['leave'] as const
const views = ['balances', 'calendar'] as const
type View = (typeof views)[number]

export default function LeavePage() {
  const { t } = useTranslation(['leave', 'shell'])
  const { address: search, set } = useAddress()
  const view: View = search.get('view') === 'calendar' ? 'calendar' : 'balances'
  const [adding, setAdding] = useState<Partial<FreeDay>>()
  return (
    <Page
      title={t('title')}
      note={t(view === 'calendar' ? 'calendar.note' : 'note')}
      className="leave-page"
      actions={
        <Button look="primary" icon={<Plus className="icon" aria-hidden="true" />} onClick={() => setAdding({})}>
          {t('add')}
        </Button>
      }
    >
      <Tabs
        name="leave"
        label={t('title')}
        tabs={views.map(key => ({ key, text: t(`view.${key}`) }))}
        value={view}
        onPick={next => set({ view: next === 'balances' ? undefined : next })}
      />
      <TabPanel name="leave" tab="balances" isShown={view === 'balances'}>
        {view === 'balances' && <LeaveBalances />}
      </TabPanel>
      <TabPanel name="leave" tab="calendar" isShown={view === 'calendar'}>
        {view === 'calendar' && <LeaveCalendar onAdd={setAdding} />}
      </TabPanel>
      {/* The code of the panel loads when it first opens. */}
      <Suspense>
        {adding && (
          <BehalfPanel
            kinds={leaveOnly}
            {...(adding.person && { people: [adding.person] })}
            {...(adding.day && { ask: { kind: 'leave', date: adding.day } })}
            onClose={() => setAdding(undefined)}
          />
        )}
      </Suspense>
    </Page>
  )
}
