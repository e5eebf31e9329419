import { Printer, QrCode } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { write } from '../../api.ts'
import { Button } from '../../parts/button.tsx'
import { CopyField } from '../../parts/field/copy-field.tsx'
import { useComplaint } from '../../parts/field/form.tsx'
import { type Invitation, InvitationCard } from '../../parts/invitation.tsx'
import { Panel } from '../../parts/list/panel.tsx'
import { Link } from '../../parts/shell/router.ts'
import { refresh, useRead } from '../../read.ts'
import { RevokeQuestion } from './revoke.tsx'
import './sign-in.css'

/** The company's invitation, which any number of employees can use, and the address of their sign-in page. */
export default function CompanyInvitation({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation(['employee', 'shell'])
  const complain = useComplaint()
  const [invitation, setInvitation] = useState<Invitation>()
  const [busy, setBusy] = useState(false)
  const { data: state } = useRead('employee/qrcode/get', {})
  const { data: app } = useRead('qrcode/app_qrcode', {})
  const createInvitation = async () => {
    setBusy(true)
    try {
      setInvitation(await write('employee/qrcode', {}))
      refresh(['employee/qrcode/'])
    } catch (error) {
      complain(error)
    } finally {
      setBusy(false)
    }
  }
  return (
    <Panel
      title={t('invite.title')}
      wide
      onClose={onClose}
      foot={<Button onClick={onClose}>{t('shell:close')}</Button>}
    >
      <div className="panel-body">
        <p>{t('invite.text')}</p>
        {invitation ? (
          <InvitationCard invitation={invitation} />
        ) : (
          <div className="ways">
            <Button
              look="primary"
              icon={<QrCode className="icon" aria-hidden="true" />}
              busy={busy}
              onClick={createInvitation}
            >
              {t('invite.make')}
            </Button>
            <Link className="button" to="/printGlobal">
              <Printer className="icon" aria-hidden="true" />
              {t('invite.print')}
            </Link>
          </div>
        )}
        {state && state.count > 0 && (
          <p className="small">
            <span className="muted">{t('invite.live', { count: state.count })}</span>{' '}
            <RevokeQuestion onDone={() => setInvitation(undefined)} />
          </p>
        )}
        <hr />
        {app && <CopyField label={t('invite.app')} value={app.url} hint={t('invite.appHint')} />}
      </div>
    </Panel>
  )
}
