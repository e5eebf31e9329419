import { Mail, Plus } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { type FileColumnName, type ReportView, reportTypes, reportViews } from '../../../shared/report/column.ts'
import { write } from '../../api.ts'
import { useFormats } from '../../format.ts'
import { Button } from '../../parts/button.tsx'
import { CheckField, SelectField, TextField } from '../../parts/field/field.tsx'
import { useComplaint, useForm } from '../../parts/field/form.tsx'
import { SegmentField } from '../../parts/field/segment-field.tsx'
import { TimeField } from '../../parts/field/time-field.tsx'
import { DepartmentFilter } from '../../parts/list/department-filter.tsx'
import { ListEnd } from '../../parts/list/list-end.tsx'
import { FormPanel, Panel } from '../../parts/list/panel.tsx'
import { Empty, Trouble } from '../../parts/page.tsx'
import { DeleteQuestion } from '../../parts/say/delete-question.tsx'
import { useTaskOwner } from '../../parts/say/task-notice.tsx'
import { say } from '../../parts/say/toast.tsx'
import { type RowOf, refresh, useList, useRead } from '../../read.ts'
import { followTask } from '../../tasks.ts'

type Mailed = RowOf<'report/mail/grid'>

const intervals = ['daily', 'weekly', 'monthly'] as const
/** The first of November 2026 is a Sunday. */
const sunday = 1

interface CurrentView {
  /** The current view of the page. A new mailed report starts with it. */
  view: ReportView
  columns: readonly FileColumnName[]
  department: string
}

/** The mailed reports, with their schedule and recipients. */
export default function ReportMail({ onClose, ...current }: CurrentView & { onClose: () => void }) {
  const { t } = useTranslation('report-mail')
  const list = useList('report/mail/grid', {})
  const [open, setOpen] = useState<Mailed | 'new'>()
  if (open)
    return <MailForm mail={open === 'new' ? undefined : open} now={current} onClose={() => setOpen(undefined)} />
  return (
    <Panel
      title={t('title')}
      onClose={onClose}
      foot={
        <Button look="primary" icon={<Plus className="icon" aria-hidden="true" />} onClick={() => setOpen('new')}>
          {t('add')}
        </Button>
      }
    >
      <div className="panel-body" aria-busy={!list.rows && !list.error}>
        <p className="muted">{t('text')}</p>
        {Boolean(list.error) && !list.rows && <Trouble error={list.error} onRetry={list.readAgain} />}
        {list.rows?.length === 0 && (
          <Empty icon={<Mail />} title={t('empty')}>
            {t('toHint')}
          </Empty>
        )}
        <ul className="mailed">
          {list.rows?.map(mail => (
            <li key={mail.id}>
              <MailedReport mail={mail} onOpen={() => setOpen(mail)} />
            </li>
          ))}
          <ListEnd list={list} />
        </ul>
      </div>
    </Panel>
  )
}

function MailedReport({ mail, onOpen }: { mail: Mailed; onOpen: () => void }) {
  const { t } = useTranslation(['report-mail', 'report'])
  const formats = useFormats()
  const owner = useTaskOwner()
  const complain = useComplaint()
  const send = async () => {
    try {
      const { task } = await write('report/mail/send', { id: mail.id })
      followTask(owner, { id: task })
      refresh(['task/'])
      say(t('sent'))
    } catch (error) {
      complain(error)
    }
  }
  return (
    <>
      <button type="button" className="row-title" onClick={onOpen}>
        {mail.name}
      </button>
      <p className="muted small">
        {t(`report:view.${mail.view}`)} · {t(mail.every)} · {mail.type.toUpperCase()} ·{' '}
        {mail.people.map(({ name }) => name).join(', ')}
      </p>
      <p className="muted small">
        {t('next', { at: formats.dayAndTime(mail.nextAt) })} ·{' '}
        {mail.lastAt ? t('last', { at: formats.dayAndTime(mail.lastAt) }) : t('never')}
      </p>
      <Button look="quiet" icon={<Mail className="icon" aria-hidden="true" />} onClick={send}>
        {t('now')}
      </Button>
    </>
  )
}

function MailForm({
  mail,
  now: current,
  onClose,
}: {
  mail: Mailed | undefined
  now: CurrentView
  onClose: () => void
}) {
  const { t } = useTranslation(['report-mail', 'report', 'shell'])
  const formats = useFormats()
  const { data: people } = useRead('report/mail/people', {})
  const initial = {
    name: mail?.name ?? '',
    view: mail?.view ?? current.view,
    type: mail?.type ?? 'xlsx',
    department: mail ? (mail.department ?? '') : current.department,
    every: mail?.every ?? 'weekly',
    weekday: String(mail?.weekday ?? 1),
    monthday: String(mail?.monthday ?? 1),
    time: mail?.time ?? '06:00',
    employees: (mail?.employees ?? []).join(),
  }
  const form = useForm(initial, mail)
  const { values, set } = form
  const chosen = values.employees === '' ? [] : values.employees.split(',')
  // A stored recipient stays in the list, even if the current user does not manage that employee.
  const recipients = new Map(
    [...(people?.list ?? []), ...(mail?.people ?? [])].map(person => [person.employee, person.name]),
  )
  const columns = values.view === current.view ? current.columns : mail?.view === values.view ? mail.columns : undefined
  const save = () =>
    form.submit(
      async () => {
        const input = {
          ...{ name: values.name, view: values.view, type: values.type, every: values.every, time: values.time },
          ...{ weekday: Number(values.weekday), monthday: Number(values.monthday), employees: chosen },
          ...(values.department && { department: values.department }),
          ...(columns && { columns: [...columns] }),
        }
        if (form.from) await write('report/mail/update', { id: form.from.id, version: form.from.version, ...input })
        else await write('report/mail/add', input)
        refresh(['report/mail/'])
        say(t('saved'))
        onClose()
      },
      { required: ['name'], wrong: { employees: chosen.length === 0 && 10002 } },
    )
  return (
    <FormPanel
      title={t(mail ? 'edit' : 'add')}
      form={form}
      save={t('shell:save')}
      onSave={save}
      onClose={onClose}
      extra={
        mail && (
          <DeleteQuestion
            title={t('deleteTitle')}
            text={t('deleteText')}
            onDelete={async () => {
              await write('report/mail/delete', { id: mail.id })
              refresh(['report/mail/'])
              onClose()
            }}
          />
        )
      }
    >
      <TextField label={t('name')} maxLength={100} {...form.text('name')} />
      <SelectField
        label={t('view')}
        value={values.view}
        onText={view => set({ view: reportViews.find(name => name === view) ?? 'daily' })}
        options={reportViews.map(view => [view, t(`report:view.${view}`)] as const)}
      />
      <DepartmentFilter value={values.department} onText={department => set({ department })} />
      <SegmentField
        label={t('every')}
        value={values.every}
        onText={every => set({ every: intervals.find(name => name === every) ?? 'daily' })}
        options={intervals.map(every => [every, t(every)] as const)}
      />
      <p className="muted small">{t(`covers.${values.every}`)}</p>
      {values.every === 'weekly' && (
        <SelectField
          label={t('weekday')}
          value={values.weekday}
          onText={weekday => set({ weekday })}
          options={Array.from(
            { length: 7 },
            (_, at) => [String(at), formats.weekday(`2026-11-0${sunday + at}`)] as const,
          )}
        />
      )}
      {values.every === 'monthly' && (
        <SelectField
          label={t('monthday')}
          value={values.monthday}
          onText={monthday => set({ monthday })}
          options={Array.from({ length: 28 }, (_, at) => [String(at + 1), formats.number(at + 1)] as const)}
        />
      )}
      <TimeField label={t('time')} value={values.time} error={form.error('time')} onText={time => set({ time })} />
      <SelectField
        label={t('type')}
        value={values.type}
        error={form.error('type')}
        onText={type => set({ type: reportTypes.find(name => name === type) ?? 'xlsx' })}
        options={reportTypes.map(type => [type, type.toUpperCase()] as const)}
      />
      <fieldset className="mailed-to">
        <legend className="label">{t('to')}</legend>
        <p className="muted small">{t('toHint')}</p>
        {[...recipients].map(([employee, name]) => (
          <CheckField
            key={employee}
            checked={chosen.includes(employee)}
            onCheck={isChosen =>
              set({
                employees: (isChosen ? [...chosen, employee] : chosen.filter(other => other !== employee)).join(),
              })
            }
          >
            {name}
          </CheckField>
        ))}
        {form.error('employees') && <p className="error">{t('nobody')}</p>}
      </fieldset>
    </FormPanel>
  )
}
