import { CalendarClock } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { type PathOutput, write } from '../../api.ts'
import { useFormats } from '../../format.ts'
import { Button } from '../../parts/button.tsx'
import { DayField } from '../../parts/field/day-field.tsx'
import { useComplaint, useForm } from '../../parts/field/form.tsx'
import { PickField } from '../../parts/field/pick-field.tsx'
import { FormPanel, Panel } from '../../parts/list/panel.tsx'
import { useShownName } from '../../parts/list/person-name.tsx'
import { Trouble } from '../../parts/page.tsx'
import { say } from '../../parts/say/toast.tsx'
import { fullName } from '../../person-name.ts'
import { refresh, useRead } from '../../read.ts'

type Delegation = PathOutput<'approve/delegate/get'>
type Candidates = PathOutput<'approve/delegate/all'>['list']

/** The user's deputy during an absence, and the colleagues for whom the user decides. */
export function DelegatePanel({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('approve')
  const delegation = useRead('approve/delegate/get', {})
  const candidates = useRead('approve/delegate/all', {})
  if (delegation.data && candidates.data)
    return <DelegateForm now={delegation.data} candidates={candidates.data.list} onClose={onClose} />
  const error = delegation.error ?? candidates.error
  return (
    <Panel title={t('delegate.title')} onClose={onClose}>
      <div className="panel-body" aria-busy={!error}>
        {error ? (
          <Trouble
            error={error}
            onRetry={() => {
              void delegation.readAgain()
              void candidates.readAgain()
            }}
          />
        ) : (
          [70, 100, 90].map(width => (
            <span key={width} className="skeleton" style={{ width: `${width}%`, height: 16 }} />
          ))
        )}
      </div>
    </Panel>
  )
}

function DelegateForm(props: { now: Delegation; candidates: Candidates; onClose: () => void }) {
  const { t } = useTranslation(['approve', 'shell'])
  const formats = useFormats()
  const shownName = useShownName()
  const complain = useComplaint()
  const { now: delegation, candidates, onClose } = props
  const { own, list, today } = delegation
  const form = useForm({ employee: own?.employee ?? '', from: own?.from ?? today, to: own?.to ?? today })
  const { values, set, error } = form
  const end = async () => {
    try {
      await write('approve/delegate/delete', {})
      say(t('delegate.ended'))
      refresh(['approve/'])
      onClose()
    } catch (error) {
      complain(error)
    }
  }
  const save = () => {
    if (!form.isChanged && own) return onClose()
    return form.submit(
      async () => {
        await write('approve/delegate/update', values)
        say(t('shell:saved'))
        refresh(['approve/'])
        onClose()
      },
      { required: ['employee', 'from', 'to'], wrong: { to: values.to < values.from && 10002 } },
    )
  }
  const options = candidates.map((candidate): [string, string] => [
    candidate.employee,
    `${shownName(fullName(candidate))} · ${candidate.workno}`,
  ])
  // The current deputy stays selectable even if they no longer manage the same people.
  if (own && !candidates.some(({ employee }) => employee === own.employee)) options.unshift([own.employee, own.name])
  return (
    <FormPanel
      title={t('delegate.title')}
      form={form}
      save={t('delegate.save')}
      onSave={save}
      onClose={onClose}
      extra={
        own && (
          <Button look="danger-quiet" onClick={() => void end()}>
            {t('delegate.end')}
          </Button>
        )
      }
    >
      <p className="muted">{t('delegate.text')}</p>
      {options.length === 0 ? (
        <p className="notice">{t('delegate.none')}</p>
      ) : (
        <>
          <PickField
            label={t('delegate.who')}
            value={values.employee}
            onText={employee => set({ employee })}
            options={options}
            error={form.codeOf('employee') === 60001 ? t('shell:choice.employee') : error('employee')}
            placeholder={t('delegate.nobody')}
          />
          <div className="pair">
            <DayField
              label={t('delegate.from')}
              value={values.from}
              onText={from => set({ from })}
              error={error('from')}
            />
            <DayField
              label={t('delegate.to')}
              value={values.to}
              least={today}
              onText={to => set({ to })}
              error={error('to')}
            />
          </div>
        </>
      )}
      {list.length > 0 && (
        <section className="request-part">
          <h3>{t('delegate.list')}</h3>
          <ul className="judged-colleagues">
            {list.map(({ employee, name, from, to }) => (
              <li key={employee}>
                <CalendarClock className="icon" aria-hidden="true" />
                <span>
                  {t('delegate.standIn', {
                    name: shownName(name),
                    from: formats.day(from),
                    to: formats.day(to),
                  })}
                </span>
              </li>
            ))}
          </ul>
        </section>
      )}
    </FormPanel>
  )
}
