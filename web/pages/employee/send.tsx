import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { roles } from '../../../shared/permissions.ts'
import { isUnanswered, type PathOutput, write } from '../../api.ts'
import { useFormats } from '../../format.ts'
import { useComplaint } from '../../parts/field/form.tsx'
import { Ask } from '../../parts/say/ask.tsx'
import { say } from '../../parts/say/toast.tsx'
import { fullName } from '../../person-name.ts'
import { refresh } from '../../read.ts'
import type { Employee } from './form.ts'

/** The most ids that the server accepts per request. */
const mostTogether = 100

const namesOf = (people: readonly Employee[], more: string) => {
  const names = people.slice(0, 5).map(fullName).join(', ')
  return people.length > 5 ? `${names} ${more}` : names
}

/** Mails invitations. First lists the employees who cannot get an invitation, and afterwards the failed mails. */
export default function SendQuestion({
  people: chosen,
  onClose,
}: {
  people: readonly Employee[]
  onClose: (isSent: boolean) => void
}) {
  const { t } = useTranslation(['employee', 'shell'])
  const complain = useComplaint()
  const [failed, setFailed] = useState<readonly Employee[]>([])
  // The dialog keeps its employees even if the selection behind it changes.
  const [people] = useState(chosen)
  /** The answers so far. If a batch gets no answer, the next try continues with that batch. */
  const answers = useRef<PathOutput<'employee/send_qrcode'>[]>([])
  const today = useFormats().today()
  const disabled = people.filter(({ role }) => role === roles.none)
  const hasLeft = ({ role, endDay }: Employee) => role !== roles.none && endDay !== undefined && endDay < today
  const left = people.filter(hasLeft)
  const present = people.filter(person => person.role !== roles.none && !hasLeft(person))
  const withoutEmail = present.filter(({ email }) => !email)
  const reachable = present.filter(({ email }) => email)
  const send = async () => {
    const { current } = answers
    try {
      for (let from = current.length * mostTogether; from < reachable.length; from += mostTogether) {
        const ids = reachable.slice(from, from + mostTogether).map(({ id }) => id)
        current.push(await write('employee/send_qrcode', { ids }))
      }
    } catch (error) {
      if (isUnanswered(error)) throw error
      complain(error)
    }
    const sent = current.flatMap(({ sent }) => sent)
    const joined = current.flatMap(({ joined }) => joined)
    const refused = current.flatMap(({ failed }) => failed)
    if (sent.length > 0) say(t('send.sent', { count: sent.length }))
    if (joined.length > 0) say(t('send.joined', { count: joined.length }))
    if (refused.length > 0) setFailed(reachable.filter(({ id }) => refused.includes(id)))
    else onClose(sent.length > 0)
    refresh(['employee/'])
  }
  const more = (list: readonly Employee[]) => t('others', { count: list.length - 5 })
  const isOver = failed.length > 0 || reachable.length === 0
  return (
    <Ask
      title={reachable.length > 0 ? t('send.title', { count: reachable.length }) : t('send.nobodyTitle')}
      yes={t(isOver ? 'shell:close' : 'send.yes')}
      no={t('shell:cancel')}
      onYes={isOver ? () => onClose(failed.length > 0) : send}
      onNo={() => onClose(answers.current.some(({ sent }) => sent.length > 0))}
    >
      {failed.length > 0 ? (
        <p>{t('send.failed', { names: namesOf(failed, more(failed)) })}</p>
      ) : (
        <div className="send-who">
          {reachable.length > 0 && <p>{t('send.text')}</p>}
          {withoutEmail.length > 0 && (
            <p>{t('send.noEmail', { count: withoutEmail.length, names: namesOf(withoutEmail, more(withoutEmail)) })}</p>
          )}
          {left.length > 0 && <p>{t('send.left', { count: left.length, names: namesOf(left, more(left)) })}</p>}
          {disabled.length > 0 && (
            <p>{t('send.noRole', { count: disabled.length, names: namesOf(disabled, more(disabled)) })}</p>
          )}
        </div>
      )}
    </Ask>
  )
}
