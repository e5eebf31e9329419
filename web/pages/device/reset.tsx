import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { write } from '../../api.ts'
import { useFormats } from '../../format.ts'
import { CheckField, TextField } from '../../parts/field/field.tsx'
import { Ask } from '../../parts/say/ask.tsx'
import { useRareRead } from '../../read.ts'
import type { AskDevice, Command, Device } from './words.tsx'

/**
 * Erases all data on the terminal after the manager types its serial number. The manager can accept lost records only
 * if the terminal has unsent records, or if the last reset failed.
 */
export function ResetQuestion(props: {
  device: Device
  commands: readonly Command[]
  ask: AskDevice
  onClose: () => void
}) {
  const { t } = useTranslation(['device', 'shell'])
  const formats = useFormats()
  const { device, commands, ask, onClose } = props
  const { serialNumber, name, unsent = 0, refusedDeliveries } = device
  const [typed, setTyped] = useState('')
  const [isForced, setForced] = useState(false)
  const people = useRareRead('device/user/grid', { filters: { serialNumber }, size: 1 })
  const { onlyHere = 0 } = people.data ?? {}
  // The dialog shows the possible losses, or that they are unknown. Until then the manager cannot confirm.
  const isKnown = people.data !== undefined || people.error !== undefined
  const lastReset = commands.find(({ cmd }) => cmd === 'initsys')
  const hasFailed = lastReset?.result === 'unmet'
  const mayForce = unsent > 0 || hasFailed
  return (
    <Ask
      title={t('reset.ask', { name })}
      yes={t('reset.button')}
      no={t('shell:cancel')}
      danger
      waits={!isKnown || typed.trim().toUpperCase() !== serialNumber}
      onYes={async () => {
        await ask(() => write('device/reset', { serialNumber, isForced: mayForce && isForced }))
        onClose()
      }}
      onNo={onClose}
    >
      <p>{t('reset.text')}</p>
      {!isKnown && <p aria-busy="true">{t('reset.looking')}</p>}
      {people.error !== undefined && <p className="notice danger">{t('reset.unknown')}</p>}
      {onlyHere > 0 && <p className="notice danger">{t('reset.onlyHere', { count: onlyHere })}</p>}
      {refusedDeliveries > 0 && <p className="notice danger">{t('reset.refused', { count: refusedDeliveries })}</p>}
      {mayForce && (
        <div className="notice danger device-force">
          <p>{unsent > 0 ? t('reset.unsent', { count: unsent, number: formats.number(unsent) }) : t('reset.failed')}</p>
          <CheckField checked={isForced} onCheck={setForced}>
            {t('reset.force')}
          </CheckField>
        </div>
      )}
      <TextField label={t('reset.type', { sn: serialNumber })} value={typed} onText={setTyped} autoComplete="off" />
    </Ask>
  )
}
