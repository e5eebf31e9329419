import { FileWarning, RotateCcw } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { write } from '../../api.ts'
import { Button } from '../../parts/button.tsx'
import { Code } from '../../parts/day/code.tsx'
import { useComplaint } from '../../parts/field/form.tsx'
import { Panel } from '../../parts/list/panel.tsx'
import { DeleteQuestion } from '../../parts/say/delete-question.tsx'
import { say } from '../../parts/say/toast.tsx'
import { type RowOf, refresh, useList } from '../../read.ts'
import { useMoment } from './words.tsx'

type Held = RowOf<'device/quarantine'>

const reasons = [
  'too large',
  'not JSON',
  'not an object',
  'too deep',
  'no command',
  'bad record',
  'bad number',
  'bad time',
  'too old',
  'in the future',
  'unread',
  'not stored',
] as const

/** Messages of terminals that the server could not read. A manager can replay or delete them. */
export function Quarantine({ serialNumber }: { serialNumber?: string }) {
  const { t } = useTranslation('device')
  const list = useList('device/quarantine', serialNumber ? { serialNumber } : {}, { size: 100 })
  const [isOpen, setOpen] = useState(false)
  const held = list.rows ?? []
  if (held.length === 0 && !isOpen) return null
  return (
    <>
      <div className="notice warn device-notice">
        <FileWarning className="icon" aria-hidden="true" />
        <span>{t(list.hasMore ? 'quarantine.noticeMore' : 'quarantine.notice', { count: held.length })}</span>
        <Button onClick={() => setOpen(true)}>{t('quarantine.look')}</Button>
      </div>
      {isOpen && (
        <Panel title={t('quarantine.title')} wide onClose={() => setOpen(false)}>
          <div className="panel-body">
            <p className="muted">{t('quarantine.text')}</p>
            {held.length === 0 && <p className="notice">{t('quarantine.none')}</p>}
            {[...Map.groupBy(held, message => message.serialNumber).values()].map(group => (
              <TerminalMessages key={group[0]?.serialNumber} held={group} hasMore={list.hasMore} />
            ))}
            {list.hasMore && <Button onClick={list.more}>{t('quarantine.more')}</Button>}
          </div>
        </Panel>
      )}
    </>
  )
}

/** The messages of one terminal. A wrong clock causes hundreds of messages, so a manager can delete them together. */
function TerminalMessages({ held, hasMore }: { held: readonly Held[]; hasMore: boolean }) {
  const { t } = useTranslation('device')
  const [first] = held
  if (!first) return null
  const { serialNumber, deviceName } = first
  const removeAll = async () => {
    await write('device/quarantine/delete', { serialNumber })
    say(t('quarantine.deletedAll'))
    refresh(['device/quarantine'])
  }
  return (
    <div className="held-terminal">
      <div className="held-head">
        <h3>{deviceName ?? serialNumber}</h3>
        {deviceName && <span className="muted figure">{serialNumber}</span>}
        {(held.length > 1 || hasMore) && (
          <DeleteQuestion
            title={t('quarantine.deleteAllTitle', { name: deviceName ?? serialNumber })}
            text={t('quarantine.deleteAllText')}
            yes={t('quarantine.deleteAll')}
            onDelete={removeAll}
          />
        )}
      </div>
      {held.map(message => (
        <Message key={message.id} held={message} />
      ))}
    </div>
  )
}

/** The most records of a message that the list shows. */
const mostListed = 3

const asText = (value: unknown) => (value instanceof Object ? JSON.stringify(value) : String(value))

/** The user numbers and times of a message, as the terminal wrote them. */
const readRecords = (raw: string): { number: string; time: string }[] => {
  try {
    const value: unknown = JSON.parse(raw)
    const records = value instanceof Object && 'record' in value ? [value.record].flat() : [value]
    return records
      .filter(record => record instanceof Object && ('enrollid' in record || 'time' in record))
      .map(record => {
        const { enrollid = '–', time = '–' } = record as { enrollid?: unknown; time?: unknown }
        return { number: asText(enrollid), time: asText(time).replace(/(\d\d:\d\d):\d\d$/, '$1') }
      })
  } catch {
    return []
  }
}

function Message({ held }: { held: Held }) {
  const { t } = useTranslation('device')
  const moment = useMoment()
  const complain = useComplaint()
  const [busy, setBusy] = useState(false)
  const { id, serialNumber, reason, raw, receivedAt } = held
  const records = readRecords(raw)
  const knownReason = reasons.find(name => name === reason)
  const why = knownReason ? t(`quarantine.reason.${knownReason}`) : reason
  const replay = async () => {
    setBusy(true)
    try {
      const { filed, left } = await write('device/quarantine/replay', { id })
      if (filed > 0) say(t('quarantine.filed', { count: filed }))
      if (left > 0) say(t('quarantine.stays'), 'danger')
    } catch (error) {
      complain(error)
    }
    setBusy(false)
    refresh(['device/quarantine', 'device/log'])
  }
  const remove = async () => {
    await write('device/quarantine/delete', { id })
    say(t('quarantine.deleted'))
    refresh(['device/quarantine'])
  }
  return (
    <section className="held" aria-label={`${serialNumber}: ${why}`}>
      <header>
        <strong>{why}</strong>
        <span className="muted small figure">{t('quarantine.came', { at: moment(receivedAt) })}</span>
      </header>
      {records.length > 0 && (
        <p className="figure">
          {records
            .slice(0, mostListed)
            .map(record => t('quarantine.says', record))
            .join('; ')}
          {records.length > mostListed && ' …'}
        </p>
      )}
      <details>
        <summary>{t('quarantine.raw')}</summary>
        <Code label={t('quarantine.raw')} text={raw} />
      </details>
      <div className="held-deeds">
        <Button busy={busy} icon={<RotateCcw className="icon" aria-hidden="true" />} onClick={replay}>
          {t('quarantine.replay')}
        </Button>
        <DeleteQuestion
          title={t('quarantine.deleteTitle')}
          text={t('quarantine.deleteText')}
          yes={t('quarantine.delete')}
          onDelete={remove}
        />
      </div>
    </section>
  )
}
