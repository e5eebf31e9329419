import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Panel } from '../../parts/list/panel.tsx'
import { TabPanel, Tabs } from '../../parts/list/tabs.tsx'
import { DiscardQuestion } from '../../parts/say/leaving.tsx'
import { ShiftForm } from './form.tsx'
import { ShiftMore } from './more.tsx'
import type { Color, Shift } from './values.ts'
import { ShiftVersions } from './versions.tsx'
import './panel.css'

const tabs = ['form', 'versions', 'more'] as const
type Tab = (typeof tabs)[number]
const name = 'shift'

/** The tabs of a shift, or the form for a new one. Closing with unsaved changes asks first. */
export default function ShiftPanel(props: {
  shift: Shift | undefined
  like: Shift | undefined
  color: Color
  onCopy: (shift: Shift) => void
  onClose: () => void
}) {
  const { t } = useTranslation(['shift', 'shell'])
  const { shift, onClose } = props
  const [tab, setTab] = useState<Tab>('form')
  const [isChanged, setChanged] = useState(false)
  /** The pending action, which runs after the user discards the changes. */
  const [leaving, setLeaving] = useState<() => void>()
  const leave = (then: () => void) => (isChanged ? setLeaving(() => then) : then())
  /** Keeps the panel mounted, so that it keeps the keyboard focus. */
  const copy = (shift: Shift) => {
    setTab('form')
    setChanged(false)
    setLeaving(undefined)
    props.onCopy(shift)
  }
  const form = (
    <ShiftForm
      key={shift?.id ?? 'new'}
      shift={shift}
      like={props.like}
      color={props.color}
      onChanged={setChanged}
      onDone={onClose}
      onCancel={() => leave(onClose)}
    />
  )
  return (
    <Panel title={shift ? shift.name : t('add')} wide onClose={() => leave(onClose)}>
      {shift ? (
        <>
          <Tabs
            name={name}
            label={t('tabs.label')}
            value={tab}
            onPick={setTab}
            tabs={tabs.map(key => ({ key, text: t(`tabs.${key}`), hasChanges: key === 'form' && isChanged }))}
          />
          <TabPanel name={name} tab="form" isShown={tab === 'form'}>
            {form}
          </TabPanel>
          <TabPanel name={name} tab="versions" isShown={tab === 'versions'}>
            {tab === 'versions' && <ShiftVersions shift={shift} onClose={() => leave(onClose)} />}
          </TabPanel>
          <TabPanel name={name} tab="more" isShown={tab === 'more'}>
            <ShiftMore
              shift={shift}
              onCopy={() => leave(() => copy(shift))}
              onDone={onClose}
              onCancel={() => leave(onClose)}
            />
          </TabPanel>
        </>
      ) : (
        form
      )}
      {leaving && <DiscardQuestion onYes={leaving} onNo={() => setLeaving(undefined)} />}
    </Panel>
  )
}
