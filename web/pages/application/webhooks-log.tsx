import { ArrowLeft, Pencil, RotateCcw, Send, Webhook as WebhookIcon } from 'lucide-react'
import { type ReactNode, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { toldTypes as types } from '../../../shared/webhooks/event.ts'
import { write } from '../../api.ts'
import { useFormats } from '../../format.ts'
import { Button } from '../../parts/button.tsx'
import { Ago } from '../../parts/day/ago.tsx'
import { SelectField } from '../../parts/field/field.tsx'
import { useComplaint } from '../../parts/field/form.tsx'
import { Filters } from '../../parts/list/filters.tsx'
import type { ColumnOf } from '../../parts/list/grid/column.ts'
import { Grid } from '../../parts/list/grid.tsx'
import { Empty, Trouble } from '../../parts/page.tsx'
import { say } from '../../parts/say/toast.tsx'
import { Link, useSearchParams } from '../../parts/shell/router.ts'
import { Splash } from '../../parts/shell/splash.tsx'
import { refresh, useList, useRead } from '../../read.ts'
import { Address, EndpointState, Groups } from './webhooks.tsx'
import { DeliveryPanel } from './webhooks-delivery.tsx'
import { WebhookForm } from './webhooks-form.tsx'
import { ReplayQuestion } from './webhooks-replay.tsx'
import { useTest } from './webhooks-test.ts'
import { DeliveryState, type Endpoint, isState, states, useAnswer, useMoment } from './webhooks-words.tsx'

/** The state of an endpoint and its deliveries. */
export function WebhookLog({ id }: { id: string }) {
  const { t } = useTranslation('webhooks')
  const { data, error, readAgain } = useRead('webhooks/endpoint/grid', {})
  const endpoint = data?.list.find(row => row.id === id)
  const back = (
    <Link className="back" to="/system/Application">
      <ArrowLeft className="icon" aria-hidden="true" />
      {t('endpoint.all')}
    </Link>
  )
  if (!data) return error ? <Trouble error={error} onRetry={() => readAgain()} /> : <Splash inside />
  if (!endpoint)
    return (
      <>
        {back}
        <div className="card grid-empty">
          <Empty icon={<WebhookIcon />} title={t('endpoint.gone')}>
            {t('delete.text')}
          </Empty>
        </div>
      </>
    )
  return (
    <>
      {back}
      <Head endpoint={endpoint} />
      <Log endpoint={endpoint} />
    </>
  )
}

function Head({ endpoint }: { endpoint: Endpoint }) {
  const { t } = useTranslation('webhooks')
  const formats = useFormats()
  const test = useTest()
  const [isOpen, setOpen] = useState(false)
  const [isTesting, setTesting] = useState(false)
  const { id, disabled, failing, formerUntil, isOn } = endpoint
  const sendTest = async () => {
    setTesting(true)
    await test(id)
    setTesting(false)
  }
  return (
    <section className="card endpoint-head" aria-label={endpoint.url}>
      <header>
        <h2>
          <Address url={endpoint.url} />
        </h2>
        <EndpointState endpoint={endpoint} />
        <div className="actions">
          <Button icon={<Send className="icon" aria-hidden="true" />} busy={isTesting} onClick={sendTest}>
            {t('test')}
          </Button>
          <Button icon={<Pencil className="icon" aria-hidden="true" />} onClick={() => setOpen(true)}>
            {t('endpoint.change')}
          </Button>
        </div>
      </header>
      <Groups endpoint={endpoint} />
      {!isOn && (
        <OffNotice endpoint={endpoint}>
          {disabled ? (
            <>
              <strong>{t(`disabled.${disabled.because}`, { at: formats.dayAndTime(disabled.at) })}</strong>{' '}
              {t('disabled.then')}
            </>
          ) : (
            t('off')
          )}
        </OffNotice>
      )}
      {failing && (
        <p className="notice warn">
          {t('failing', { count: failing.failures, at: formats.dayAndTime(failing.since) })}
        </p>
      )}
      {formerUntil && <p className="notice">{t('former', { at: formats.dayAndTime(formerUntil) })}</p>}
      {isOpen && <WebhookForm endpoint={endpoint} onClose={() => setOpen(false)} />}
    </section>
  )
}

/** The reason why the endpoint is off, with a button that switches it on. */
function OffNotice({ endpoint, children }: { endpoint: Endpoint; children: ReactNode }) {
  const { t } = useTranslation('webhooks')
  const complain = useComplaint()
  const [busy, setBusy] = useState(false)
  const { id, url, events, version, disabled } = endpoint
  const switchOn = async () => {
    setBusy(true)
    try {
      await write('webhooks/endpoint/update', { id, url, events, version, isOn: true })
      say(t('switchedOn'))
    } catch (error) {
      complain(error)
    }
    refresh(['webhooks/endpoint'])
    setBusy(false)
  }
  return (
    <div className={disabled ? 'notice danger endpoint-off' : 'notice endpoint-off'}>
      <p>{children}</p>
      <Button busy={busy} onClick={switchOn}>
        {t('disabled.on')}
      </Button>
    </div>
  )
}

function Log({ endpoint }: { endpoint: Endpoint }) {
  const { t } = useTranslation('webhooks')
  const formats = useFormats()
  const answerOf = useAnswer()
  const moment = useMoment()
  const [search, setSearch] = useSearchParams()
  const [isAsking, setAsking] = useState(false)
  const stateParameter = search.get('state') ?? ''
  const state = isState(stateParameter) ? stateParameter : undefined
  const type = types.find(name => name === search.get('type'))
  const delivery = search.get('delivery')
  const { id } = endpoint
  const list = useList('webhooks/log/grid', { webhook: id, ...(state && { state }), ...(type && { type }) })
  const set = useMemo(
    () => (name: 'state' | 'type' | 'delivery', value: string | undefined) =>
      setSearch(
        previous => {
          const next = new URLSearchParams(previous)
          value ? next.set(name, value) : next.delete(name)
          return next
        },
        { replace: true },
      ),
    [setSearch],
  )
  const columns = useMemo<ColumnOf<'webhooks/log/grid'>[]>(
    () => [
      {
        key: 'type',
        title: t('log.type'),
        width: 'minmax(196px, 1.4fr)',
        cell: row => (
          <button type="button" className="row-title" onClick={() => set('delivery', row.id)}>
            {row.type}
          </button>
        ),
      },
      {
        key: 'about',
        title: t('log.about'),
        width: 'minmax(132px, 1fr)',
        cell: row => row.about,
      },
      {
        key: 'state',
        title: t('log.state'),
        width: 'minmax(132px, auto)',
        cell: row => <DeliveryState delivery={row} />,
      },
      {
        key: 'answer',
        title: t('log.answer'),
        width: 'minmax(180px, 1.8fr)',
        cell: row => {
          const last = row.attempts.at(-1)
          if (last) return answerOf(last)
          return <span className="muted">{t(row.state === 'due' ? 'sending' : 'panel.notSent')}</span>
        },
      },
      {
        key: 'duration',
        title: t('log.duration'),
        width: '96px',
        isNumber: true,
        isExtra: true,
        cell: row => {
          const last = row.attempts.at(-1)
          return last && t('milliseconds', { number: formats.number(last.milliseconds) })
        },
      },
      {
        key: 'next',
        title: t('log.next'),
        width: '120px',
        isExtra: true,
        cell: row => row.state === 'due' && row.attempts.length > 0 && row.nextAt && <Ago at={row.nextAt} />,
      },
      {
        key: 'tries',
        title: t('log.tries'),
        width: '88px',
        isNumber: true,
        isMinor: true,
        cell: row => formats.number(row.attempts.length),
      },
      {
        key: 'at',
        title: t('log.at'),
        width: '176px',
        cell: row => <span className="figure">{moment(row.toldAt)}</span>,
      },
    ],
    [t, formats, answerOf, moment, set],
  )
  return (
    <>
      <div className="application-head">
        <h2>
          {t('log.title')} <span className="muted">{t('log.note')}</span>
        </h2>
        <Filters names={['type', 'state']}>
          <SelectField
            label={t('log.type')}
            value={type ?? ''}
            onText={value => set('type', value || undefined)}
            options={[['', t('delivery.all')], ...types.map(name => [name, name] as const)]}
          />
          <SelectField
            label={t('log.state')}
            value={state ?? ''}
            onText={value => set('state', value || undefined)}
            options={[['', t('delivery.all')], ...states.map(name => [name, t(`delivery.${name}`)] as const)]}
          />
        </Filters>
        <Button
          icon={<RotateCcw className="icon" aria-hidden="true" />}
          disabled={!endpoint.isOn}
          onClick={() => setAsking(true)}
        >
          {t('replay.button')}
        </Button>
      </div>
      <Grid
        label={t('log.title')}
        columns={columns}
        list={list}
        rowKey={row => row.id}
        onOpen={row => set('delivery', row.id)}
        empty={
          state || type ? (
            <Empty icon={<Send />} title={[type, state && t(`delivery.${state}`)].filter(Boolean).join(' · ')}>
              {t('log.empty.filtered')}
            </Empty>
          ) : (
            <Empty icon={<Send />} title={t('log.empty.title')}>
              {t('log.empty.text')}
            </Empty>
          )
        }
      />
      {delivery && (
        <DeliveryPanel key={delivery} endpoint={endpoint} id={delivery} onClose={() => set('delivery', undefined)} />
      )}
      {isAsking && <ReplayQuestion endpoint={endpoint} onClose={() => setAsking(false)} />}
    </>
  )
}
