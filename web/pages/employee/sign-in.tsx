import { CircleCheck, Link2, Mail, Printer, QrCode } from 'lucide-react'
import { useEffect, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { roles } from '../../../shared/permissions.ts'
import { write } from '../../api.ts'
import { useFormats } from '../../format.ts'
import { Button } from '../../parts/button.tsx'
import { PasswordField } from '../../parts/field/field.tsx'
import { Form, useComplaint, useForm } from '../../parts/field/form.tsx'
import { type Invitation, InvitationCard } from '../../parts/invitation.tsx'
import { say } from '../../parts/say/toast.tsx'
import { Link } from '../../parts/shell/router.ts'
import { passwordFaults } from '../../password.ts'
import { fullName } from '../../person-name.ts'
import { refresh } from '../../read.ts'
import { formOf } from './form.ts'
import { RevokeQuestion } from './revoke.tsx'
import type { TabProps } from './tab.ts'
import './sign-in.css'

/** Shows whether an employee can sign in. Offers invitations by mail, link or QR code, and a form for a password. */
export function EmployeeSignIn(props: TabProps) {
  const { t } = useTranslation(['employee', 'shell'])
  const formats = useFormats()
  const { employee } = props
  const hasRole = employee.role !== roles.none
  const state = !hasRole ? 'signIn.disabled' : employee.canSignIn ? 'signIn.can' : 'signIn.cannot'
  return (
    <>
      <div className="panel-body">
        <div className={hasRole && employee.canSignIn ? 'notice sign-in-can' : 'notice'}>
          {hasRole && employee.canSignIn && <CircleCheck className="icon" aria-hidden="true" />}
          <p>
            {t(state)}
            {employee.passwordSetAt &&
              ` ${t('signIn.passwordSet', { at: formats.dayAndTime(employee.passwordSetAt) })}`}
          </p>
        </div>
        {hasRole && <Invite {...props} />}
        <hr />
        <SetPassword {...props} />
      </div>
      <footer className="panel-foot">
        <Button onClick={props.onCancel}>{t('shell:close')}</Button>
      </footer>
    </>
  )
}

function Invite({ employee, mayChange }: TabProps) {
  const { t } = useTranslation(['employee', 'shell'])
  const complain = useComplaint()
  const [invitation, setInvitation] = useState<Invitation>()
  const [busy, setBusy] = useState<'mail' | 'link' | 'code'>()
  const attempt = async (channel: 'mail' | 'link' | 'code', action: () => Promise<void>) => {
    setBusy(channel)
    try {
      await action()
    } catch (error) {
      complain(error)
    } finally {
      setBusy(undefined)
    }
  }
  const mail = () =>
    attempt('mail', async () => {
      const { sent, joined } = await write('employee/send_qrcode', { ids: [employee.id] })
      if (sent.length > 0) say(t('send.sent', { count: 1 }))
      else if (joined.length > 0) say(t('send.joined', { count: 1 }), 'danger')
      else say(t('send.failed', { names: fullName(employee) }), 'danger')
    })
  const link = () => attempt('link', async () => setInvitation(await write('employee/login_link', { id: employee.id })))
  const code = () => attempt('code', async () => setInvitation(await write('employee/qrcode', { id: employee.id })))
  const isDisabled = !mayChange || busy !== undefined
  return (
    <fieldset>
      <legend>{t('signIn.invite')}</legend>
      <div className="ways">
        <Button
          icon={<Mail className="icon" aria-hidden="true" />}
          busy={busy === 'mail'}
          disabled={isDisabled || !employee.email}
          onClick={mail}
        >
          {t('signIn.mail')}
        </Button>
        <Button
          icon={<Link2 className="icon" aria-hidden="true" />}
          busy={busy === 'link'}
          disabled={isDisabled}
          onClick={link}
        >
          {t('signIn.link')}
        </Button>
        <Button
          icon={<QrCode className="icon" aria-hidden="true" />}
          busy={busy === 'code'}
          disabled={isDisabled}
          onClick={code}
        >
          {t('signIn.qr')}
        </Button>
        {mayChange && (
          <Link className="button" to={`/printUser?id=${employee.id}`}>
            <Printer className="icon" aria-hidden="true" />
            {t('invite.print')}
          </Link>
        )}
      </div>
      <p className="muted small">
        {employee.email ? t('signIn.mailHint', { email: employee.email }) : t('signIn.noEmail')}
      </p>
      {invitation && <InvitationCard invitation={invitation} />}
      {mayChange && (
        <div>
          <RevokeQuestion employee={employee.id} onDone={() => setInvitation(undefined)} />
        </div>
      )}
    </fieldset>
  )
}

function SetPassword({ employee, mayChange, version, onVersion, onChanged }: TabProps) {
  const { t } = useTranslation(['employee', 'shell'])
  const id = useId()
  const form = useForm({ password: '' })
  const { isChanged } = form
  useEffect(() => onChanged(isChanged), [onChanged, isChanged])
  const save = () =>
    form.submit(
      async () => {
        await write('employee/update', { ...formOf(employee), version, password: form.values.password })
        onVersion(version + 1)
        form.restart({ password: '' })
        say(t('signIn.isSet'))
        refresh(['employee/'])
      },
      {
        required: ['password'],
        wrong: { password: passwordFaults(form.values.password, form.values.password).password },
        fieldOf: { 21012: 'password', 60030: 'password' },
      },
    )
  return (
    <Form form={form} id={id} onSubmit={save}>
      <fieldset>
        <legend>{t('signIn.setTitle')}</legend>
        <p className="muted small">{t('signIn.setText')}</p>
        <PasswordField
          label={t(employee.canSignIn ? 'newPassword' : 'password')}
          autoComplete="new-password"
          hint={t('shell:password.rule')}
          {...form.text('password')}
          {...(form.codeOf('password') === 60005 && { error: t('signIn.joined') })}
        />
        <div>
          <Button type="submit" busy={form.busy} disabled={!mayChange || !isChanged}>
            {t('signIn.set')}
          </Button>
        </div>
      </fieldset>
    </Form>
  )
}
