import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { write } from '../../api.ts'
import { Ask } from '../../parts/say/ask.tsx'
import { say } from '../../parts/say/toast.tsx'
import { refresh } from '../../read.ts'

/** Revokes the invitations of an employee or of the company, after a confirmation. */
export function RevokeQuestion({ employee, onDone }: { employee?: string; onDone: () => void }) {
  const { t } = useTranslation(['employee', 'shell'])
  const [asking, setAsking] = useState(false)
  const revoke = async () => {
    await write('employee/qrcode/revoke', employee ? { id: employee } : {})
    say(t('invite.revoked'))
    refresh(['employee/'])
    onDone()
    setAsking(false)
  }
  return (
    <>
      <button type="button" className="link" onClick={() => setAsking(true)}>
        {t('invite.revoke')}
      </button>
      {asking && (
        <Ask
          title={t('invite.revokeTitle')}
          yes={t('invite.revoke')}
          no={t('shell:cancel')}
          danger
          onYes={revoke}
          onNo={() => setAsking(false)}
        >
          {t('invite.revokeText')}
        </Ask>
      )}
    </>
  )
}
