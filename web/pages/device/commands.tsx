import { ListChecks, X } from 'lucide-react'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { type CommandKind, commandKinds, kindOfCommand } from '../../../shared/terminal/command-kind.ts'
import { write } from '../../api.ts'
import { useFormats } from '../../format.ts'
import { Button } from '../../parts/button.tsx'
import { useAddress } from '../../parts/field/address.ts'
import { SelectField } from '../../parts/field/field.tsx'
import { Filters } from '../../parts/list/filters.tsx'
import type { ColumnOf } from '../../parts/list/grid/column.ts'
import { Grid } from '../../parts/list/grid.tsx'
import { useShownName } from '../../parts/list/person-name.tsx'
import { Empty } from '../../parts/page.tsx'
import { Ask } from '../../parts/say/ask.tsx'
import { say } from '../../parts/say/toast.tsx'
import { type ListOf, refresh, useList } from '../../read.ts'
import { type Command, CommandState, type Device, isOver, useCommandName, useMoment, useResult } from './words.tsx'

interface Props {
  device: Device
  list: ListOf<'device/command/grid'>
}

/** The queued and settled commands of a terminal. The address can limit them to one kind. */
export function DeviceCommands(props: Props) {
  const { t } = useTranslation('device')
  const { address, set } = useAddress()
  const kind = commandKinds.find(name => name === address.get('kind'))
  return (
    <>
      <Filters names={['kind']}>
        <SelectField
          label={t('commands.kind.label')}
          value={kind ?? ''}
          onText={kind => set({ kind })}
          options={[
            ['', t('commands.kind.all')],
            ...commandKinds.map(name => [name, t(`commands.kind.${name}`)] as const),
          ]}
        />
      </Filters>
      {kind ? <CommandsOfKind device={props.device} kind={kind} /> : <Commands {...props} />}
    </>
  )
}

function CommandsOfKind({ device, kind }: { device: Device; kind: CommandKind }) {
  const list = useList('device/command/grid', { serialNumber: device.serialNumber, kind })
  return <Commands device={device} list={list} isNarrowed />
}

function Commands(props: Props & { isNarrowed?: boolean }) {
  const { t } = useTranslation(['device', 'shell'])
  const formats = useFormats()
  const moment = useMoment()
  const shownName = useShownName()
  const nameOf = useCommandName()
  const resultOf = useResult(props.device)
  const { device, list, isNarrowed } = props
  const { serialNumber } = device
  const columns = useMemo<ColumnOf<'device/command/grid'>[]>(
    () => [
      {
        key: 'cmd',
        title: t('commands.what'),
        width: 'minmax(184px, 1.6fr)',
        cell: row => (
          <>
            <strong>{nameOf(row)}</strong>
            {row.subject && <span className="muted"> · {shownName(row.subject)}</span>}
          </>
        ),
      },
      { key: 'state', title: t('state.label'), width: '120px', cell: row => <CommandState command={row} /> },
      {
        key: 'result',
        title: t('commands.result'),
        width: 'minmax(168px, 2.2fr)',
        cell: row => {
          const text = resultOf(row)
          return <span title={text}>{text || t('shell:none')}</span>
        },
      },
      {
        key: 'by',
        title: t('commands.by'),
        width: 'minmax(96px, 0.8fr)',
        isExtra: true,
        cell: row => (row.by ? shownName(row.by) : <span className="muted">{t('commands.itself')}</span>),
      },
      {
        key: 'attempts',
        title: t('commands.attempts'),
        width: '80px',
        isNumber: true,
        isExtra: true,
        cell: row => formats.number(row.attempts),
      },
      {
        key: 'at',
        title: t('commands.at'),
        width: '176px',
        isMinor: true,
        cell: row => <span className="figure">{moment(row.settledAt ?? row.sentAt ?? row.queuedAt)}</span>,
      },
      {
        key: 'deed',
        title: t('commands.deed'),
        width: '152px',
        cell: row => <CommandAction serialNumber={serialNumber} command={row} />,
      },
    ],
    [t, formats, moment, shownName, nameOf, resultOf, serialNumber],
  )
  return (
    <Grid
      label={t('tab.commands')}
      columns={columns}
      list={list}
      rowKey={row => row.id}
      empty={
        <Empty icon={<ListChecks />} title={t(isNarrowed ? 'shell:choice.none' : 'commands.empty.title')}>
          {t(isNarrowed ? 'commands.empty.filtered' : 'commands.empty.text')}
        </Empty>
      }
    />
  )
}

/**
 * Cancels an unsent command or retries a failed one, after a confirmation. If a failed command has no retry, links to
 * the tab where the manager can request it again.
 */
function CommandAction({ serialNumber, command }: { serialNumber: string; command: Command }) {
  const { t } = useTranslation(['device', 'shell'])
  const nameOf = useCommandName()
  const [isAsking, setAsking] = useState(false)
  const { set } = useAddress()
  const { id, cmd, state, canCancel, canRetry } = command
  if (!canCancel && !canRetry) {
    const kind = kindOfCommand(cmd)
    if ((state !== 'failed' && state !== 'expired') || kind === 'records') return null
    return (
      <button type="button" className="link" onClick={() => set({ tab: kind, kind: undefined }, true)}>
        {t(`commands.again.${kind}`)}
      </button>
    )
  }
  const act = async () => {
    try {
      await write(canCancel ? 'device/command/cancel' : 'device/command/retry', { serialNumber, id })
      say(t(canCancel ? 'commands.cancelled' : 'commands.retried'))
    } finally {
      refresh(['device/command'])
    }
    setAsking(false)
  }
  const word = t(canCancel ? 'commands.cancel' : 'commands.retry')
  return (
    <>
      <button type="button" className="link" aria-label={`${word}: ${nameOf(command)}`} onClick={() => setAsking(true)}>
        {word}
      </button>
      {isAsking && (
        <Ask
          title={t(canCancel ? 'commands.cancelTitle' : 'commands.retryTitle', { what: nameOf(command) })}
          yes={word}
          no={t('shell:cancel')}
          danger={command.cmd === 'initsys' && !canCancel}
          onYes={act}
          onNo={() => setAsking(false)}
        >
          {t(canCancel ? 'commands.cancelText' : 'commands.retryText')}
        </Ask>
      )}
    </>
  )
}

/** The state of the latest command from this page. */
export function CommandNotice(props: { command: Command | undefined; device: Device; onClose: () => void }) {
  const { t } = useTranslation(['device', 'shell'])
  const nameOf = useCommandName()
  const resultOf = useResult(props.device)
  const { command } = props
  if (!command) return null
  const { state } = command
  const tone = state === 'done' ? 'notice ok' : isOver(command) ? 'notice danger' : 'notice'
  return (
    <div className={`${tone} device-notice`} role="status">
      {!isOver(command) && <span className="spinner" aria-hidden="true" />}
      <span>
        <strong>{nameOf(command)}</strong> · {t(`commandState.${state}`)}
        {resultOf(command) && `: ${resultOf(command)}`}
      </span>
      {isOver(command) && (
        <Button
          look="quiet"
          square
          aria-label={t('shell:close')}
          icon={<X className="icon" aria-hidden="true" />}
          onClick={props.onClose}
        />
      )}
    </div>
  )
}
