import { useTranslation } from 'react-i18next'
import { write } from '../api.ts'
import { PasswordField } from './field.tsx'
import { useForm } from './form.tsx'
import { FormPanel } from './panel.tsx'
import { say } from './toast.tsx'

export function PasswordChange({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation()
  const form = useForm({ password: '', new_password: '', confirm_password: '' })
  const save = () => {
    const { new_password, confirm_password } = form.values
    if (new_password && confirm_password && new_password !== confirm_password) {
      return form.blame({ confirm_password: 21013 })
    }
    return form.submit(
      async () => {
        await write('user/password/update', form.values)
        say(t('passwordChange.done'))
        onClose()
      },
      {
        required: ['password', 'new_password', 'confirm_password'],
        fieldOf: { 21014: 'password', 21012: 'new_password', 21013: 'confirm_password' },
      },
    )
  }
  return (
    <FormPanel title={t('menu.password')} form={form} onSave={save} onClose={onClose} save={t('save')}>
      <PasswordField label={t('passwordChange.old')} autoComplete="current-password" {...form.text('password')} />
      <PasswordField
        label={t('passwordChange.new')}
        hint={t('password.rule')}
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
