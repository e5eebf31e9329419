import { Printer } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { Trans, useTranslation } from 'react-i18next'
import { type PathOutput, write } from '../api.ts'
import { useFormats } from '../format.ts'
import { useMayOpen } from '../menu.ts'
import { Button } from '../parts/button.tsx'
import { QrCode } from '../parts/field/qr-code.tsx'
import { Trouble } from '../parts/page.tsx'
import { Mark } from '../parts/shell/brand.tsx'
import { Link, Navigate, useSearchParams } from '../parts/shell/router.ts'
import { usePerson } from '../session.tsx'
import './print.css'

type Invitation = PathOutput<'employee/qrcode'>

/** The company's invitation as a poster. An employee scans it and asks to join. */
export const PrintGlobal = () => <Print ids={[undefined]} />

/** Invitations of single employees, one sheet each: `/printUser?id=…&id=…`. */
export function PrintUser() {
  const [search] = useSearchParams()
  return <Print ids={search.getAll('id')} />
}

function Print({ ids }: { ids: readonly (string | undefined)[] }) {
  const { t } = useTranslation('print')
  const person = usePerson()
  const [invitations, setInvitations] = useState<Invitation[]>()
  const [error, setError] = useState<unknown>()
  const hasBegun = useRef(false)
  // Each call creates an invitation, so the page calls only once, even if React repeats the effect.
  const createInvitations = () => {
    setError(undefined)
    Promise.all(ids.map(id => write('employee/qrcode', id === undefined ? {} : { id }))).then(setInvitations, setError)
  }
  // Only a manager of the whole company may print its invitation.
  const isAllowed = useMayOpen()('/employee') && (person.managesAll || !ids.includes(undefined))
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each page.
  useEffect(() => {
    document.title = `${t('title')} · ${person.company.name}`
    if (hasBegun.current || !isAllowed) return
    hasBegun.current = true
    createInvitations()
  }, [])
  if (!isAllowed || ids.length === 0) return <Navigate to="/404" replace />
  return (
    <div className="print">
      <header className="print-head">
        <Link to="/employee">{t('back')}</Link>
        <Button
          look="primary"
          icon={<Printer className="icon" />}
          disabled={!invitations}
          onClick={() => window.print()}
        >
          {t('print')}
        </Button>
      </header>
      <main id="page">
        {!invitations && <h1 className="unseen">{t('title')}</h1>}
        {error ? <Trouble error={error} onRetry={createInvitations} /> : null}
        {!invitations && !error && (
          <p className="print-waiting" role="status" aria-busy="true">
            {t('waiting')}
          </p>
        )}
        {invitations?.map(invitation => (
          <Sheet key={invitation.url} invitation={invitation} />
        ))}
      </main>
    </div>
  )
}

function Sheet({ invitation }: { invitation: Invitation }) {
  const { t } = useTranslation('print')
  const formats = useFormats()
  const { name, company_name, url, expiresAt } = invitation
  const isPersonal = name !== undefined
  return (
    <article className="print-sheet">
      <p className="print-brand">
        <Mark size={28} /> {company_name}
      </p>
      <h1>{t(isPersonal ? 'headingPersonal' : 'heading', { name, company: company_name })}</h1>
      <QrCode text={url} label={t('qr', { company: company_name })} />
      <ol>
        <li>{t('step1')}</li>
        <li>{t(isPersonal ? 'step2Personal' : 'step2')}</li>
        <li>{t(isPersonal ? 'step3Personal' : 'step3')}</li>
      </ol>
      <p className="print-end">
        <Trans
          t={t}
          i18nKey={isPersonal ? 'untilPersonal' : 'until'}
          values={{ day: formats.dayAndTime(expiresAt) }}
          components={{ day: <strong /> }}
        />
      </p>
    </article>
  )
}
