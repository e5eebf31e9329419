import { lazy, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { call, type PathOutput } from '../../api.ts'
import { Button } from '../../parts/button.tsx'
import { PasswordField, TextField } from '../../parts/field/field.tsx'
import { Form, useForm } from '../../parts/field/form.tsx'
import { Door } from '../../parts/shell/door.tsx'
import { Link, Navigate, useSearchParams } from '../../parts/shell/router.ts'
import { useSession } from '../../session.tsx'
import { forgetEmployee, readRemembered, remember } from './remembered.ts'

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
  const redirect: 0 | 1 = from ? 1 : 0
  return {
    redirect,
    enter: ({ token, redirect, company_id }: PathOutput<'user/login'>) => {
      if (redirect === 1 && from) location.assign(`${from}/login/sign?${new URLSearchParams({ token, company_id })}`)
      else signIn(token)
    },
  }
}

/** Only the local stack builds a site with the sign-ins of its demo company. */
const DemoSignIns = import.meta.env.VITE_DEMO === 'on' ? lazy(() => import('./demo.tsx')) : undefined

export default function Login({ side }: { side: 'management' | 'user' }) {
  const { t } = useTranslation('login')
  const { person } = useSession()
  const { redirect, enter } = useEntry()
  const [search] = useSearchParams()
  // The requested page may belong to the other side, so the guard may replace it by the dashboard.
  if (person) return <Navigate to={backTo(search.get('redirect'))} replace state={{ isAfterSignIn: true }} />
  const query = search.size > 0 ? `?${search}` : ''
  if (side === 'management' && readRemembered().side === 'user')
    return <Navigate to={`/login/employee${query}`} replace />
  return (
    <Door title={t('title')}>
      <h1>{t('title')}</h1>
      <p>{t(side === 'management' ? 'adminText' : 'employeeText')}</p>
      <nav className="segments" aria-label={t('side')}>
        <Link
          to={`/login${query}`}
          aria-current={side === 'management' ? 'page' : undefined}
          onClick={() => remember({ side: 'management' })}
        >
          {t('admin')}
        </Link>
        <Link
          to={`/login/employee${query}`}
          aria-current={side === 'user' ? 'page' : undefined}
          onClick={() => remember({ side: 'user' })}
        >
          {t('employee')}
        </Link>
      </nav>
      {side === 'management' ? <AdminForm /> : <EmployeeForm />}
      {side === 'management' && (
        <p className="after">
          {t('new')} <Link to="/register">{t('register')}</Link>
        </p>
      )}
      {DemoSignIns && (
        <Suspense>
          <DemoSignIns redirect={redirect} onEnter={enter} />
        </Suspense>
      )}
    </Door>
  )
}

function AdminForm() {
  const { t } = useTranslation('login')
  const { redirect, enter } = useEntry()
  const form = useForm({ email: '', password: '' })
  const submit = () =>
    form.submit(
      async () => {
        const entry = await call('user/login', { ...form.values, redirect })
        remember({ side: 'management' })
        enter(entry)
      },
      {
        fieldOf: {
          21001: 'email',
          21002: 'email',
          21011: 'password',
          21014: 'password',
          21021: 'email',
          21023: 'email',
          60008: 'password',
        },
      },
    )
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
  const [known, setKnown] = useState(() => (search.has('code') ? {} : readRemembered()))
  const form = useForm({
    code: search.get('code') ?? known.code ?? '',
    workno: search.get('workno') ?? known.workno ?? '',
    password: '',
  })
  const { code, workno } = form.values
  const forget = () => {
    forgetEmployee()
    setKnown({})
    form.set({ code: '', workno: '' })
  }
  const submit = () =>
    form.submit(
      async () => {
        const entry = await call('personal/login', { ...form.values, redirect })
        remember({ side: 'user', code, workno })
        enter(entry)
      },
      {
        required: ['code', 'workno', 'password'],
        fieldOf: { 21011: 'password', 21014: 'password', 21021: 'workno', 21023: 'workno', 60008: 'password' },
      },
    )
  return (
    <Form form={form} onSubmit={submit}>
      {known.code ? (
        <div className="door-company">
          <p>
            <span className="small muted">{t('companyId')}</span>
            <strong className="figure">{known.code}</strong>
            <span className="small muted">{t('remembered')}</span>
          </p>
          <button type="button" className="link" aria-label={t('changeLabel')} onClick={forget}>
            {t('change')}
          </button>
        </div>
      ) : (
        <TextField
          label={t('companyId')}
          hint={t('companyIdHint')}
          inputMode="numeric"
          autoComplete="organization"
          {...form.text('code')}
        />
      )}
      <TextField label={t('employeeId')} inputMode="numeric" autoComplete="username" {...form.text('workno')} />
      <PasswordField label={t('password')} autoComplete="current-password" {...form.text('password')} />
      <p className="aside small">
        <Link to="/forget/email">{t('forgot')}</Link>
        <Link to="/login/link">{t('byLink')}</Link>
      </p>
      <Button look="primary" type="submit" wide busy={form.busy}>
        {t('signIn')}
      </Button>
      <p className="small muted">{t('forgotNone')}</p>
    </Form>
  )
}
