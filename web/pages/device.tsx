import { Plus, ScanLine, TriangleAlert } from 'lucide-react'
import { useEffect, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { PathCall } from '../api.ts'
import { useEveryMinute } from '../every-minute.ts'
import { useFormats } from '../format.ts'
import { Button } from '../parts/button.tsx'
import { Ago } from '../parts/day/ago.tsx'
import { useAddress } from '../parts/field/address.ts'
import { SelectField } from '../parts/field/field.tsx'
import { SearchField, usePageSearch } from '../parts/field/search-field.tsx'
import { DepartmentFilter } from '../parts/list/department-filter.tsx'
import { useDepartments } from '../parts/list/departments.ts'
import { Filters } from '../parts/list/filters.tsx'
import type { ColumnOf } from '../parts/list/grid/column.ts'
import { Grid, TwoLines } from '../parts/list/grid.tsx'
import { Empty, Page } from '../parts/page.tsx'
import { refresh, useList } from '../read.ts'
import { usePerson } from '../session.tsx'
import { withoutEmpty } from '../without-empty.ts'
import { DeviceForm } from './device/form.tsx'
import { Quarantine } from './device/quarantine.tsx'
import { DeviceView } from './device/view.tsx'
import { type Device, DeviceState, useDrift, useWarning } from './device/words.tsx'
import './device.css'

type State = NonNullable<NonNullable<PathCall<'device/grid'>['filters']>['state']>
const states = ['online', 'offline', 'claimed', 'needs approval'] as const satisfies readonly State[]

/** The list of terminals, or the terminal whose serial number is in the address. */
export default function DevicePage() {
  const { address, set } = useAddress()
  const sn = address.get('sn')
  // The server returns the secret of a server path only once, so only the open page keeps it.
  const [paths, setPaths] = useState<ReadonlyMap<string, string>>(() => new Map())
  const [added, setAdded] = useState<string>()
  // Waits until the form has closed: an open form with changes asks before the user leaves.
  useEffect(() => {
    if (added === undefined) return
    setAdded(undefined)
    set({ sn: added, tab: 'setup' }, true)
  }, [added, set])
  const keepPath = (serialNumber: string, path: string) =>
    setPaths(previous => new Map(previous).set(serialNumber, path))
  if (sn)
    return (
      <DeviceView
        key={sn}
        serialNumber={sn}
        serverPath={paths.get(sn)}
        onPath={serverPath => keepPath(sn, serverPath)}
      />
    )
  return (
    <DeviceList
      onAdded={(serialNumber, serverPath) => {
        keepPath(serialNumber, serverPath)
        setAdded(serialNumber)
      }}
    />
  )
}

function DeviceList({ onAdded }: { onAdded: (serialNumber: string, serverPath: string) => void }) {
  const { t } = useTranslation(['device', 'shell'])
  const formats = useFormats()
  const search = usePageSearch()
  const { address, set } = useAddress()
  const [isAdding, setAdding] = useState(false)
  const department = address.get('department') ?? ''
  const state = states.find(name => name === address.get('state'))
  const isWarned = address.get('warned') !== null
  const { words } = search
  const filters = {
    ...withoutEmpty({ search: words, department }),
    ...(state && { state }),
    ...(isWarned && { warned: true as const }),
  }
  const list = useList('device/grid', filters, { sort: { by: 'name' } })
  // The server does not push `lastSeenAt`, so the list reads it every minute.
  useEveryMinute(() => refresh(['device/grid']))
  const { nameOf } = useDepartments()
  const isFiltered = Object.keys(filters).length > 0
  const { managesAll } = usePerson()
  const driftOf = useDrift()
  // Related values share a column, so that the table needs no horizontal scrolling.
  const columns = useMemo<ColumnOf<'device/grid'>[]>(() => {
    const number = (value: number | undefined) => (value === undefined ? t('shell:none') : formats.number(value))
    return [
      {
        key: 'name',
        sort: 'name',
        title: t('name'),
        second: t('department'),
        width: 'minmax(136px, 1.8fr)',
        cell: row => (
          <TwoLines
            second={t('department')}
            of={[
              <Name key="name" device={row} onOpen={() => set({ sn: row.serialNumber }, true)} />,
              nameOf(row.department),
            ]}
          />
        ),
      },
      {
        key: 'state',
        title: t('state.label'),
        width: 'minmax(136px, 0.7fr)',
        cell: row => <DeviceState device={row} />,
      },
      {
        key: 'serialNumber',
        sort: 'serialNumber',
        title: t('serialNumber'),
        second: t('firmware'),
        width: 'minmax(132px, 1.2fr)',
        cell: row => (
          <TwoLines
            second={t('firmware')}
            of={[
              <span key="sn" className="figure" title={row.serialNumber}>
                {row.serialNumber}
              </span>,
              <span key="firmware" title={row.firmware}>
                {row.firmware ?? t('shell:none')}
              </span>,
            ]}
          />
        ),
      },
      {
        key: 'lastSeenAt',
        sort: 'lastSeenAt',
        title: t('lastSeen'),
        second: t('clock'),
        width: 'minmax(132px, 1.2fr)',
        cell: row => (
          <TwoLines
            second={t('clock')}
            of={[
              row.lastSeenAt ? <Ago key="seen" at={row.lastSeenAt} /> : t('never'),
              <span key="clock" className={row.warnings.includes('clock') ? 'late' : undefined}>
                {row.driftSeconds === undefined ? t('shell:none') : driftOf(row.driftSeconds)}
              </span>,
            ]}
          />
        ),
      },
      ...(
        [
          ['users', 'records', '100px'],
          ['templates', 'faces', '116px'],
        ] as const
      ).map(([key, second, width]) => ({
        key,
        title: t(key),
        second: t(second),
        width,
        isNumber: true,
        cell: (row: Device) => <TwoLines second={t(second)} of={[number(row[key]), number(row[second])]} />,
      })),
      {
        key: 'unsent',
        title: t('unsent'),
        width: '88px',
        isNumber: true,
        cell: row => <span className={row.unsent ? 'late' : undefined}>{number(row.unsent)}</span>,
      },
    ]
  }, [t, formats, nameOf, driftOf, set])

  const add = (
    <Button look="primary" icon={<Plus className="icon" />} onClick={() => setAdding(true)}>
      {t('add')}
    </Button>
  )
  return (
    <Page title={t('title')} note={list.count !== undefined && t('count', { count: list.count })} actions={add}>
      <Filters
        saved={{ list: 'device' }}
        lead={<SearchField hint={t('searchHint')} {...search.field} />}
        names={['department', 'state', 'warned']}
      >
        <DepartmentFilter value={department} onText={department => set({ department })} />
        <SelectField
          label={t('state.label')}
          value={state ?? ''}
          onText={state => set({ state })}
          options={[['', t('state.all')], ...states.map(name => [name, t(`state.${name}`)] as const)]}
        />
        <SelectField
          label={t('warning.label')}
          value={isWarned ? 'yes' : ''}
          onText={warned => set({ warned })}
          options={[
            ['', t('warning.all')],
            ['yes', t('warning.some')],
          ]}
        />
      </Filters>
      <Quarantine />
      <Grid
        label={t('title')}
        columns={columns}
        list={list}
        rowKey={row => row.serialNumber}
        onOpen={row => set({ sn: row.serialNumber }, true)}
        empty={
          <Empty
            icon={<ScanLine />}
            title={t(isFiltered ? 'shell:choice.none' : managesAll ? 'empty.title' : 'empty.mine')}
            action={!isFiltered && add}
          >
            {t(isFiltered ? 'empty.search' : managesAll ? 'empty.text' : 'empty.mineText')}
          </Empty>
        }
      />
      {isAdding && (
        <DeviceForm
          device={undefined}
          onClose={() => setAdding(false)}
          onAdded={(serialNumber, serverPath) => {
            setAdding(false)
            onAdded(serialNumber, serverPath)
          }}
        />
      )}
    </Page>
  )
}

/** The name of a terminal, with a mark if it has warnings. */
function Name({ device, onOpen }: { device: Device; onOpen: () => void }) {
  const warningOf = useWarning()
  const texts = device.warnings.map(warning => warningOf(warning, device))
  return (
    <span className="device-name">
      <button type="button" className="row-title" onClick={onOpen}>
        {device.name}
      </button>
      {texts.length > 0 && (
        <span className="device-warned" title={texts.join('\n')}>
          <TriangleAlert className="icon" aria-hidden="true" />
          <span className="unseen">{texts.join(' ')}</span>
        </span>
      )}
    </span>
  )
}
