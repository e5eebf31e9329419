import { Printer } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { Trans, useTranslation } from 'react-i18next'
import { call, isFault, type PathOutput, write } from '../api.ts'
import { useFormats } from '../format.ts'
import { useMayOpen } from '../menu.ts'
import { Button } from '../parts/button.tsx'
import { useSentence } from '../parts/field/form.tsx'
import { QrCode } from '../parts/field/qr-code.tsx'
import { Trouble } from '../parts/page.tsx'
import { Mark } from '../parts/shell/brand.tsx'
import { Link, Navigate, useSearchParams } from '../parts/shell/router.ts'
import { fullName } from '../person-name.ts'
import { usePerson } from '../session.tsx'
import './print.css'

type Invitation = PathOutput<'employee/qrcode'>

/** The company's invitation as a poster. An employee scans it and asks to join. */
export const PrintGlobal = () => <Print ids={[undefined]} />

/** Invitations of single employees, one sheet each: `/printUser?id=…&id=…`. */
export function PrintUser() {
  const [search] = useSearchParams()
  return <Print ids={[...new Set(search.getAll('id'))]} />
}

/** A person who gets no invitation, and the code of the reason. */
interface LeftOut {
  id: string
  name: string | undefined
  code: number
}
type Made = { invitation: Invitation } | { leftOut: LeftOut }

/** Reasons that concern the whole page: an ended session, too many requests, or a fault. */
const wholeCodes: readonly unknown[] = [101, 502, 60008, 60011, 60018, 'network']

const readName = (id: string) => call('employee/get', { id }).then(fullName, () => undefined)

/** Creates one invitation. A refusal of one person must not hold up the others. */
const invite = async (id: string | undefined): Promise<Made> => {
  try {
    return { invitation: await write('employee/qrcode', id === undefined ? {} : { id }) }
  } catch (error) {
    if (id === undefined || !isFault(error) || typeof error.code !== 'number' || wholeCodes.includes(error.code))
      throw error
    return { leftOut: { id, name: await readName(id), code: error.code } }
  }
}

function Print({ ids }: { ids: readonly (string | undefined)[] }) {
  const { t } = useTranslation('print')
  const person = usePerson()
  const [made, setMade] = useState<Made[]>()
  const [error, setError] = useState<unknown>()
  const hasBegun = useRef(false)
  /** The invitations so far. A retry creates only the others. */
  const known = useRef(new Map<string | undefined, Made>())
  // Each call creates an invitation, so the page calls only once, even if React repeats the effect.
  const createInvitations = async () => {
    setError(undefined)
    const due = ids.filter(id => !known.current.has(id))
    const results = await Promise.allSettled(due.map(async id => known.current.set(id, await invite(id))))
    const failure = results.find(({ status }) => status === 'rejected')
    if (failure?.status === 'rejected') setError(failure.reason)
    else setMade(ids.flatMap(id => known.current.get(id) ?? []))
  }
  // Only a manager of the whole company may print its invitation.
  const isAllowed = useMayOpen()('/employee') && (person.managesAll || !ids.includes(undefined))
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each page.
  useEffect(() => {
    document.title = `${t('title')} · ${person.company.name}`
    if (hasBegun.current || !isAllowed) return
    hasBegun.current = true
    void createInvitations()
  }, [])
  if (!isAllowed || ids.length === 0) return <Navigate to="/404" replace />
  const invitations = made?.flatMap(one => ('invitation' in one ? [one.invitation] : []))
  const leftOut = made?.flatMap(one => ('leftOut' in one ? [one.leftOut] : [])) ?? []
  return (
    <div className="print">
      <header className="print-head">
        <Link to="/employee">{t('back')}</Link>
        <Button
          look="primary"
          icon={<Printer className="icon" />}
          disabled={!invitations?.length}
          onClick={() => window.print()}
        >
          {t('print')}
        </Button>
      </header>
      <main id="page">
        {!invitations?.length && <h1 className="unseen">{t('title')}</h1>}
        {error ? <Trouble error={error} onRetry={() => void createInvitations()} /> : null}
        {!invitations && !error && (
          <p className="print-waiting" role="status" aria-busy="true">
            {t('waiting')}
          </p>
        )}
        {leftOut.length > 0 && <LeftOutNotice leftOut={leftOut} />}
        {invitations?.map(invitation => (
          <Sheet key={invitation.url} invitation={invitation} />
        ))}
      </main>
    </div>
  )
}

/** The people without a sheet, with the reasons. The notice itself is not printed. */
function LeftOutNotice({ leftOut }: { leftOut: readonly LeftOut[] }) {
  const { t } = useTranslation('print')
  const sentence = useSentence()
  return (
    <section className="notice warn print-left-out" aria-label={t('leftOut.label')}>
      <div>
        <p>{t('leftOut.title', { count: leftOut.length })}</p>
        <ul>
          {leftOut.map(({ id, name, code }) => (
            <li key={id}>
              <strong>{name ?? t('leftOut.unknown')}</strong> · {sentence(code)}
            </li>
          ))}
        </ul>
      </div>
    </section>
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
