import { ChevronRight, Inbox, MessageSquare } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { usableDays } from '../../shared/leave/total.ts'
import { useFormats } from '../format.ts'
import { OwnAccount } from '../parts/account/own.tsx'
import { useAddress } from '../parts/field/address.ts'
import { SelectField } from '../parts/field/field.tsx'
import { Filters } from '../parts/list/filters.tsx'
import { ListEnd } from '../parts/list/list-end.tsx'
import { Empty, Page, Trouble } from '../parts/page.tsx'
import { type Ask, askOf, withoutAsk } from '../parts/request/ask.ts'
import { CarriedEnd } from '../parts/request/carried-end.tsx'
import { HasAttachments } from '../parts/request/details.tsx'
import { type Request, RequestIcon, RequestStatus, useRequestWords } from '../parts/request/words.tsx'
import { AskLinks } from '../parts/say/ask-links.tsx'
import { useList, useRead } from '../read.ts'
import { RequestForm } from './request/form.tsx'
import { RequestPanel } from './request/panel.tsx'

const types = [1, 2, 3] as const
const statuses = [0, 1, 2, 3] as const

/** The employee's own requests. The address can open a form or a request, so any page can link to one. */
export default function RequestPage() {
  const { t } = useTranslation(['request', 'approve'])
  const formats = useFormats()
  const { address: search, set } = useAddress()
  const type = types.find(type => String(type) === search.get('type'))
  const status = statuses.find(status => String(status) === search.get('status'))
  const when = search.get('when') ?? ''
  const today = formats.today()
  const year = today.slice(0, 4)
  const range =
    when === 'coming' ? { from: today } : when === 'year' ? { from: `${year}-01-01`, to: `${year}-12-31` } : {}
  const list = useList('personal/request/grid', {
    ...range,
    ...(type !== undefined && { type }),
    ...(status !== undefined && { status }),
  })
  const { rows, error } = list
  // The page removes the form from the address at once, so that going back does not reopen a sent form.
  const [ask, setAsk] = useState<Ask>()
  useEffect(() => {
    const wanted = askOf(search)
    if (!wanted) return
    setAsk(wanted)
    set(withoutAsk)
  }, [search, set])
  const id = search.get('id') ?? undefined
  // Closing a request in any way moves the focus back to its row.
  const opened = useRef<string>(undefined)
  useEffect(() => {
    if (id === undefined && opened.current !== undefined)
      document.querySelector<HTMLElement>(`[data-id="${opened.current}"]`)?.focus({ preventScroll: true })
    opened.current = id
  }, [id])
  const isFiltered = type !== undefined || status !== undefined || when !== ''
  return (
    <Page title={t('title')} className="requests">
      <AskLinks />
      <RemainingLeave year={formats.leaveYearOf(today)} />
      <OwnAccount />
      <Filters names={['type', 'status', 'when']}>
        <SelectField
          label={t('approve:type.label')}
          value={type === undefined ? '' : String(type)}
          onText={value => set({ type: value || undefined })}
          options={[
            ['', t('approve:type.all')],
            ...types.map(type => [String(type), t(`approve:type.${type}`)] as const),
          ]}
        />
        <SelectField
          label={t('approve:status.label')}
          value={status === undefined ? '' : String(status)}
          onText={value => set({ status: value || undefined })}
          options={[
            ['', t('anyStatus')],
            ...statuses.map(status => [String(status), t(`approve:status.${status}`)] as const),
          ]}
        />
        <SelectField
          label={t('when.label')}
          value={when}
          onText={value => set({ when: value || undefined })}
          options={[
            ['', t('when.all')],
            ['coming', t('when.coming')],
            ['year', t('when.year')],
          ]}
        />
      </Filters>
      {error && !rows ? (
        <Trouble error={error} onRetry={list.readAgain} />
      ) : rows?.length === 0 && !list.hasMore ? (
        <div className="card">
          <Empty icon={<Inbox />} title={t('empty.title')}>
            {t(isFiltered ? 'empty.filtered' : 'empty.text')}
          </Empty>
        </div>
      ) : (
        <ul className="card request-list" aria-label={t('title')} aria-busy={!rows}>
          {rows
            ? rows.map(request => (
                <li key={request.id}>
                  <Row request={request} onOpen={() => set({ id: request.id }, true)} />
                </li>
              ))
            : [1, 2, 3].map(line => (
                <li key={line} className="waiting">
                  <span className="skeleton" style={{ width: `${90 - line * 6}%`, height: 14 }} />
                </li>
              ))}
          <ListEnd list={list} />
        </ul>
      )}
      {ask ? (
        <RequestForm ask={ask} onClose={() => setAsk(undefined)} />
      ) : (
        id && <RequestPanel id={id} onClose={() => set({ id: undefined })} />
      )}
    </Page>
  )
}

/** The remaining leave, for the types with a limit. */
function RemainingLeave({ year }: { year: number }) {
  const { t } = useTranslation('request')
  const words = useRequestWords()
  const formats = useFormats()
  const { data } = useRead('personal/report/leave', { year })
  const limited = (data?.balances ?? []).flatMap(({ limit, ...balance }) => (limit ? [{ ...balance, limit }] : []))
  if (limited.length === 0) return null
  return (
    <section className="card leave-left">
      <h2>{t('left.title', { year: formats.leaveYear(year) })}</h2>
      <ul>
        {limited.map(({ leaveType, plannedDays, limit }) => {
          const totalDays = usableDays(limit)
          return (
            <li key={leaveType}>
              <span>{words.leaveType(leaveType)}</span>
              <span className="bar" aria-hidden="true">
                <span
                  style={{
                    width: `${totalDays > 0 ? Math.max(0, Math.min(100, (limit.leftDays / totalDays) * 100)) : 0}%`,
                  }}
                />
              </span>
              <strong className={limit.leftDays < 0 ? 'figure over' : 'figure'}>
                {formats.number(limit.leftDays)} <small>{t('left.left')}</small>
              </strong>
              <small className="muted">
                {t('left.of', { days: words.days(totalDays) })}
                {plannedDays > 0 && ` · ${t('left.planned', { days: words.days(plannedDays) })}`}
              </small>
              <CarriedEnd limit={limit} />
            </li>
          )
        })}
      </ul>
    </section>
  )
}

function Row({ request, onOpen }: { request: Request; onOpen: () => void }) {
  const { t } = useTranslation('request')
  const words = useRequestWords()
  const { id, type, status, total, notes, enteredBy, commentCount, attachmentCount } = request
  return (
    <button type="button" className="request-row" data-id={id} onClick={onOpen}>
      <RequestIcon type={type} />
      <span className="what">
        <strong>{words.what(request)}</strong>
        <span>
          {words.when(request)}
          {total && <span className="muted part"> · {words.days(total.days)}</span>}
        </span>
        {enteredBy !== undefined && <span className="muted small">{t('details.entered', { name: enteredBy })}</span>}
        {notes && <span className="muted small">{notes}</span>}
      </span>
      <span className="end">
        <RequestStatus status={status} />
        <span className="counts">
          {commentCount > 0 && (
            <span className="muted request-count">
              <MessageSquare className="icon" aria-hidden="true" />
              <span className="unseen">{t('details.comments')}: </span>
              {commentCount}
            </span>
          )}
          <HasAttachments count={attachmentCount} />
        </span>
      </span>
      <ChevronRight className="icon muted" aria-hidden="true" />
    </button>
  )
}
