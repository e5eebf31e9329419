import { ChevronRight, KeyRound } from 'lucide-react'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { isPermission } from '../../../shared/permissions.ts'
import { write } from '../../api.ts'
import { dayIn, useFormats } from '../../format.ts'
import { Code } from '../../parts/day/code.tsx'
import { CheckTree } from '../../parts/field/check-tree.tsx'
import { CopyField } from '../../parts/field/copy-field.tsx'
import { SelectField, SwitchField, TextField } from '../../parts/field/field.tsx'
import { useForm } from '../../parts/field/form.tsx'
import { SearchField, useSearch } from '../../parts/field/search-field.tsx'
import { SegmentField } from '../../parts/field/segment-field.tsx'
import { ShownOnce } from '../../parts/field/shown-once.tsx'
import { areAllFunctions, Functions, shownFunctions } from '../../parts/functions.tsx'
import { type DepartmentChoice, useDepartments } from '../../parts/list/departments.ts'
import { FormPanel } from '../../parts/list/panel.tsx'
import { Trouble } from '../../parts/page.tsx'
import { DeleteQuestion } from '../../parts/say/delete-question.tsx'
import { say } from '../../parts/say/toast.tsx'
import { Splash } from '../../parts/shell/splash.tsx'
import { type RowOf, refresh, useRead } from '../../read.ts'
import { ApplicationList } from './list.tsx'
import './apikey.css'

// API keys for the company's programs. The page shows a key only once, when it is created.

type ApiKey = RowOf<'apikey/grid'>

/** The most keys of a company, as on the server. */
const most = 20
const periods = ['30', '90', '365', '730'] as const

export function ApiKeys() {
  const { t } = useTranslation(['apikey', 'shell'])
  const { data, error, readAgain } = useRead('apikey/grid', { size: most })
  const { all: departments } = useDepartments()
  const [open, setOpen] = useState<{ key?: ApiKey }>()
  if (error && !data) return <Trouble error={error} onRetry={() => readAgain()} />
  if (!data) return <Splash inside />
  const { list } = data
  return (
    <>
      <ApplicationList
        list={list}
        most={most}
        label={t('list')}
        count={t('count', { count: list.length, most })}
        docs={{ part: 'record-since', text: t('docs') }}
        add={t('add')}
        onAdd={() => setOpen({})}
        empty={{ icon: <KeyRound />, title: t('empty.title'), text: t('empty.text') }}
        row={key => (
          <button type="button" className="api-key" onClick={() => setOpen({ key })}>
            <span className="endpoint-what">
              <span className="api-key-name">
                <strong>{key.name}</strong>
                <code className="muted">{key.start}…</code>
              </span>
              <KeyPermissions of={key} />
            </span>
            <State of={key} />
            <ChevronRight className="icon" aria-hidden="true" />
          </button>
        )}
      />
      {open && departments && (
        <KeyForm
          key={open.key?.id ?? 'new'}
          departments={departments}
          onClose={() => setOpen(undefined)}
          {...(open.key && { apiKey: open.key })}
        />
      )}
    </>
  )
}

function KeyPermissions({ of }: { of: ApiKey }) {
  const { t } = useTranslation(['apikey', 'role'])
  const granted = shownFunctions.filter(number => of.permissions.includes(number))
  return (
    <span className="groups">
      <span className="tag">{t(of.canWrite ? 'canWrite.on' : 'canWrite.off')}</span>
      {areAllFunctions(granted) ? (
        <span className="tag">{t('role:functions.all')}</span>
      ) : (
        granted.map(number => (
          <span key={number} className="tag">
            {t(`role:function.${number as 1}.name`)}
          </span>
        ))
      )}
      <span className="tag">
        {of.departments ? t('role:departments.count', { count: of.departments.length }) : t('role:reach.all')}
      </span>
    </span>
  )
}

function State({ of: { endsAt, usedAt, isMakerGone } }: { of: ApiKey }) {
  const { t } = useTranslation('apikey')
  const formats = useFormats()
  const day = formats.day(dayIn(formats.timezone, new Date(endsAt)))
  const isOver = Date.parse(endsAt) <= Date.now()
  return (
    <span className="endpoint-state">
      <span className={isOver ? 'tag danger' : 'tag'}>{t(isOver ? 'ended' : 'ends', { day })}</span>
      {isMakerGone && <span className="tag warn">{t('makerGone.tag')}</span>}
      <span className="muted small">{usedAt ? t('used', { ago: formats.ago(usedAt) }) : t('unused')}</span>
    </span>
  )
}

function KeyForm(props: { apiKey?: ApiKey; departments: readonly DepartmentChoice[]; onClose: () => void }) {
  const { t } = useTranslation(['apikey', 'role', 'shell'])
  const formats = useFormats()
  const { apiKey, departments, onClose } = props
  const [shown, setShown] = useState<{ name: string; secret: string }>()
  const initial = {
    name: apiKey?.name ?? '',
    permissions: apiKey?.permissions.filter(isPermission) ?? [],
    canWrite: apiKey?.canWrite ?? false,
    reach: apiKey?.departments ? 'some' : 'all',
    departments: apiKey?.departments ?? [],
    days: '365',
  }
  const form = useForm(initial, apiKey)
  const { values, set } = form
  const chosen = useMemo(() => new Set(values.departments), [values.departments])
  const search = useSearch()
  const isLimited = values.reach === 'some'
  const save = () =>
    form.submit(
      async () => {
        const { name, permissions, canWrite, days } = values
        const rights = { name, permissions, canWrite, ...(isLimited && { departments: values.departments }) }
        if (form.from) {
          await write('apikey/update', { id: form.from.id, version: form.from.version, ...rights })
          say(t('shell:saved'))
          onClose()
        } else {
          const { key: secret } = await write('apikey/add', { ...rights, days: Number(days) })
          setShown({ name, secret })
        }
        refresh(['apikey/'])
      },
      {
        required: ['name'],
        wrong: {
          permissions: values.permissions.length === 0 && 60001,
          departments: isLimited && values.departments.length === 0 && 60001,
        },
      },
    )
  const remove = async () => {
    if (!apiKey) return
    await write('apikey/delete', { id: apiKey.id })
    say(t('delete.done'))
    refresh(['apikey/'])
    onClose()
  }
  if (shown) return <NewKey {...shown} onClose={onClose} />
  return (
    <FormPanel
      title={t(apiKey ? 'edit' : 'add')}
      wide
      form={form}
      save={t(apiKey ? 'shell:save' : 'add')}
      onSave={save}
      onClose={onClose}
      extra={
        apiKey && (
          <DeleteQuestion title={t('delete.title', { name: apiKey.name })} text={t('delete.text')} onDelete={remove} />
        )
      }
    >
      <TextField
        label={t('name.label')}
        hint={t('name.hint')}
        placeholder={t('name.example')}
        maxLength={60}
        {...form.text('name')}
      />
      {apiKey ? (
        <>
          <p className="muted">
            {t('start')} <code>{apiKey.start}</code>.{' '}
            {t('made', { name: apiKey.createdBy, day: formats.dayAndTime(apiKey.createdAt) })}
          </p>
          {apiKey.isMakerGone && <p className="notice warn">{t('makerGone.text', { name: apiKey.createdBy })}</p>}
        </>
      ) : (
        <SelectField
          label={t('days.label')}
          value={values.days}
          onText={days => set({ days })}
          options={periods.map(days => [days, t(`days.${days}`)] as const)}
        />
      )}
      <hr />
      <section className="role-part" aria-label={t('role:functions.title')}>
        <h3>{t('role:functions.title')}</h3>
        <p className="muted small">{t('functions.text')}</p>
        <SwitchField
          label={t('canWrite.label')}
          hint={t('canWrite.hint')}
          checked={values.canWrite}
          onCheck={canWrite => set({ canWrite })}
        />
        <Functions
          granted={values.permissions}
          hints={{
            ...(!values.canWrite && t('functions.reads', { returnObjects: true })),
            10: t('functions.approvals'),
          }}
          onChange={granted => set({ permissions: granted.filter(isPermission) })}
        />
        {form.error('permissions') && (
          <p className="error-line" role="alert">
            {t('permissions.none')}
          </p>
        )}
      </section>
      <hr />
      <section className="role-part" aria-label={t('role:departments.title')}>
        <SegmentField
          label={t('role:departments.title')}
          value={values.reach}
          onText={reach => set({ reach })}
          options={[
            ['all', t('departments.all')],
            ['some', t('departments.some')],
          ]}
        />
        <p className="muted small">{t(isLimited ? 'departments.text' : 'departments.allHint')}</p>
        {isLimited && (
          <>
            <SearchField hint={t('role:departments.search')} {...search.field} />
            <div className="card">
              <CheckTree
                label={t('role:departments.title')}
                departments={departments}
                chosen={chosen}
                search={search.field.value}
                onChange={next => set({ departments: [...next] })}
              />
            </div>
          </>
        )}
        {form.error('departments') && (
          <p className="error-line" role="alert">
            {t('departments.none')}
          </p>
        )}
      </section>
    </FormPanel>
  )
}

function NewKey({ name, secret, onClose }: { name: string; secret: string; onClose: () => void }) {
  const { t } = useTranslation('apikey')
  const call = `curl ${location.origin}/api/company/get -H 'Authorization: Bearer ${secret}' --json '{}'`
  return (
    <ShownOnce words={{ ...t('shown', { returnObjects: true }), title: t('shown.title', { name }) }} onClose={onClose}>
      <CopyField label={t('shown.label')} value={secret} />
      <section className="verify">
        <h3>{t('shown.try')}</h3>
        <p className="muted">{t('shown.tryText')}</p>
        <Code label={t('shown.try')} text={call} />
      </section>
    </ShownOnce>
  )
}
