import { Plus } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { write } from '../../api.ts'
import { useFormats } from '../../format.ts'
import { AccountCard, type Entry, useSignedAmount } from '../../parts/account/account.tsx'
import { Button } from '../../parts/button.tsx'
import { DayField } from '../../parts/field/day-field.tsx'
import { SelectField, TextField } from '../../parts/field/field.tsx'
import { useForm } from '../../parts/field/form.tsx'
import { readSignedHours } from '../../parts/field/read-hours.ts'
import { FormPanel } from '../../parts/list/panel.tsx'
import { Trouble } from '../../parts/page.tsx'
import { Ask } from '../../parts/say/ask.tsx'
import { say } from '../../parts/say/toast.tsx'
import { Splash } from '../../parts/shell/splash.tsx'
import { refresh, useRead } from '../../read.ts'
import { type Got, useRights } from './tabs.ts'

/** The time account of a person, and the entries that a manager may make. */
export function PersonAccount({ person }: { person: Got }) {
  const { t } = useTranslation('time-account')
  const { mayApprove } = useRights()
  const { data, error, readAgain } = useRead('leave/account/get', { employee: person.id })
  const [isAdding, setAdding] = useState(false)
  const [countering, setCountering] = useState<Entry>()
  const mayEnter = mayApprove && !person.isDeleted
  if (!data) return error ? <Trouble error={error} onRetry={() => void readAgain()} /> : <Splash inside />
  const { account } = data
  const add = mayEnter && (
    <Button icon={<Plus className="icon" />} onClick={() => setAdding(true)}>
      {t(account ? 'add' : 'open')}
    </Button>
  )
  return (
    <>
      {account ? (
        <AccountCard account={account} actions={add} onCounter={mayEnter ? setCountering : undefined} />
      ) : (
        <section className="card time-account" aria-label={t('title')}>
          <header>
            <h2>{t('title')}</h2>
            {add}
          </header>
          <p className="muted">{t('none')}</p>
        </section>
      )}
      {isAdding && (
        <EntryForm
          person={person}
          isOpening={!account}
          {...(account && { least: account.since })}
          onClose={() => setAdding(false)}
        />
      )}
      {countering && <CounterAsk person={person} entry={countering} onClose={() => setCountering(undefined)} />}
    </>
  )
}

const kinds = ['adjustment', 'payout'] as const
type Kind = (typeof kinds)[number]

function EntryForm(props: { person: Got; isOpening: boolean; least?: string; onClose: () => void }) {
  const { t } = useTranslation(['time-account', 'shell'])
  const formats = useFormats()
  const { person, isOpening, onClose } = props
  const today = formats.today()
  const [start] = useState({
    kind: 'adjustment' as Kind,
    day: isOpening ? `${today.slice(0, 7)}-01` : today,
    ...{ minutes: isOpening ? '0' : '', reason: '' },
  })
  const form = useForm(start)
  const { values, set } = form
  const minutes = readSignedHours(values.minutes)
  const save = () =>
    form.submit(
      async () => {
        const kind = isOpening ? ('opening' as const) : values.kind
        const entry = { employee: person.id, kind, day: values.day, minutes, reason: values.reason }
        await write('leave/account/entry/add', entry)
        say(t('shell:saved'))
        refresh(['leave/account'])
        onClose()
      },
      { required: ['day', 'minutes', 'reason'], wrong: { minutes: Number.isNaN(minutes) && 10002 } },
    )
  return (
    <FormPanel
      title={t(isOpening ? 'open' : 'add')}
      form={form}
      save={t(isOpening ? 'open' : 'add')}
      onSave={save}
      onClose={onClose}
    >
      {!isOpening && (
        <SelectField
          label={t('kind.label')}
          value={values.kind}
          onText={kind => set({ kind: kinds.find(name => name === kind) ?? 'adjustment' })}
          options={kinds.map(kind => [kind, t(`kind.${kind}`)] as const)}
        />
      )}
      <DayField
        label={t(isOpening ? 'firstDay' : 'day')}
        value={values.day}
        onText={day => set({ day })}
        most={today}
        {...(props.least && { least: props.least })}
        error={form.error('day')}
      />
      <TextField
        label={t(isOpening ? 'kind.opening' : 'hours')}
        hint={t(values.kind === 'payout' && !isOpening ? 'payoutHint' : 'hoursHint')}
        maxLength={8}
        {...form.text('minutes')}
        error={form.error('minutes') && t('hoursWrong')}
      />
      <TextField label={t('reason')} maxLength={200} lines={3} {...form.text('reason')} />
    </FormPanel>
  )
}

/** Asks for the reason, and takes the entry back with an opposite one. */
function CounterAsk({ person, entry, onClose }: { person: Got; entry: Entry; onClose: () => void }) {
  const { t } = useTranslation(['time-account', 'shell'])
  const amount = useSignedAmount()
  const [reason, setReason] = useState('')
  const counter = async () => {
    await write('leave/account/entry/counter', { employee: person.id, id: entry.id, reason })
    say(t('shell:saved'))
    refresh(['leave/account'])
    onClose()
  }
  return (
    <Ask
      title={t('counter.title')}
      yes={t('counter.yes')}
      no={t('shell:cancel')}
      waits={reason.trim() === ''}
      onYes={counter}
      onNo={onClose}
    >
      <p>{t(entry.kind === 'opening' ? 'counter.opening' : 'counter.text', { time: amount(-entry.minutes, true) })}</p>
      <TextField label={t('reason')} maxLength={200} value={reason} onText={setReason} />
    </Ask>
  )
}
