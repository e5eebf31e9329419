import { useState } from 'react'
import { Trans, useTranslation } from 'react-i18next'
import { type PathOutput, write } from '../../api.ts'
import { type Language, languages as languageNames } from '../../language.ts'
import { useRead } from '../../read.ts'
import { usePerson, useSession } from '../../session.tsx'
import { withoutEmpty } from '../../without-empty.ts'
import { Button } from '../button.tsx'
import { PasswordField, SelectField, TextField } from '../field/field.tsx'
import { useForm } from '../field/form.tsx'
import { FormPanel, Panel } from '../list/panel.tsx'
import { Trouble } from '../page.tsx'
import { say } from '../say/toast.tsx'
import { CodeField, type MailCode, type Sent, sendCode } from './mailed-code.tsx'
import { NoticeParams } from './notice-params.tsx'

/** The user's own profile and sign-in address. */
export function Profile({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('profile')
  const { data, error, readAgain } = useRead('user/employee', {})
  const [isMoving, setMoving] = useState(false)
  if (isMoving) return <AddressChange onClose={onClose} />
  if (data) return <ProfileForm record={data} onClose={onClose} onMove={() => setMoving(true)} />
  return (
    <Panel title={t('title')} onClose={onClose}>
      {error && <Trouble error={error} onRetry={readAgain} />}
    </Panel>
  )
}

function ProfileForm(props: { record: PathOutput<'user/employee'>; onClose: () => void; onMove: () => void }) {
  const { t, i18n } = useTranslation('profile')
  const person = usePerson()
  const { reload } = useSession()
  const { record, onClose } = props
  const form = useForm({
    first_name: record.first_name,
    last_name: record.last_name,
    tel: record.tel ?? '',
    language: record.language ?? i18n.language,
  })
  // On the employee side, or without a sign-in address, `uuid` consists of the company and the employee ID.
  const hasAddress = person.uuid.includes('@')
  const save = () =>
    form.submit(
      async () => {
        const { first_name, last_name, tel, language } = form.values
        await write('personal/update', {
          first_name,
          last_name,
          language: language as Language,
          ...withoutEmpty({ tel }),
        })
        reload()
        say(t('saved'))
        onClose()
      },
      { required: ['first_name', 'last_name'] },
    )
  return (
    <FormPanel title={t('title')} form={form} save={t('save')} onSave={save} onClose={onClose}>
      <dl className="facts">
        <dt>{t('company')}</dt>
        <dd>{person.company.name}</dd>
        <dt>{t('companyId')}</dt>
        <dd className="figure">{person.company.company_num}</dd>
        <dt>{t('employeeId')}</dt>
        <dd className="figure">{record.workno}</dd>
        {record.position && (
          <>
            <dt>{t('position')}</dt>
            <dd>{record.position}</dd>
          </>
        )}
        {hasAddress && (
          <>
            <dt>{t('address')}</dt>
            <dd>{person.uuid}</dd>
          </>
        )}
      </dl>
      {person.type === 'management' && (
        <p>
          <Button onClick={props.onMove}>{t(hasAddress ? 'changeAddress' : 'addAddress')}</Button>
        </p>
      )}
      <div className="pair">
        <TextField label={t('firstName')} autoComplete="given-name" maxLength={60} {...form.text('first_name')} />
        <TextField label={t('lastName')} autoComplete="family-name" maxLength={60} {...form.text('last_name')} />
      </div>
      <TextField label={t('tel')} optional type="tel" autoComplete="tel" maxLength={40} {...form.text('tel')} />
      <SelectField
        label={t('language')}
        hint={t('languageHint')}
        options={Object.entries(languageNames)}
        {...form.text('language')}
      />
      <NoticeParams />
    </FormPanel>
  )
}

const mailCode: MailCode = email => write('user/email/code', { email })

/**
 * Changes the sign-in address. A mailed code proves that the user reads the new address, and the password proves the
 * user's identity.
 */
function AddressChange({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation(['profile', 'register'])
  const { reload } = useSession()
  const [sent, setSent] = useState<Sent>()
  const form = useForm({ email: '', code: '', password: '' })
  const { email, code, password } = form.values
  const fieldOf = { 21001: 'email', 21002: 'email', 21003: 'email', 21014: 'password', 60008: 'email', 60012: 'code' }
  const save = () =>
    sent
      ? form.submit(
          async () => {
            await write('user/email/update', { email: sent.email, nonce: sent.nonce, code, password })
            reload()
            say(t('moved'))
            onClose()
          },
          { required: ['code', 'password'], fieldOf },
        )
      : form.submit(async () => setSent(await sendCode(mailCode, email)), { required: ['email'], fieldOf })
  return (
    <FormPanel
      title={t('changeAddress')}
      form={form}
      save={sent ? t('save') : t('register:sendCode')}
      onSave={save}
      onClose={onClose}
    >
      {sent ? (
        <>
          <p>
            <Trans
              t={t}
              i18nKey="register:sentTo"
              values={{ email: sent.email }}
              components={{
                mail: <strong />,
                back: <button type="button" className="link" onClick={() => setSent(undefined)} />,
              }}
            />
          </p>
          <CodeField
            sent={sent}
            mail={mailCode}
            onSent={setSent}
            field={form.text('code')}
            code={form.codeOf('code')}
          />
          <PasswordField label={t('password')} autoComplete="current-password" {...form.text('password')} />
          <p className="muted small">{t('ends')}</p>
        </>
      ) : (
        <TextField
          label={t('newAddress')}
          type="email"
          inputMode="email"
          autoComplete="email"
          autoFocus
          {...form.text('email')}
        />
      )}
    </FormPanel>
  )
}
