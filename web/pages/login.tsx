import { useTranslation } from 'react-i18next'
import { call } from '../api.ts'
import { Button } from '../parts/button.tsx'
import { Door } from '../parts/door.tsx'
import { PasswordField, TextField } from '../parts/field.tsx'
import { Form, useForm } from '../parts/form.tsx'
import { Link, Navigate, useSearchParams } from '../parts/router.ts'
import { type Session, useSession } from '../session.tsx'

/** Back to what was asked for before sign-in: an address of this site only. */
const backTo = (redirect: string | null) => {
  const isOurs = redirect?.startsWith('/') && new URL(redirect, location.origin).origin === location.origin
  return isOurs && redirect ? redirect : '/dashboard'
}

export default function Login({ side }: { side: 'management' | 'user' }) {
  const { t } = useTranslation('login')
  const { person, signIn } = useSession()
  const [search] = useSearchParams()
  if (person) return <Navigate to={backTo(search.get('redirect'))} replace />
  const query = search.size > 0 ? `?${search}` : ''
  return (
    <Door title={t('title')}>
      <h1>{t('title')}</h1>
      <p>{t(side === 'management' ? 'adminText' : 'employeeText')}</p>
      <nav className="segments" aria-label={t('side')}>
        <Link to={`/login${query}`} aria-current={side === 'management' ? 'page' : undefined}>
          {t('admin')}
        </Link>
        <Link to={`/login/employee${query}`} aria-current={side === 'user' ? 'page' : undefined}>
          {t('employee')}
        </Link>
      </nav>
      {side === 'management' ? <AdminForm signIn={signIn} /> : <EmployeeForm signIn={signIn} />}
      {side === 'management' && (
        <p className="after">
          {t('new')} <Link to="/register">{t('register')}</Link>
        </p>
      )}
    </Door>
  )
}

function AdminForm({ signIn }: Pick<Session, 'signIn'>) {
  const { t } = useTranslation('login')
  const form = useForm({ email: '', password: '' })
  const submit = () =>
    form.submit(async () => signIn((await call('user/login', form.values)).token), {
      fieldOf: { 21001: 'email', 21002: 'email', 21011: 'password', 21014: 'password' },
    })
  return (
    <Form form={form} onSubmit={submit}>
      <TextField label={t('email')} type="email" inputMode="email" autoComplete="username" {...form.text('email')} />
      <PasswordField label={t('password')} autoComplete="current-password" {...form.text('password')} />
      <Button look="primary" type="submit" wide busy={form.busy}>
        {t('signIn')}
      </Button>
    </Form>
  )
}

function EmployeeForm({ signIn }: Pick<Session, 'signIn'>) {
  const { t } = useTranslation('login')
  const form = useForm({ code: '', workno: '', password: '' })
  const submit = () =>
    form.submit(async () => signIn((await call('personal/login', form.values)).token), {
      required: ['code', 'workno', 'password'],
      fieldOf: { 21011: 'password', 21014: 'password' },
    })
  return (
    <Form form={form} onSubmit={submit}>
      <TextField
        label={t('companyId')}
        hint={t('companyIdHint')}
        inputMode="numeric"
        autoComplete="organization"
        {...form.text('code')}
      />
      <TextField label={t('employeeId')} inputMode="numeric" autoComplete="username" {...form.text('workno')} />
      <PasswordField label={t('password')} autoComplete="current-password" {...form.text('password')} />
      <Button look="primary" type="submit" wide busy={form.busy}>
        {t('signIn')}
      </Button>
    </Form>
  )
}
