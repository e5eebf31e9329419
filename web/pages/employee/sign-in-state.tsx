import { type MouseEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { roles } from '../../../shared/permissions.ts'
import { write } from '../../api.ts'
import { dayIn, useFormats } from '../../format.ts'
import { useComplaint } from '../../parts/field/form.tsx'
import { say } from '../../parts/say/toast.tsx'
import { fullName } from '../../person-name.ts'
import { refresh } from '../../read.ts'
import { usePerson } from '../../session.tsx'
import type { Employee } from './form.ts'

/** Returns a function that mails an invitation and shows the result as a toast. */
export const useInvitationMail = () => {
  const { t } = useTranslation('employee')
  const complain = useComplaint()
  return async (employee: Employee) => {
    try {
      const { sent, joined } = await write('employee/send_qrcode', { ids: [employee.id] })
      if (sent.length > 0) say(t('send.sent', { count: 1 }))
      else if (joined.length > 0) say(t('send.joined', { count: 1 }), 'danger')
      else say(t('send.failed', { names: fullName(employee) }), 'danger')
    } catch (error) {
      complain(error)
    }
    refresh(['employee/'])
  }
}

/** The sign-in of an employee in the list: possible, invited with a link to send it again, or not yet. */
export function SignInState({ employee, today }: { employee: Employee; today: string }) {
  const { t } = useTranslation('employee')
  const formats = useFormats()
  const person = usePerson()
  const mail = useInvitationMail()
  const [busy, setBusy] = useState(false)
  const { invited, role, endDay } = employee
  const isShut = role === roles.none || (endDay !== undefined && endDay < today)
  if (employee.canSignIn && !isShut) return t('signInColumn.yes')
  if (!invited || isShut) return <span className="muted">{t('signInColumn.no')}</span>
  const isExpired = Date.parse(invited.until) < Date.now()
  const state = isExpired ? 'expired' : invited.isMailed ? 'invited' : 'link'
  const isMine = person.role === roles.administrator || role === roles.employee
  const again = async (event: MouseEvent) => {
    event.stopPropagation()
    setBusy(true)
    await mail(employee)
    setBusy(false)
  }
  return (
    <span className="invited-cell">
      <span className="muted">
        {t(`signInColumn.${state}`, {
          day: formats.day(dayIn(formats.timezone, new Date(isExpired ? invited.until : invited.at))),
        })}
      </span>
      {isMine && employee.email && (invited.isMailed || isExpired) && (
        <button
          type="button"
          className="link"
          aria-label={t('signInColumn.againName', { name: fullName(employee) })}
          aria-busy={busy}
          disabled={busy}
          onClick={again}
        >
          {t('signInColumn.again')}
        </button>
      )}
    </span>
  )
}
