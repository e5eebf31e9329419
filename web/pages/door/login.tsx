import { useTranslation } from 'react-i18next'
import { call, type PathOutput } from '../../api.ts'
import { Button } from '../../parts/button.tsx'
import { PasswordField, TextField } from '../../parts/field/field.tsx'
import { Form, useForm } from '../../parts/field/form.tsx'
import { Door } from '../../parts/shell/door.tsx'
import { Link, Navigate, useSearchParams } from '../../parts/shell/router.ts'
import { useSession } from '../../session.tsx'

/** The page that the user requested before sign-in. Only addresses of this site are allowed. */
const backTo = (redirect: string | null) => {
  const isOurs = redirect?.startsWith('/') && new URL(redirect, location.origin).origin === location.origin
  return isOurs && redirect ? redirect : '/organization'
}

/** The product's addresses, from the build. The page redirects a browser only to these. */
const addresses = [location.origin, ...(import.meta.env.VITE_ADDRESSES ?? '').split(',')]

/** The site that the browser came from, if it is an address of the product. */
const originOf = (from: string | null) => addresses.find(address => address !== '' && address === from)

/** Stores the user's token. A user from another address of the product returns there with a one-time code. */
const useEntry = () => {
  const { signIn } = useSession()
  const [search] = useSearchParams()
  const from = originOf(search.get('from'))
  return {
    redirect: from ? 1 : 0,
    enter: ({ token, redirect, company_id }: PathOutput<'user/login'>) => {
      if (redirect === 1 && from) location.assign(`${from}/login/sign?${new URLSearchParams({ token, company_id })}`)
      else signIn(token)
    },
  }
}

export default function Login({ side }: { side: 'management' | 'user' }) {
  const { t } = useTranslation('login')
  const { person } = useSession()
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
      {side === 'management' ? <AdminForm /> : <EmployeeForm />}
      {side === 'management' && (
        <p className="after">
          {t('new')} <Link to="/register">{t('register')}</Link>
        </p>
      )}
    </Door>
  )
}

function AdminForm() {
  const { t } = useTranslation('login')
  const { redirect, enter } = useEntry()
  const form = useForm({ email: '', password: '' })
  const submit = () =>
    form.submit(async () => enter(await call('user/login', { ...form.values, redirect })), {
      fieldOf: {
        21001: 'email',
        21002: 'email',
        21011: 'password',
        21014: 'password',
        21021: 'email',
        21023: 'email',
        60008: 'password',
      },
    })
  return (
    <Form form={form} onSubmit={submit}>
      <TextField label={t('email')} type="email" inputMode="email" autoComplete="username" {...form.text('email')} />
      <PasswordField label={t('password')} autoComplete="current-password" {...form.text('password')} />
      <p className="aside small">
        <Link to="/forget/email">{t('forgot')}</Link>
        <Link to="/login/link">{t('byLink')}</Link>
      </p>
      <Button look="primary" type="submit" wide busy={form.busy}>
        {t('signIn')}
      </Button>
    </Form>
  )
}

function EmployeeForm() {
  const { t } = useTranslation('login')
  const { redirect, enter } = useEntry()
  const [search] = useSearchParams()
  const form = useForm({ code: search.get('code') ?? '', workno: search.get('workno') ?? '', password: '' })
  const submit = () =>
    form.submit(async () => enter(await call('personal/login', { ...form.values, redirect })), {
      required: ['code', 'workno', 'password'],
      fieldOf: { 21011: 'password', 21014: 'password', 21021: 'workno', 21023: 'workno', 60008: 'password' },
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
