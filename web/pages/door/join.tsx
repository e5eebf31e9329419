import { useEffect, useState } from 'react'
import { Trans, useTranslation } from 'react-i18next'
import { call, isFault, type PathOutput } from '../../api.ts'
import { Button } from '../../parts/button.tsx'
import { CheckField, PasswordField, TextField } from '../../parts/field/field.tsx'
import { Form, useForm } from '../../parts/field/form.tsx'
import { Strength } from '../../parts/field/strength.tsx'
import { Trouble } from '../../parts/page.tsx'
import { Door } from '../../parts/shell/door.tsx'
import { CodeField, type MailCode, type Sent, sendCode, useSecondStep } from '../../parts/shell/mailed-code.tsx'
import { Link, useLocation } from '../../parts/shell/router.ts'
import { passwordFaults } from '../../password.ts'
import { greetingName } from '../../person-name.ts'
import { useSession } from '../../session.tsx'
import { withoutEmpty } from '../../without-empty.ts'
import Expired from './expired.tsx'

type Invitation = PathOutput<'user/invite/get'>
type Joined = PathOutput<'user/invite/join'>

/**
 * The page of an invitation link. Its token is in the fragment, so no server or log sees it. The key starts again for a
 * second invitation in the same tab.
 */
export default function Join() {
  const token = useLocation().hash.slice(1)
  return <OpenInvitation key={token} token={token} />
}

function OpenInvitation({ token }: { token: string }) {
  const { t } = useTranslation('join')
  const [invitation, setInvitation] = useState<Invitation>()
  const [joined, setJoined] = useState<Joined>()
  const [error, setError] = useState<unknown>()
  const read = () => {
    setError(undefined)
    call('user/invite/get', { token }).then(setInvitation, setError)
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: the token of a page never changes.
  useEffect(read, [])
  if (isFault(error) && error.code === 60013) return <Expired />
  return (
    <Door title={t('title')}>
      {error ? (
        <>
          <h1>{t('title')}</h1>
          <Trouble error={error} onRetry={read} />
        </>
      ) : joined ? (
        <Outcome joined={joined} />
      ) : invitation ? (
        <Invited invitation={invitation} token={token} onJoined={setJoined} onExpired={setError} />
      ) : (
        <div role="status" aria-busy="true">
          <h1 className="unseen">{t('loading')}</h1>
          <span className="skeleton" style={{ width: '60%', height: 28 }} />
        </div>
      )}
    </Door>
  )
}

function Invited(props: {
  invitation: Invitation
  token: string
  onJoined: (joined: Joined) => void
  onExpired: (error: unknown) => void
}) {
  const { t } = useTranslation('join')
  const { invitation } = props
  const [account, setAccount] = useState<'new' | 'existing'>('new')
  const { first_name = '', last_name = '' } = invitation
  const name = first_name && ` ${greetingName({ first_name, last_name })}`
  return (
    <>
      {invitation.logo && <img className="door-logo" src={invitation.logo} alt="" />}
      <h1>{t('heading', { company: invitation.company_name })}</h1>
      <p>{t(invitation.kind === 'employee' ? 'textPersonal' : 'textCompany', { name })}</p>
      {invitation.canJoinExisting && (
        <fieldset className="segments">
          <legend className="unseen">{t('how')}</legend>
          {(['new', 'existing'] as const).map(way => (
            <button key={way} type="button" aria-pressed={account === way} onClick={() => setAccount(way)}>
              {t(way)}
            </button>
          ))}
        </fieldset>
      )}
      <JoinForm key={account} {...props} account={account} />
      {invitation.workno && (
        <div className="door-numbers">
          <p className="small muted">{t('numbers')}</p>
          <Numbers company_num={invitation.company_num} workno={invitation.workno} />
        </div>
      )}
    </>
  )
}

function JoinForm({
  invitation,
  token,
  account,
  onJoined,
  onExpired,
}: {
  invitation: Invitation
  token: string
  account: 'new' | 'existing'
  onJoined: (joined: Joined) => void
  onExpired: (error: unknown) => void
}) {
  const { t } = useTranslation(['join', 'register'])
  const { moveTo } = useSession()
  const step = useSecondStep()
  const [kept, setKept] = useState<Sent>()
  const form = useForm({
    first_name: '',
    last_name: '',
    email: invitation.email ?? '',
    code: '',
    password: '',
    confirm_password: '',
    terms: false,
  })
  const isNew = account === 'new'
  const isMailed = invitation.email !== undefined && isNew
  const isCompany = invitation.kind === 'company'
  const { first_name, last_name, email, code, password, confirm_password, terms } = form.values
  const sent = step.isSecond && kept?.email === email ? kept : undefined
  const names = isCompany ? (['first_name', 'last_name'] as const) : []
  // A typed address needs a mailed code, which proves that the user reads its mail.
  const needsCode = isNew && !isMailed && (isCompany || email.trim() !== '')
  const mail: MailCode = address => call('user/invite/code', { token, email: address })
  const askCode = () =>
    form.submit(
      async () => {
        setKept(await sendCode(mail, email, kept))
        step.enter()
      },
      { required: [...names, 'email'], fieldOf: { 21001: 'email', 21002: 'email', 21003: 'email', 60008: 'email' } },
    )
  const join = async () => {
    const joined = await call('user/invite/join', {
      token,
      account,
      password,
      ...withoutEmpty({
        email: isMailed ? '' : email,
        ...(isNew && { code: needsCode ? code : '', nonce: (needsCode && sent?.nonce) || '', confirm_password }),
        ...(isCompany && { first_name, last_name }),
      }),
      ...(isNew && { terms }),
    })
    if (joined.token) moveTo(joined.token)
    else onJoined(joined)
  }
  const submit = () => {
    if (needsCode && !sent) return askCode()
    return form.submit(
      () =>
        join().catch(error => {
          if (isFault(error) && error.code === 60013) onExpired(error)
          else throw error
        }),
      {
        wrong: isNew ? { ...passwordFaults(password, confirm_password), terms: !terms && 60014 } : {},
        required: [
          ...names,
          ...(isNew ? (['confirm_password'] as const) : (['email'] as const)),
          ...(needsCode ? (['code'] as const) : []),
          'password',
        ],
        fieldOf: {
          21003: 'email',
          21012: 'password',
          21013: 'confirm_password',
          21014: 'password',
          60012: 'code',
          60014: 'terms',
          60030: 'password',
        },
      },
    )
  }
  // A code is valid only for the address that received it, so a new address clears the code.
  const onEmail = (value: string) => form.set({ email: value, code: '' })
  return (
    <Form form={form} onSubmit={submit}>
      {isCompany && (
        <div className="pair">
          <TextField
            label={t('register:firstName')}
            autoComplete="given-name"
            maxLength={60}
            {...form.text('first_name')}
          />
          <TextField
            label={t('register:lastName')}
            autoComplete="family-name"
            maxLength={60}
            {...form.text('last_name')}
          />
        </div>
      )}
      {isMailed ? (
        <p>
          <Trans t={t} i18nKey="signsIn" values={{ email: invitation.email }} components={{ mail: <strong /> }} />
        </p>
      ) : (
        <TextField
          label={t('register:email')}
          type="email"
          inputMode="email"
          autoComplete="username"
          optional={isNew && !isCompany}
          hint={isNew && !isCompany ? t('byNumber') : undefined}
          {...form.text('email')}
          onText={onEmail}
        />
      )}
      {needsCode && sent && (
        <CodeField sent={sent} mail={mail} onSent={setKept} field={form.text('code')} code={form.codeOf('code')} />
      )}
      {needsCode && !sent ? (
        <Button look="primary" type="submit" wide busy={form.busy}>
          {t('register:sendCode')}
        </Button>
      ) : (
        <>
          <PasswordField
            label={t('register:password')}
            autoComplete={isNew ? 'new-password' : 'current-password'}
            {...form.text('password')}
          />
          {isNew && (
            <>
              <PasswordField
                label={t('register:confirm')}
                autoComplete="new-password"
                {...form.text('confirm_password')}
              />
              <Strength password={password} />
              <CheckField checked={terms} onCheck={value => form.set({ terms: value })} error={form.error('terms')}>
                <Trans
                  t={t}
                  i18nKey="register:accept"
                  components={{
                    terms: <Link to="/terms" target="_blank" />,
                    privacy: <Link to="/privacy" target="_blank" />,
                  }}
                />
              </CheckField>
            </>
          )}
          <Button look="primary" type="submit" wide busy={form.busy}>
            {t('join', { company: invitation.company_name })}
          </Button>
        </>
      )}
    </Form>
  )
}

/** The numbers for the employee sign-in. */
function Numbers({ company_num, workno }: Pick<Joined, 'company_num' | 'workno'>) {
  const { t } = useTranslation('join')
  return (
    <dl className="door-facts">
      <dt>{t('companyId')}</dt>
      <dd className="figure">{company_num}</dd>
      <dt>{t('employeeId')}</dt>
      <dd className="figure">{workno}</dd>
    </dl>
  )
}

/** A person who joined with the company's invitation waits until an administrator assigns a role. */
function Outcome({ joined }: { joined: Joined }) {
  const { t } = useTranslation('join')
  const to = `/login/employee?${new URLSearchParams({ code: joined.company_num, workno: joined.workno })}`
  return (
    <>
      <h1>{t('waiting')}</h1>
      <p>{t('waitingText')}</p>
      <Numbers {...joined} />
      <p className="after">
        <Link className="button wide" to={to}>
          {t('toSignIn')}
        </Link>
      </p>
    </>
  )
}
