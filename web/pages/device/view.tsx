import { ArrowLeft, DoorOpen, Pencil, ScanLine, TriangleAlert, UserRoundPlus, UserRoundX } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { profileNamed } from '../../../shared/terminal/profile.ts'
import { type PathOutput, write } from '../../api.ts'
import { useEveryMinute } from '../../every-minute.ts'
import { useFormats } from '../../format.ts'
import { useMayOpen } from '../../menu.ts'
import { Button } from '../../parts/button.tsx'
import { Ago } from '../../parts/day/ago.tsx'
import { useAddress } from '../../parts/field/address.ts'
import { useDepartments } from '../../parts/list/departments.ts'
import { someOf } from '../../parts/list/some-of.ts'
import { TabPanel, Tabs } from '../../parts/list/tabs.tsx'
import { Empty, Page, Trouble } from '../../parts/page.tsx'
import { say } from '../../parts/say/toast.tsx'
import { Link } from '../../parts/shell/router.ts'
import { Splash } from '../../parts/shell/splash.tsx'
import { refresh, useList, useRead } from '../../read.ts'
import { DeviceAbout } from './about.tsx'
import { DeviceApproval, LetIn } from './approval.tsx'
import { DeviceCare, OpenDoorQuestion } from './care.tsx'
import { CommandNotice, DeviceCommands } from './commands.tsx'
import { type Enrolled, EnrolPanel } from './enroll.tsx'
import { DeviceForm } from './form.tsx'
import { DeviceLog } from './log.tsx'
import { DeviceNumbers } from './numbers.tsx'
import { DevicePeople } from './people.tsx'
import { Quarantine } from './quarantine.tsx'
import { DeviceSetup } from './setup.tsx'
import { DeviceSteps, useSteps } from './steps.tsx'
import { addressParts, type Device, DeviceState, isOver, type OneDevice, useRefusal, useWarning } from './words.tsx'

const tabs = ['log', 'people', 'numbers', 'commands', 'care', 'setup', 'about'] as const
type Tab = (typeof tabs)[number]

interface Props {
  serialNumber: string
  /** Only the page that created the path knows it. */
  serverPath: string | undefined
  onPath: (serverPath: string) => void
}

/** A terminal with its state, users, punches and commands. */
export function DeviceView(props: Props) {
  const { t } = useTranslation('device')
  const { data, error, readAgain } = useRead('device/get', { serialNumber: props.serialNumber })
  // The server does not push `lastSeenAt`, so the page reads it every minute.
  useEveryMinute(() => void readAgain())
  if (data) return <LoadedDevice {...props} device={data} />
  if (!error) return <Splash inside />
  const isGone = error instanceof Error && 'code' in error && error.code === 60004
  return (
    <Page title={t('title')} note={<Back />}>
      {isGone ? (
        <div className="card grid-empty">
          <Empty icon={<ScanLine />} title={t('gone.title', { sn: props.serialNumber })}>
            {t('gone.text')}
          </Empty>
        </div>
      ) : (
        <Trouble error={error} onRetry={() => void readAgain()} />
      )}
    </Page>
  )
}

/** A link to the list with its former filters. */
function Back() {
  const { t } = useTranslation('device')
  const { address } = useAddress()
  const parameters = new URLSearchParams(address)
  for (const part of addressParts) parameters.delete(part)
  const search = parameters.toString()
  return (
    <Link className="device-back" to={search ? `/device?${search}` : '/device'}>
      <ArrowLeft className="icon" aria-hidden="true" />
      {t('all')}
    </Link>
  )
}

function LoadedDevice({ device, serverPath, onPath }: Props & { device: PathOutput<'device/get'> }) {
  const { t } = useTranslation('device')
  const formats = useFormats()
  const { address, set } = useAddress()
  const { serialNumber } = device
  const steps = useSteps(device)
  const commands = useList('device/command/grid', { serialNumber })
  const [commandId, setCommandId] = useState<string>()
  const [isEditing, setEditing] = useState(false)
  const [isOpening, setOpening] = useState(false)
  const [enrolled, setEnrolled] = useState<Enrolled | 'anybody'>()
  const openCount = commands.rows?.filter(command => !isOver(command)).length ?? 0
  const tab = tabs.find(key => key === address.get('tab')) ?? (device.state === 'claimed' ? 'setup' : 'log')
  const { enrolls } = profileNamed(device.profile)
  /** Queues a command and follows its state. The caller handles a refusal. */
  const ask = async (action: () => Promise<{ command: string }>) => {
    try {
      setCommandId((await action()).command)
    } finally {
      refresh(['device/command'])
    }
  }
  const textOf = (key: Tab) =>
    key === 'commands' && openCount > 0
      ? `${t('tab.commands')} (${formats.number(openCount)})`
      : key === 'people' && steps.people !== undefined
        ? `${t('tab.people')} (${formats.number(steps.people)})`
        : t(`tab.${key}`)
  return (
    <Page
      title={device.name}
      className="device-page"
      note={<Back />}
      actions={
        <>
          {enrolls && device.state === 'bound' && (
            <Button
              look="primary"
              icon={<UserRoundPlus className="icon" aria-hidden="true" />}
              onClick={() => setEnrolled('anybody')}
            >
              {t('enroll.button')}
            </Button>
          )}
          {device.state === 'bound' && (
            <Button icon={<DoorOpen className="icon" aria-hidden="true" />} onClick={() => setOpening(true)}>
              {t('door.button')}
            </Button>
          )}
          <Button icon={<Pencil className="icon" aria-hidden="true" />} onClick={() => setEditing(true)}>
            {t('edit')}
          </Button>
        </>
      }
    >
      <Head device={device} />
      <DeviceApproval device={device} />
      <Notices device={device} />
      {!steps.isComplete && tab !== 'setup' && (
        <section className="card device-progress">
          <DeviceSteps steps={steps.list} />
        </section>
      )}
      {commandId && (
        <CommandNotice
          command={commands.rows?.find(({ id }) => id === commandId)}
          device={device}
          onClose={() => setCommandId(undefined)}
        />
      )}
      <Tabs
        name="device"
        label={device.name}
        tabs={tabs.map(key => ({ key, text: textOf(key) }))}
        value={tab}
        onPick={key => set({ tab: key })}
      />
      {tabs.map(key => (
        <TabPanel key={key} name="device" tab={key} isShown={key === tab}>
          {key !== tab ? null : key === 'log' ? (
            <DeviceLog device={device} />
          ) : key === 'people' ? (
            <DevicePeople
              device={device}
              onEnroll={setEnrolled}
              onSync={async () => {
                try {
                  await write('device/sync', { serialNumber })
                  say(t('sync.done'))
                } finally {
                  refresh(['device/'])
                }
              }}
            />
          ) : key === 'numbers' ? (
            <DeviceNumbers device={device} />
          ) : key === 'commands' ? (
            <DeviceCommands device={device} list={commands} />
          ) : key === 'care' ? (
            <DeviceCare device={device} commands={commands.rows ?? []} ask={ask} onPath={onPath} />
          ) : key === 'setup' ? (
            <DeviceSetup device={device} serverPath={serverPath} steps={steps.list} onPath={onPath} />
          ) : (
            <DeviceAbout device={device} />
          )}
        </TabPanel>
      ))}
      {isEditing && <DeviceForm device={device} onClose={() => setEditing(false)} />}
      {isOpening && <OpenDoorQuestion device={device} ask={ask} onClose={() => setOpening(false)} />}
      {enrolled && (
        <EnrolPanel
          device={device}
          person={enrolled === 'anybody' ? undefined : enrolled}
          onClose={() => setEnrolled(undefined)}
        />
      )}
    </Page>
  )
}

function Head({ device }: { device: Device }) {
  const { t } = useTranslation(['device', 'shell'])
  const formats = useFormats()
  const { nameOf } = useDepartments()
  const { serialNumber, department, model, lastSeenAt } = device
  const figures = (['users', 'templates', 'faces', 'records', 'unsent'] as const).map(
    key => [key, device[key]] as const,
  )
  return (
    <section className="card device-head" aria-label={device.name}>
      <p>
        <span role="status">
          <DeviceState device={device} />
        </span>
        <span className="figure strong">{serialNumber}</span>
        <span className="muted">{[nameOf(department), model].filter(Boolean).join(' · ')}</span>
        {lastSeenAt && (
          <span className="muted">
            {t('lastSeen')}: <Ago at={lastSeenAt} />
          </span>
        )}
      </p>
      <dl>
        {figures.map(([key, value]) => (
          <div key={key} className={key === 'unsent' && value ? 'is-late' : undefined}>
            <dt>{t(key)}</dt>
            <dd className="figure">{value === undefined ? t('shell:none') : formats.number(value)}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

/** Warnings about the terminal, and its punches without an employee. */
function Notices({ device }: { device: OneDevice }) {
  const { t } = useTranslation('device')
  const warningOf = useWarning()
  const formats = useFormats()
  const { address, set } = useAddress()
  const tab = address.get('tab')
  const refusal = useRefusal()(device)
  const maySeeRecords = useMayOpen()('/record')
  const { data } = useRead('record/orphan/grid', maySeeRecords ? {} : null)
  const orphans =
    data?.list.filter(({ serialNumber: sn, alsoAt = [] }) => [sn, ...alsoAt].includes(device.serialNumber)) ?? []
  const numbers = orphans.map(({ number, serialNumber, lastAt, timezone }) =>
    // Only a number's latest terminal shows the time of the last punch.
    serialNumber === device.serialNumber ? `${number} (${formats.dayAndTime(lastAt, timezone)})` : number,
  )
  return (
    <>
      {refusal && (
        <p className="notice warn device-notice">
          <TriangleAlert className="icon" aria-hidden="true" />
          <span>{refusal}</span>
          <LetIn device={device} />
        </p>
      )}
      {device.warnings
        .filter(warning => warning !== 'otherHardware')
        .map(warning => (
          <p key={warning} className="notice warn device-notice">
            <TriangleAlert className="icon" aria-hidden="true" />
            <span>{warningOf(warning, device)}</span>
            {warning === 'numbering' && tab !== 'numbers' && (
              <Button onClick={() => set({ tab: 'numbers' })}>{t('numbers.answer')}</Button>
            )}
          </p>
        ))}
      {orphans.length > 0 && (
        <p className="notice warn device-notice">
          <UserRoundX className="icon" aria-hidden="true" />
          <span>{t('orphans.text', { count: orphans.length, numbers: someOf(numbers) })}</span>
          <Link to="/record?orphans=look">{t('orphans.link')}</Link>
        </p>
      )}
      <Quarantine serialNumber={device.serialNumber} />
    </>
  )
}
