import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { roles } from '../../../shared/permissions.ts'
import { write } from '../../api.ts'
import { useFormats } from '../../format.ts'
import { Button } from '../../parts/button.tsx'
import { useComplaint } from '../../parts/field/form.tsx'
import { Deed } from '../../parts/say/deed.tsx'
import { say } from '../../parts/say/toast.tsx'
import { fullName } from '../../person-name.ts'
import { refresh } from '../../read.ts'
import { usePerson } from '../../session.tsx'
import { DataButton, EraseButton } from './erase.tsx'
import { formOf } from './form.ts'
import { RehireButton } from './rehire.tsx'
import type { TabProps } from './tab.ts'

/** The actions on a whole employee, starting with the mildest. */
export function EmployeeMore(props: Omit<TabProps, 'onVersion' | 'onChanged'>) {
  const { t } = useTranslation(['employee', 'shell'])
  const complain = useComplaint()
  const formats = useFormats()
  const person = usePerson()
  const [busy, setBusy] = useState(false)
  const { employee, mayChange, version } = props
  const name = fullName(employee)
  const isAdministrator = person.role === roles.administrator
  const isSelf = employee.id === person.employee.id
  const isProtected = employee.isOwner || isSelf
  const done = () => {
    refresh(['employee/', 'department/', 'role/'])
    props.onDone()
  }
  const setRole = async (role: number) => {
    setBusy(true)
    try {
      const { roleId: _, ...form } = formOf(employee)
      await write('employee/update', { ...form, version, role })
      say(t(role === roles.none ? 'more.disabled' : 'more.enabled', { name }))
      done()
    } catch (error) {
      complain(error)
    } finally {
      setBusy(false)
    }
  }
  return (
    <>
      <div className="panel-body deeds">
        {isProtected && <p className="notice">{t(employee.isOwner ? 'more.owner' : 'more.self')}</p>}
        {isAdministrator &&
          !isProtected &&
          (employee.role === roles.none ? (
            <Deed title={t('more.enable')} text={t('more.enableText')}>
              <Button busy={busy} onClick={() => setRole(roles.employee)}>
                {t('more.enable')}
              </Button>
            </Deed>
          ) : (
            <Deed title={t('more.disable')} text={t('more.disableText')}>
              <Button busy={busy} onClick={() => setRole(roles.none)}>
                {t('more.disable')}
              </Button>
            </Deed>
          ))}
        {mayChange && employee.endDay && employee.endDay < formats.today() && (
          <Deed title={t('rehire.button')} text={t('rehire.text', { workno: employee.workno })}>
            <RehireButton person={employee} onDone={props.onDone} />
          </Deed>
        )}
        {isAdministrator && (
          <Deed title={t('more.data')} text={t('more.dataText')}>
            <DataButton id={employee.id} />
          </Deed>
        )}
        {isAdministrator && !isProtected && (
          <Deed title={t('more.erase')} text={t('more.eraseText')}>
            <EraseButton person={employee} onDone={done} />
          </Deed>
        )}
      </div>
      <footer className="panel-foot">
        <Button onClick={props.onCancel}>{t('shell:close')}</Button>
      </footer>
    </>
  )
}
