import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { eventsOfGroup, eventGroups as groups } from '../../../shared/webhooks/event.ts'
import { write } from '../../api.ts'
import { CheckField, SwitchField, TextField } from '../../parts/field/field.tsx'
import { useForm } from '../../parts/field/form.tsx'
import { FormPanel } from '../../parts/list/panel.tsx'
import { Ask } from '../../parts/say/ask.tsx'
import { DeleteQuestion } from '../../parts/say/delete-question.tsx'
import { say } from '../../parts/say/toast.tsx'
import { usePageNavigate } from '../../parts/shell/router.ts'
import { refresh, useRead } from '../../read.ts'
import { type NewSecret, WebhookSecret } from './webhooks-secret.tsx'
import type { Endpoint } from './webhooks-words.tsx'

const endpoints = ['webhooks/endpoint', 'webhooks/get'] as const

/** Creates or changes an endpoint, and shows a new secret only once. */
export function WebhookForm({ endpoint, onClose }: { endpoint?: Endpoint; onClose: () => void }) {
  const { t } = useTranslation(['webhooks', 'shell'])
  const navigate = usePageNavigate()
  const [shown, setShown] = useState<NewSecret>()
  const [isRotating, setRotating] = useState(false)
  const initial = {
    url: endpoint?.url ?? '',
    events: endpoint?.events ?? [...groups],
    isOn: endpoint?.isOn ?? true,
    secret: '',
  }
  const form = useForm(initial, endpoint)
  const { values, set } = form
  const { data: allEndpoints } = useRead('webhooks/endpoint/grid', {})
  const typed = URL.canParse(values.url.trim()) ? new URL(values.url.trim()).href : undefined
  const isTwice = allEndpoints?.list.some(({ id, url }) => id !== endpoint?.id && url === typed)
  const [isAsking, setAsking] = useState(false)
  const store = (isAsked: boolean) =>
    form.submit(
      async () => {
        const { secret, ...fields } = values
        if (form.from) {
          const { id, version } = form.from
          await write('webhooks/endpoint/update', { id, version, ...fields })
          say(t('shell:saved'))
          onClose()
        } else {
          const created = await write('webhooks/endpoint/add', { ...fields, ...(secret && { secret }) })
          setShown({ ...created, url: fields.url.trim() })
        }
        refresh(endpoints)
      },
      { required: ['url'], isAsked },
    )
  // An endpoint never receives the events of the time in which it is off. So the form asks first.
  const save = () => (endpoint?.isOn && !values.isOn ? setAsking(true) : void store(false))
  const remove = async () => {
    if (!endpoint) return
    await write('webhooks/endpoint/delete', { id: endpoint.id })
    say(t('delete.done'))
    navigate('/system/Application', { replace: true })
    refresh(endpoints)
  }
  if (shown) return <WebhookSecret secret={shown} isNew={!endpoint} onClose={onClose} />
  return (
    <FormPanel
      title={t(endpoint ? 'endpoint.edit' : 'endpoint.add')}
      form={form}
      save={t(endpoint ? 'shell:save' : 'endpoint.add')}
      onSave={save}
      onClose={onClose}
      extra={
        endpoint && (
          <DeleteQuestion
            title={t('delete.title', { url: new URL(endpoint.url).host })}
            text={t('delete.text')}
            onDelete={remove}
          />
        )
      }
    >
      <TextField
        label={t('url.label')}
        hint={t(isTwice ? 'url.twice' : 'url.hint')}
        placeholder="https://example.com/attendance"
        maxLength={2000}
        {...form.text('url')}
        error={form.codeOf('url') === 10002 ? t('url.wrong') : form.error('url')}
      />
      <fieldset className="groups-field">
        <legend>{t('events.legend')}</legend>
        {groups.map(group => (
          <CheckField
            key={group}
            checked={values.events.includes(group)}
            onCheck={isChecked =>
              set({ events: groups.filter(name => (name === group ? isChecked : values.events.includes(name))) })
            }
          >
            <strong>{t(`group.${group}.name`)}</strong>
            <span className="muted small">{t(`group.${group}.text`)}</span>
            <span className="event-names">
              {eventsOfGroup[group].map(event => (
                <code key={event}>{event}</code>
              ))}
            </span>
          </CheckField>
        ))}
        {values.events.length === 0 && <p className="notice">{t('events.noneText')}</p>}
      </fieldset>
      <hr />
      <SwitchField
        label={t('isOn.label')}
        hint={t('isOn.hint')}
        checked={values.isOn}
        onCheck={isOn => set({ isOn })}
      />
      {!endpoint && (
        <OwnSecret
          value={values.secret}
          error={form.error('secret') && t('secret.ownWrong')}
          onText={secret => set({ secret })}
        />
      )}
      {endpoint && (
        <div>
          <button type="button" className="link" onClick={() => setRotating(true)}>
            {t('rotate.button')}
          </button>
        </div>
      )}
      {isAsking && (
        <Ask
          title={t('switchOff.title', { url: endpoint?.url })}
          yes={t('switchOff.yes')}
          no={t('shell:cancel')}
          danger
          onYes={async () => {
            await store(true)
            setAsking(false)
          }}
          onNo={() => setAsking(false)}
        >
          {t('isOn.hint')}
        </Ask>
      )}
      {endpoint && isRotating && (
        <RotateQuestion endpoint={endpoint} onDone={setShown} onNo={() => setRotating(false)} />
      )}
    </FormPanel>
  )
}

function OwnSecret(props: { value: string; error: string | undefined; onText: (secret: string) => void }) {
  const { t } = useTranslation('webhooks')
  return (
    <TextField
      className="own-secret"
      label={t('secret.own')}
      optional
      hint={t('secret.ownHint')}
      autoComplete="off"
      maxLength={100}
      {...props}
    />
  )
}

function RotateQuestion(props: { endpoint: Endpoint; onDone: (secret: NewSecret) => void; onNo: () => void }) {
  const { t } = useTranslation(['webhooks', 'shell'])
  const form = useForm({ secret: '' })
  const { id, url, formerUntil } = props.endpoint
  const { secret } = form.values
  const rotate = () =>
    form.submit(
      async () => {
        const rotated = await write('webhooks/endpoint/rotate', { id, ...(secret && { secret }) })
        props.onDone({ id, url, ...rotated })
        refresh(endpoints)
      },
      { isAsked: true },
    )
  return (
    <Ask title={t('rotate.title')} yes={t('rotate.button')} no={t('shell:cancel')} onYes={rotate} onNo={props.onNo}>
      <div className="rotate">
        <p>{t('rotate.text')}</p>
        {formerUntil && <p className="notice warn">{t('rotate.again')}</p>}
        <OwnSecret
          value={secret}
          error={form.error('secret') && t('secret.ownWrong')}
          onText={secret => form.set({ secret })}
        />
      </div>
    </Ask>
  )
}
