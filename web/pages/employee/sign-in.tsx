import { CircleCheck, Link2, Mail, Printer, QrCode } from 'lucide-react'
import { useEffect, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { roles } from '../../../shared/permissions.ts'
import { type PathOutput, write } from '../../api.ts'
import { dayIn, useFormats } from '../../format.ts'
import { Button } from '../../parts/button.tsx'
import { PasswordField } from '../../parts/field/field.tsx'
import { Form, useComplaint, useForm } from '../../parts/field/form.tsx'
import { type Invitation, InvitationCard } from '../../parts/invitation.tsx'
import { Trouble } from '../../parts/page.tsx'
import { say } from '../../parts/say/toast.tsx'
import { Link } from '../../parts/shell/router.ts'
import { Splash } from '../../parts/shell/splash.tsx'
import { passwordFaults } from '../../password.ts'
import { refresh, useRead } from '../../read.ts'
import { formOf } from './form.ts'
import { RevokeQuestion } from './revoke.tsx'
import { useInvitationMail } from './sign-in-state.tsx'
import type { TabProps } from './tab.ts'
import './sign-in.css'

type State = PathOutput<'employee/qrcode/get'>

/** The sentence about the sign-in of an employee. */
const useStateText = ({ employee }: TabProps, { canSignIn, invited }: State) => {
  const { t } = useTranslation('employee')
  const formats = useFormats()
  if (employee.role === roles.none) return t('signIn.disabled')
  if (employee.endDay && employee.endDay < formats.today()) return t('signIn.left')
  if (canSignIn) return t('signIn.can')
  if (!invited) return t('signIn.cannot')
  const [day, until] = [invited.at, invited.until].map(at => formats.day(dayIn(formats.timezone, new Date(at))))
  if (Date.parse(invited.until) < Date.now()) return t('signIn.expired', { day })
  return t(invited.isMailed ? 'signIn.invited' : 'signIn.invitedLink', { day, until })
}

/** Shows whether an employee can sign in. Offers invitations by mail, link or QR code, and a form for a password. */
export function EmployeeSignIn(props: TabProps) {
  const { data, error, readAgain } = useRead('employee/qrcode/get', { id: props.employee.id })
  return (
    <div className="panel-body">
      {data ? (
        <Ways {...props} state={data} />
      ) : error ? (
        <Trouble error={error} onRetry={readAgain} />
      ) : (
        <Splash inside />
      )}
    </div>
  )
}

function Ways(props: TabProps & { state: State }) {
  const { t } = useTranslation('employee')
  const formats = useFormats()
  const { employee, state } = props
  const text = useStateText(props, state)
  const isOpen = state.canSignIn && text === t('signIn.can')
  return (
    <>
      <div className={isOpen ? 'notice sign-in-can' : 'notice'}>
        {isOpen && <CircleCheck className="icon" aria-hidden="true" />}
        <p>
          {text}
          {employee.passwordSetAt && ` ${t('signIn.passwordSet', { at: formats.dayAndTime(employee.passwordSetAt) })}`}
        </p>
      </div>
      {(state.mayInvite || state.count > 0) && <Invite {...props} />}
      {state.mayInvite && state.maySetPassword && <hr />}
      {state.maySetPassword ? (
        <SetPassword {...props} />
      ) : (
        props.mayChange && <p className="muted small">{t('signIn.joined')}</p>
      )}
    </>
  )
}

function Invite({ employee, mayChange, state }: TabProps & { state: State }) {
  const { t } = useTranslation(['employee', 'shell'])
  const complain = useComplaint()
  const mailInvitation = useInvitationMail()
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
      refresh(['employee/'])
    }
  }
  const mail = () => attempt('mail', () => mailInvitation(employee))
  const link = () => attempt('link', async () => setInvitation(await write('employee/login_link', { id: employee.id })))
  const code = () => attempt('code', async () => setInvitation(await write('employee/qrcode', { id: employee.id })))
  const { mayInvite, mayMail } = state
  const mailHint = mayMail ? t('signIn.mailHint', { email: employee.email }) : t('signIn.noEmail')
  return (
    <fieldset>
      <legend>{t('signIn.invite')}</legend>
      {mayInvite && (
        <>
          <div className="ways">
            {mayMail && (
              <Button
                icon={<Mail className="icon" aria-hidden="true" />}
                busy={busy === 'mail'}
                disabled={busy !== undefined}
                onClick={mail}
              >
                {t(state.invited?.isMailed ? 'signInColumn.again' : 'signIn.mail')}
              </Button>
            )}
            <Button
              icon={<Link2 className="icon" aria-hidden="true" />}
              busy={busy === 'link'}
              disabled={busy !== undefined}
              onClick={link}
            >
              {t('signIn.link')}
            </Button>
            <Button
              icon={<QrCode className="icon" aria-hidden="true" />}
              busy={busy === 'code'}
              disabled={busy !== undefined}
              onClick={code}
            >
              {t('signIn.qr')}
            </Button>
            <Link className="button" to={`/printUser?id=${employee.id}`}>
              <Printer className="icon" aria-hidden="true" />
              {t('invite.print')}
            </Link>
          </div>
          <p className="muted small">{employee.email && !mayMail ? t('signIn.untrusted') : mailHint}</p>
        </>
      )}
      {invitation && <InvitationCard invitation={invitation} />}
      {mayChange && state.count > 0 && (
        <p className="small">
          <span className="muted">{t('invite.live', { count: state.count })}</span>{' '}
          <RevokeQuestion employee={employee.id} onDone={() => setInvitation(undefined)} />
        </p>
      )}
    </fieldset>
  )
}

function SetPassword({ employee, mayChange, version, onVersion, onChanged, state }: TabProps & { state: State }) {
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
          label={t(state.canSignIn ? 'newPassword' : 'password')}
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
