import { ShieldAlert } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { write } from '../../api.ts'
import { useFormats } from '../../format.ts'
import { Button } from '../../parts/button.tsx'
import { useComplaint } from '../../parts/field/form.tsx'
import { Ask } from '../../parts/say/ask.tsx'
import { say } from '../../parts/say/toast.tsx'
import { refresh } from '../../read.ts'
import type { Device, OneDevice } from './words.tsx'

const rows = ['model', 'firmware', 'cpusn', 'mac', 'ip', 'at'] as const

/**
 * Other hardware registers with a known serial number. The page compares the old and the new hardware, and a manager
 * approves or rejects the new.
 */
export function DeviceApproval({ device }: { device: Device }) {
  const { t } = useTranslation(['device', 'shell'])
  const formats = useFormats()
  const complain = useComplaint()
  const [pendingInDialog, setPendingInDialog] = useState<Device['pending']>()
  const [busy, setBusy] = useState(false)
  const { serialNumber, name, state, pending } = device
  if (state === 'claimed') return <ClosedClaim device={device} />
  if (state !== 'needs approval') return null
  const { model, firmware, cpusn, mac, ip, lastSeenAt } = device
  const previous = { model, firmware, cpusn, mac, ip, at: lastSeenAt && formats.dayAndTime(lastSeenAt) }
  const other = { ...pending, at: pending && formats.dayAndTime(pending.at) }
  const titles = { model: 'model', firmware: 'firmware', cpusn: 'chip', mac: 'mac', ip: 'ip', at: 'lastSeen' } as const
  const answer = async (isApproved: boolean, shown: Device['pending']) => {
    try {
      await write('device/approve', { serialNumber, isApproved, ...(shown && { pendingAt: shown.at }) })
      const isNamed = shown?.cpusn !== undefined || shown?.mac !== undefined
      say(t(!isApproved ? 'approve.refused' : isNamed ? 'approve.done' : 'approve.open'))
    } finally {
      refresh(['device/'])
    }
    setPendingInDialog(undefined)
  }
  const refuse = async () => {
    setBusy(true)
    await answer(false, pending).catch(complain)
    setBusy(false)
  }
  return (
    <section className="notice danger device-approval" aria-label={t('approve.title')}>
      <ShieldAlert className="icon" aria-hidden="true" />
      <div>
        <p>
          <strong>{t('approve.title')}</strong> {t('approve.text')}
        </p>
        <table>
          <thead>
            <tr>
              <td />
              <th scope="col">{t('approve.known')}</th>
              <th scope="col">{t('approve.other')}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(row => (
              <tr key={row} className={previous[row] !== other[row] ? 'differs' : undefined}>
                <th scope="row">{t(titles[row])}</th>
                <td className="figure">{previous[row] ?? t('shell:none')}</td>
                <td className="figure">{other[row] ?? t('shell:none')}</td>
              </tr>
            ))}
          </tbody>
        </table>
        <p className="device-answers">
          <Button onClick={() => setPendingInDialog(pending)}>{t('approve.button')}</Button>
          <Button busy={busy} onClick={refuse}>
            {t('approve.refuse')}
          </Button>
        </p>
      </div>
      {pendingInDialog && (
        <Ask
          title={t('approve.ask', { name })}
          yes={t('approve.button')}
          no={t('shell:cancel')}
          danger
          onYes={() => answer(true, pendingInDialog)}
          onNo={() => setPendingInDialog(undefined)}
        >
          {t('approve.askText')}
        </Ask>
      )}
    </section>
  )
}

/**
 * Some firmware cannot send a secret. A manager can approve its refused attempt before any terminal has taken the
 * claim.
 */
export function LetIn({ device: { serialNumber, name, state, refused } }: { device: OneDevice }) {
  const { t } = useTranslation(['device', 'shell'])
  const [askedAt, setAskedAt] = useState<string>()
  if (state !== 'claimed' || !refused?.bare) return null
  const letIn = async () => {
    try {
      await write('device/approve', { serialNumber, pendingAt: askedAt })
      say(t('letIn.done'))
    } finally {
      refresh(['device/'])
    }
    setAskedAt(undefined)
  }
  return (
    <>
      <Button onClick={() => setAskedAt(refused.at)}>{t('letIn.button')}</Button>
      {askedAt && (
        <Ask
          title={t('letIn.ask', { name })}
          yes={t('letIn.button')}
          no={t('shell:cancel')}
          onYes={letIn}
          onNo={() => setAskedAt(undefined)}
        >
          {t('letIn.text')}
        </Ask>
      )}
    </>
  )
}

/** Reopens a claim that expired before a terminal connected. */
function ClosedClaim({ device: { serialNumber, claimEndsAt } }: { device: Device }) {
  const { t } = useTranslation('device')
  const complain = useComplaint()
  const [busy, setBusy] = useState(false)
  if (claimEndsAt === undefined || Date.parse(claimEndsAt) > Date.now()) return null
  const reopen = async () => {
    setBusy(true)
    try {
      await write('device/approve', { serialNumber })
      say(t('reopen.done'))
    } catch (error) {
      complain(error)
    }
    setBusy(false)
    refresh(['device/'])
  }
  return (
    <div className="notice warn device-notice">
      <span>{t('reopen.text')}</span>
      <Button busy={busy} onClick={reopen}>
        {t('reopen.button')}
      </Button>
    </div>
  )
}
