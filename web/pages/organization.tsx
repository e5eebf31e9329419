import { Building2, ChevronRight, Plus } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { call, write } from '../api.ts'
import { Button } from '../parts/button.tsx'
import { TextField } from '../parts/field/field.tsx'
import { Form, useComplaint, useForm } from '../parts/field/form.tsx'
import { Trouble } from '../parts/page.tsx'
import { Door } from '../parts/shell/door.tsx'
import { Link, Navigate, useSearchParams } from '../parts/shell/router.ts'
import { Splash } from '../parts/shell/splash.tsx'
import { useRead } from '../read.ts'
import { usePerson, useSession } from '../session.tsx'
import { ownZone } from '../zones.ts'

// Loads lazily, because the field needs Fluent, which no other part of this page needs.
const ZoneField = lazy(() => import('../parts/zone-field.tsx'))

/**
 * The choice of a company. The page skips itself for a manager of a single company, unless the address contains
 * `choose`.
 */
export default function Organization() {
  const { t } = useTranslation('organization')
  const person = usePerson()
  const { moveTo } = useSession()
  const complain = useComplaint()
  const [search] = useSearchParams()
  const isManagement = person.type === 'management'
  const { data, error, readAgain } = useRead('company/list', isManagement ? {} : null)
  const [busy, setBusy] = useState<string>()
  if (!isManagement) return <Navigate to="/dashboard" replace />
  if (!data && !error) return <Splash />
  if (data?.list.length === 1 && !search.has('choose')) return <Navigate to="/dashboard" replace />
  const select = (id: string) => {
    setBusy(id)
    call('company/select', { id }).then(
      ({ token }) => moveTo(token),
      problem => {
        setBusy(undefined)
        complain(problem)
      },
    )
  }
  return (
    <Door title={t('title')}>
      <h1>{t('title')}</h1>
      <p>{t('text')}</p>
      {error && !data ? (
        <Trouble error={error} onRetry={readAgain} />
      ) : (
        <ul className="door-list">
          {data?.list.map(({ id, name, company_num }) => (
            <li key={id}>
              <button type="button" disabled={busy !== undefined} aria-busy={busy === id} onClick={() => select(id)}>
                <Building2 className="icon" aria-hidden="true" />
                <span>
                  <strong>{name}</strong>
                  <small className="muted">
                    {company_num}
                    {id === person.company.id && ` · ${t('here')}`}
                  </small>
                </span>
                <ChevronRight className="icon" aria-hidden="true" />
              </button>
            </li>
          ))}
        </ul>
      )}
      <p className="after">
        <Link className="button wide" to="/organization/new">
          <Plus className="icon" aria-hidden="true" />
          {t('add')}
        </Link>
      </p>
      <p className="after">
        <Link to="/dashboard">{t('back')}</Link>
      </p>
    </Door>
  )
}

/** Creates another company for the same person, with its own employees and data. */
export function NewOrganization() {
  const { t } = useTranslation(['organization', 'register'])
  const person = usePerson()
  const { moveTo } = useSession()
  const form = useForm({ company_name: '', timezone: ownZone() })
  if (person.type !== 'management') return <Navigate to="/dashboard" replace />
  const submit = () =>
    form.submit(async () => moveTo((await write('company/add', form.values)).token), {
      required: ['company_name'],
      fieldOf: { 60008: 'company_name' },
    })
  return (
    <Door title={t('new')}>
      <h1>{t('new')}</h1>
      <p>{t('newText')}</p>
      <Form form={form} onSubmit={submit}>
        <TextField
          label={t('register:organization')}
          autoComplete="organization"
          maxLength={100}
          autoFocus
          {...form.text('company_name', t('register:organizationEmpty'))}
        />
        <Suspense fallback={<TextField label={t('register:timezone')} disabled {...form.text('timezone')} />}>
          <ZoneField label={t('register:timezone')} {...form.text('timezone')} />
        </Suspense>
        <Button look="primary" type="submit" wide busy={form.busy}>
          {t('register:create')}
        </Button>
      </Form>
      <p className="after">
        <Link to="/organization?choose">{t('toList')}</Link>
      </p>
    </Door>
  )
}
