import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { roles } from '../../../shared/permissions.ts'
import { isUnanswered, type PathOutput, write } from '../../api.ts'
import { useComplaint } from '../../parts/field/form.tsx'
import { Ask } from '../../parts/say/ask.tsx'
import { say } from '../../parts/say/toast.tsx'
import { fullName } from '../../person-name.ts'
import type { Employee } from './form.ts'

/** So many one request may name. */
const mostTogether = 100

const namesOf = (people: readonly Employee[], more: string) => {
  const names = people.slice(0, 5).map(fullName).join(', ')
  return people.length > 5 ? `${names} ${more}` : names
}

/** Mails invitations to those chosen; says first who cannot get one, and afterwards who did not. */
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
  // Those that were asked about, though the list behind goes on.
  const [people] = useState(chosen)
  /** What became of them so far: where no answer comes for a part of them, the rest is left to another try. */
  const answers = useRef<PathOutput<'employee/send_qrcode'>[]>([])
  const disabled = people.filter(({ role }) => role === roles.none)
  const nameless = people.filter(({ role, email }) => role !== roles.none && !email)
  const able = people.filter(({ role, email }) => role !== roles.none && email)
  const send = async () => {
    const { current } = answers
    try {
      for (let from = current.length * mostTogether; from < able.length; from += mostTogether) {
        const ids = able.slice(from, from + mostTogether).map(({ id }) => id)
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
    if (refused.length > 0) setFailed(able.filter(({ id }) => refused.includes(id)))
    else onClose(sent.length > 0)
  }
  const more = (list: readonly Employee[]) => t('others', { count: list.length - 5 })
  const isOver = failed.length > 0 || able.length === 0
  return (
    <Ask
      title={able.length > 0 ? t('send.title', { count: able.length }) : t('send.nobodyTitle')}
      yes={t(isOver ? 'shell:close' : 'send.yes')}
      no={t('shell:cancel')}
      onYes={isOver ? () => onClose(failed.length > 0) : send}
      onNo={() => onClose(answers.current.some(({ sent }) => sent.length > 0))}
    >
      {failed.length > 0 ? (
        <p>{t('send.failed', { names: namesOf(failed, more(failed)) })}</p>
      ) : (
        <div className="send-who">
          {able.length > 0 && <p>{t('send.text')}</p>}
          {nameless.length > 0 && (
            <p>{t('send.noEmail', { count: nameless.length, names: namesOf(nameless, more(nameless)) })}</p>
          )}
          {disabled.length > 0 && (
            <p>{t('send.noRole', { count: disabled.length, names: namesOf(disabled, more(disabled)) })}</p>
          )}
        </div>
      )}
    </Ask>
  )
}
