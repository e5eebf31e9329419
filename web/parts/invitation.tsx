import { useTranslation } from 'react-i18next'
import { useFormats } from '../format.ts'
import { CopyField } from './field/copy-field.tsx'
import { QrCode } from './field/qr-code.tsx'
import './invitation.css'

export interface Invitation {
  url: string
  expiresAt: string
}

/** An invitation: its link to copy, its QR code to scan, and its expiry. The site never shows the link again. */
export function InvitationCard({ invitation }: { invitation: Invitation }) {
  const { t } = useTranslation('employee')
  const formats = useFormats()
  return (
    <div className="invitation">
      <QrCode text={invitation.url} label={t('invite.code')} />
      <CopyField
        label={t('invite.link')}
        value={invitation.url}
        hint={t('invite.until', { at: formats.dayAndTime(invitation.expiresAt) })}
      />
    </div>
  )
}
