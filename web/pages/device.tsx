import { Copy, Plus, ScanLine } from 'lucide-react'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { type PathCall, write } from '../api.ts'
import { useFormats } from '../format.ts'
import { Ask } from '../parts/ask.tsx'
import { Button } from '../parts/button.tsx'
import { DeleteQuestion } from '../parts/delete-question.tsx'
import { DepartmentField } from '../parts/department-field.tsx'
import { DepartmentFilter } from '../parts/department-filter.tsx'
import { type DepartmentChoice, firstDepartment, useDepartments } from '../parts/departments.ts'
import { SelectField, TextField } from '../parts/field.tsx'
import { useComplaint, useForm } from '../parts/form.tsx'
import { type ColumnOf, Grid } from '../parts/grid.tsx'
import { Empty, Page } from '../parts/page.tsx'
import { FormPanel, Panel } from '../parts/panel.tsx'
import { SearchField, usePageSearch } from '../parts/search-field.tsx'
import { say } from '../parts/toast.tsx'
import { type RowOf, refresh, useList } from '../read.ts'
import { usePerson } from '../session.tsx'
import { withoutEmpty } from '../without-empty.ts'
import { zones } from '../zones.ts'
import './device.css'

type Device = RowOf<'device/grid'>
type Authentication = NonNullable<PathCall<'device/add'>['authentication']>

/** What a terminal must be told so that it finds us; the path holds a secret and is shown once. */
interface Setup {
  serialNumber: string
  serverPath: string
  authentication: Authentication
}

const authentications: readonly Authentication[] = ['claim+path', 'claim+password', 'claim']
const voices = ['0', '1', '2', '3', '4', '5']
/** The languages a terminal speaks, by its own numbers. */
const deviceLanguages = ['English', 'Français', 'Español', 'Русский', 'Português']

export default function DevicePage() {
  const { t } = useTranslation(['device', 'shell'])
  const formats = useFormats()
  const search = usePageSearch()
  const [department, setDepartment] = useState('')
  const [open, setOpen] = useState<Device | 'new'>()
  const [setup, setSetup] = useState<Setup>()
  const { words } = search
  const list = useList('device/grid', withoutEmpty({ search: words, department }), { sort: { by: 'name' } })
  const { all, nameOf } = useDepartments()
  const isFiltered = words !== '' || department !== ''
  const columns = useMemo<ColumnOf<'device/grid'>[]>(
    () => [
      {
        key: 'name',
        sort: 'name',
        title: t('name'),
        width: 'minmax(200px, 2fr)',
        cell: row => (
          <button type="button" className="row-title" onClick={() => setOpen(row)}>
            {row.name}
          </button>
        ),
      },
      { key: 'state', title: t('state.label'), width: '168px', cell: row => <State device={row} /> },
      {
        key: 'serialNumber',
        sort: 'serialNumber',
        title: t('serialNumber'),
        width: 'minmax(140px, 1.2fr)',
        cell: row => <span className="figure">{row.serialNumber}</span>,
      },
      {
        key: 'department',
        title: t('department'),
        width: 'minmax(130px, 1fr)',
        isMinor: true,
        cell: row => nameOf(row.department),
      },
      {
        key: 'lastSeenAt',
        sort: 'lastSeenAt',
        title: t('lastSeen'),
        width: '140px',
        cell: row => (row.lastSeenAt ? formats.ago(row.lastSeenAt) : t('never')),
      },
      {
        key: 'users',
        title: t('users'),
        width: '96px',
        isNumber: true,
        isMinor: true,
        cell: row => (row.users === undefined ? t('shell:none') : formats.number(row.users)),
      },
      {
        key: 'unsent',
        title: t('unsent'),
        width: '104px',
        isNumber: true,
        isMinor: true,
        cell: row => (row.unsent === undefined ? t('shell:none') : formats.number(row.unsent)),
      },
    ],
    [t, formats, nameOf],
  )

  const add = (
    <Button look="primary" icon={<Plus className="icon" />} onClick={() => setOpen('new')}>
      {t('add')}
    </Button>
  )
  return (
    <Page title={t('title')} note={list.count !== undefined && t('count', { count: list.count })} actions={add}>
      <div className="filters">
        <SearchField hint={t('searchHint')} {...search.field} />
        <DepartmentFilter value={department} onText={setDepartment} />
      </div>
      <Grid
        label={t('title')}
        columns={columns}
        list={list}
        rowKey={row => row.serialNumber}
        onOpen={setOpen}
        empty={
          <Empty
            icon={<ScanLine />}
            title={t(isFiltered ? 'shell:choice.none' : 'empty.title')}
            action={!isFiltered && add}
          >
            {t(isFiltered ? 'empty.search' : 'empty.text')}
          </Empty>
        }
      />
      {open && all && (
        <DeviceForm
          // What the terminal itself reports comes in while the panel is open.
          device={open === 'new' ? undefined : (list.rows?.find(row => row.serialNumber === open.serialNumber) ?? open)}
          departments={all}
          onClose={() => setOpen(undefined)}
          onSetup={told => {
            setOpen(undefined)
            setSetup(told)
          }}
        />
      )}
      {setup && <SetupSteps setup={setup} onClose={() => setSetup(undefined)} />}
    </Page>
  )
}

function State({ device }: { device: Device }) {
  const { t } = useTranslation('device')
  if (device.state === 'needs approval') return <span className="tag danger">{t('state.approval')}</span>
  if (device.state === 'claimed') return <span className="tag warn">{t('state.claimed')}</span>
  return (
    <span className={device.online ? 'tag ok' : 'tag'}>
      <span className="dot" /> {t(device.online ? 'state.online' : 'state.offline')}
    </span>
  )
}

function DeviceForm(props: {
  device: Device | undefined
  departments: readonly DepartmentChoice[]
  onClose: () => void
  onSetup: (setup: Setup) => void
}) {
  const { t } = useTranslation(['device', 'shell'])
  const complain = useComplaint()
  const { device, departments, onClose, onSetup } = props
  const [zoneList] = useState(zones)
  const [asking, setAsking] = useState(false)
  const form = useForm({
    serialNumber: device?.serialNumber ?? '',
    name: device?.name ?? '',
    department: device?.department ?? firstDepartment(departments),
    timezone: device?.timezone ?? '',
    voice: String(device?.voice ?? 3),
    language: String(device?.language ?? 0),
    authentication: device?.authentication ?? 'claim+path',
  })
  const authentication = authentications.find(way => way === form.values.authentication) ?? 'claim+path'
  const save = () =>
    form.submit(
      async () => {
        const { serialNumber, name, department, timezone, voice, language } = form.values
        const values = {
          serialNumber,
          name,
          department,
          voice: Number(voice),
          language: Number(language),
          authentication,
          ...(timezone && { timezone }),
        }
        if (device) {
          await write('device/update', { ...values, version: device.version })
          say(t('shell:saved'))
          onClose()
        } else onSetup({ ...(await write('device/add', values)), authentication })
        refresh(['device/'])
      },
      { required: ['serialNumber', 'name', 'department'], fieldOf: { 60015: 'serialNumber' } },
    )
  /** What is done to a registered terminal; a failure is said and the question closes. */
  const attempt = async (action: (serialNumber: string) => Promise<void>) => {
    if (!device) return
    try {
      await action(device.serialNumber)
      refresh(['device/'])
    } catch (error) {
      complain(error)
    } finally {
      setAsking(false)
    }
  }
  const remove = async () => {
    await write('device/delete', { serialNumber: form.values.serialNumber })
    say(t('deleted'))
    refresh(['device/'])
    onClose()
  }
  const approve = () =>
    attempt(async serialNumber => {
      await write('device/approve', { serialNumber })
      say(t('approve.done'))
    })
  const renew = () =>
    attempt(async serialNumber => {
      const { serverPath } = await write('device/secret', { serialNumber })
      onSetup({ serialNumber, serverPath, authentication: 'claim+path' })
    })
  return (
    <FormPanel
      title={device ? device.name : t('add')}
      form={form}
      save={t(device ? 'shell:save' : 'next')}
      onSave={save}
      onClose={onClose}
      extra={
        device && (
          <DeleteQuestion title={t('delete.title', { name: device.name })} text={t('delete.text')} onDelete={remove} />
        )
      }
    >
      {device && <About device={device} />}
      {device?.state === 'needs approval' && (
        <div className="notice danger approve">
          <p>{t('approve.text')}</p>
          <Button onClick={approve}>{t('approve.button')}</Button>
        </div>
      )}
      {!device && (
        <TextField
          label={t('serialNumber')}
          hint={t('serialNumberHint')}
          maxLength={32}
          {...form.text('serialNumber')}
        />
      )}
      <TextField label={t('name')} maxLength={100} placeholder={t('nameHint')} {...form.text('name')} />
      <DepartmentField label={t('department')} departments={departments} {...form.text('department')} />
      <SelectField
        label={t('timezone')}
        optional
        hint={t('timezoneHint')}
        options={[['', t('companyZone')], ...zoneList]}
        {...form.text('timezone')}
      />
      <div className="pair">
        <SelectField
          label={t('voice')}
          options={voices.map(voice => [voice, voice] as const)}
          {...form.text('voice')}
        />
        <SelectField
          label={t('language')}
          options={deviceLanguages.map((name, number) => [String(number), name] as const)}
          {...form.text('language')}
        />
      </div>
      <SelectField
        label={t('authentication.label')}
        hint={t(`authentication.${authentication}.hint`)}
        options={authentications.map(way => [way, t(`authentication.${way}.name`)] as const)}
        value={authentication}
        onText={value => form.set({ authentication: authentications.find(way => way === value) ?? 'claim+path' })}
      />
      {device?.authentication === 'claim+path' && (
        <div>
          <button type="button" className="link" onClick={() => setAsking(true)}>
            {t('secret.button')}
          </button>
        </div>
      )}
      {asking && (
        <Ask
          title={t('secret.title')}
          yes={t('secret.button')}
          no={t('shell:cancel')}
          danger
          onYes={renew}
          onNo={() => setAsking(false)}
        >
          {t('secret.text')}
        </Ask>
      )}
    </FormPanel>
  )
}

/** What the terminal says of itself. */
function About({ device }: { device: Device }) {
  const { t } = useTranslation(['device', 'shell'])
  const formats = useFormats()
  const number = (value: number | undefined) => (value === undefined ? t('shell:none') : formats.number(value))
  const facts = [
    [t('state.label'), <State key="state" device={device} />],
    [t('serialNumber'), device.serialNumber],
    [t('model'), device.model ?? t('shell:none')],
    [t('firmware'), device.firmware ?? t('shell:none')],
    [t('registeredAt'), formats.dayAndTime(device.registeredAt)],
    [t('firstOnline'), device.firstOnlineAt ? formats.dayAndTime(device.firstOnlineAt) : t('never')],
    [t('lastSeen'), device.lastSeenAt ? formats.dayAndTime(device.lastSeenAt) : t('never')],
    [t('users'), number(device.users)],
    [t('templates'), number(device.templates)],
    [t('faces'), number(device.faces)],
    [t('unsent'), number(device.unsent)],
  ] as const
  return (
    <>
      {device.claimEndsAt && (
        <p className="notice warn">{t('claimEnds', { at: formats.dayAndTime(device.claimEndsAt) })}</p>
      )}
      <dl className="facts">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd className="figure">{value}</dd>
          </div>
        ))}
      </dl>
    </>
  )
}

/** What to type into the terminal, in the order of its menus. */
function SetupSteps({ setup, onClose }: { setup: Setup; onClose: () => void }) {
  const { t } = useTranslation(['device', 'shell'])
  const { company } = usePerson()
  const isSecure = location.protocol === 'https:'
  const device = useList('device/grid', { search: setup.serialNumber }).rows?.find(
    row => row.serialNumber === setup.serialNumber,
  )
  const isHere = device?.online === true
  const lines = [
    ['server', location.hostname],
    ['port', location.port || (isSecure ? '443' : '80')],
    ['path', setup.serverPath],
    ...(setup.authentication === 'claim+password' ? ([['number', company.company_num]] as const) : []),
  ] as const
  const isLocal = location.hostname === '127.0.0.1' || location.hostname === 'localhost'
  return (
    <Panel
      title={t('setup.title')}
      wide
      onClose={onClose}
      foot={
        <Button look="primary" onClick={onClose}>
          {t('setup.done')}
        </Button>
      }
    >
      <div className="panel-body setup">
        <p className={isHere ? 'notice here' : 'notice'} role="status">
          {isHere ? <span className="dot" /> : <span className="spinner" aria-hidden="true" />}
          {t(isHere ? 'setup.here' : 'setup.waiting', { sn: setup.serialNumber })}
        </p>
        <ol>
          <li>
            <h3>{t('setup.network.title')}</h3>
            <p className="muted">{t('setup.network.text')}</p>
          </li>
          <li>
            <h3>{t('setup.server.title')}</h3>
            <p className="muted">{t('setup.server.text')}</p>
            <dl>
              {lines.map(([name, value]) => (
                <div key={name}>
                  <dt>{t(`setup.line.${name}`)}</dt>
                  <dd>
                    <code>{value}</code>
                    <CopyButton name={t(`setup.line.${name}`)} value={value} />
                  </dd>
                </div>
              ))}
              <div>
                <dt>{t('setup.line.secure')}</dt>
                <dd>
                  <code>{t(isSecure ? 'setup.on' : 'setup.off')}</code>
                </dd>
              </div>
            </dl>
            <p className="notice warn">{t('setup.once')}</p>
          </li>
          <li>
            <h3>{t('setup.restart.title')}</h3>
            <p className="muted">{t('setup.restart.text')}</p>
          </li>
        </ol>
        {isLocal && <PlayTerminal setup={setup} />}
      </div>
    </Panel>
  )
}

function CopyButton({ name, value }: { name: string; value: string }) {
  const { t } = useTranslation('device')
  return (
    <Button
      look="quiet"
      square
      aria-label={t('setup.copy', { name })}
      icon={<Copy className="icon" />}
      onClick={() => navigator.clipboard.writeText(value).then(() => say(t('setup.copied')))}
    />
  )
}

/** On one's own machine the terminal that comes with the product can stand in for a real one. */
function PlayTerminal({ setup }: { setup: Setup }) {
  const { t } = useTranslation('device')
  const { company } = usePerson()
  const command = [
    `npm run terminal -- --address 'ws://${location.host}${setup.serverPath}' --sn ${setup.serialNumber}`,
    setup.authentication === 'claim+password' && `--company ${company.company_num} --password …`,
  ]
    .filter(Boolean)
    .join(' ')
  return (
    <section>
      <h3>{t('setup.play.title')}</h3>
      <p className="muted">{t('setup.play.text')}</p>
      <p className="command">
        <code>{command}</code>
        <CopyButton name={t('setup.play.title')} value={command} />
      </p>
    </section>
  )
}
