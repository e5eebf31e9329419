import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { write } from '../../api.ts'
import { useComplaint } from '../../parts/field/form.tsx'
import { Ask, overPage } from '../../parts/say/ask.tsx'
import { say } from '../../parts/say/toast.tsx'
import { SignInNote, useSignIn } from '../../parts/sign-in-note.tsx'
import { fullName } from '../../person-name.ts'
import { refresh } from '../../read.ts'

export interface Person {
  id: string
  first_name: string
  last_name: string
  workno: string
  department: string
}

/** Assigns or removes the role, and shows a message. The change takes effect at once. */
export const useGive = (role: { id: string }) => {
  const { t } = useTranslation('role')
  const complain = useComplaint()
  const [busy, setBusy] = useState<string>()
  const give = async (change: 'add' | 'remove', person: Person, words: string) => {
    setBusy(person.id)
    try {
      const { mustJoin } = await write('role/update/user', { id: role.id, [change]: [person.id] })
      say(words)
      if (mustJoin.length > 0) say(t('users.mustJoin', { name: fullName(person) }), 'danger')
      refresh(['role/', 'employee/'])
    } catch (error) {
      complain(error)
    } finally {
      setBusy(undefined)
    }
  }
  return { busy, give }
}

/** Confirms an assignment. The administrator sees the address with which the person signs in. */
export function GiveQuestion(props: { person: Person; role: string; onYes: () => Promise<void>; onNo: () => void }) {
  const { t } = useTranslation(['role', 'shell'])
  const { person, role } = props
  const { data } = useSignIn(person.id)
  return overPage(
    <Ask
      title={t('users.ask.title', { name: fullName(person), role })}
      yes={t('users.ask.yes')}
      no={t('shell:cancel')}
      waits={!data}
      onYes={props.onYes}
      onNo={props.onNo}
    >
      <SignInNote employee={person.id} />
    </Ask>,
  )
}
