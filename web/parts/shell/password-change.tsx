import { useTranslation } from 'react-i18next'
import { write } from '../../api.ts'
import { passwordFaults } from '../../password.ts'
import { PasswordField } from '../field/field.tsx'
import { useForm } from '../field/form.tsx'
import { FormPanel } from '../list/panel.tsx'
import { say } from '../say/toast.tsx'

export function PasswordChange({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation(['profile', 'shell'])
  const form = useForm({ password: '', new_password: '', confirm_password: '' })
  const save = () => {
    const { password: new_password, confirm_password } = passwordFaults(
      form.values.new_password,
      form.values.confirm_password,
    )
    return form.submit(
      async () => {
        await write('user/password/update', form.values)
        say(t('passwordChange.done'))
        onClose()
      },
      {
        wrong: { new_password, confirm_password },
        required: ['password', 'new_password', 'confirm_password'],
        fieldOf: { 60008: 'password', 21014: 'password', 21012: 'new_password', 21013: 'confirm_password' },
      },
    )
  }
  return (
    <FormPanel title={t('menu.password')} form={form} onSave={save} onClose={onClose} save={t('shell:save')}>
      <PasswordField
        label={t('passwordChange.old')}
        autoComplete="current-password"
        {...form.text('password')}
        {...(form.codeOf('password') === 21014 && { error: t('passwordChange.wrongOld') })}
      />
      <PasswordField
        label={t('passwordChange.new')}
        hint={t('shell:password.rule')}
        autoComplete="new-password"
        {...form.text('new_password')}
      />
      <PasswordField
        label={t('passwordChange.confirm')}
        autoComplete="new-password"
        {...form.text('confirm_password')}
      />
    </FormPanel>
  )
}
