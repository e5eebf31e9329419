import { CircleAlert, CircleCheck, TriangleAlert } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { mostRequestsAtOnce as MostRequestsAtOnce } from '../../../shared/request.ts'
import { isFault, type PathOutput, write } from '../../api.ts'
import { useFormats } from '../../format.ts'
import { fullName } from '../../person-name.ts'
import { refresh, useRead } from '../../read.ts'
import { usePerson } from '../../session.tsx'
import { withoutEmpty } from '../../without-empty.ts'
import { useAmount } from '../day/amount.ts'
import { TextField } from '../field/field.tsx'
import { useForm, useSentence } from '../field/form.tsx'
import { SegmentField } from '../field/segment-field.tsx'
import { FormPanel } from '../list/panel.tsx'
import { useShownName } from '../list/person-name.tsx'
import { say } from '../say/toast.tsx'
import { type Ask, type Kind, typeOf } from './ask.ts'
import {
  isLeaveComplete,
  LeaveFields,
  leaveInput,
  OvertimeFields,
  overtimeInput,
  type RequestValues,
  requiredOf,
  ShiftFields,
  shiftInput,
  useSettled,
  valuesOf,
} from './fields.tsx'
import { PeopleField, type Person } from './people-field.tsx'
import { useLeaveTypes, useRequestWords } from './words.tsx'
import './behalf.css'

// The panel in which a manager enters leave, overtime or a missing punch for other people.

const allKinds = ['leave', 'shift', 'overtime'] as const satisfies readonly Kind[]
// A copy of the server's value. The type keeps both equal.
const mostPeople: typeof MostRequestsAtOnce = 30

type Preview = PathOutput<'leave/preview'>
type Previewed = Preview['list'][number]

interface BehalfValues extends RequestValues {
  kind: Kind
  employees: Person[]
  notes: string
}

/** Sends the form to the path of its kind. */
const enter = (zone: string, values: BehalfValues): Promise<PathOutput<'leave/add'>> => {
  const common = { employees: values.employees.map(({ id }) => id), ...withoutEmpty({ notes: values.notes.trim() }) }
  if (values.kind === 'leave') return write('leave/add', { ...leaveInput(zone, values), ...common })
  if (values.kind === 'shift') return write('approve/shift/add', { ...shiftInput(zone, values), ...common })
  return write('approve/overtime/add', { ...overtimeInput(zone, values), ...common })
}

/** The sentence for a person who cannot have the request. */
const useProblem = () => {
  const { t } = useTranslation('request')
  const sentence = useSentence()
  return (code: number) =>
    code === 10002 ? t('behalf.outside') : code === 60080 ? t('behalf.overlap') : sentence(code)
}

/** The error under the people: no employee is chosen, or some people cannot have the request. */
const usePeopleError = () => {
  const { t } = useTranslation('shell')
  const sentence = useSentence()
  const problem = useProblem()
  const shownName = useShownName()
  return (people: readonly Person[], codeOf: (field: string) => number | undefined): string | undefined => {
    const code = codeOf('employees')
    if (code !== undefined) return code === 60001 ? t('choice.employee') : sentence(code)
    const lines = people.flatMap((person, i) => {
      const code = codeOf(`employees.${i}`)
      return code === undefined ? [] : [`${shownName(fullName(person))}: ${problem(code)}`]
    })
    return lines.length > 0 ? lines.join('. ') : undefined
  }
}

/** The preview of a complete leave, after the user has stopped typing. */
const useLeavePreview = (zone: string, values: BehalfValues) => {
  const { kind, employees } = values
  const isComplete = kind === 'leave' && employees.length > 0 && isLeaveComplete(zone, values)
  const input = useSettled(
    isComplete ? { ...leaveInput(zone, values), employees: employees.map(({ id }) => id) } : null,
  )
  const preview = useRead('leave/preview', input)
  return { isShown: input !== null && isComplete, ...preview }
}

export function BehalfPanel(props: {
  ask?: Partial<Ask>
  /** The initial people. */
  people?: readonly Person[]
  /** The kinds to choose from; the first is chosen. */
  kinds?: readonly Kind[]
  onClose: () => void
}) {
  const { t } = useTranslation(['request', 'approve', 'shell'])
  const formats = useFormats()
  const me = usePerson()
  const sentence = useSentence()
  const peopleError = usePeopleError()
  const { ask = {}, people = [], kinds = allKinds, onClose } = props
  const [firstKind = 'leave'] = kinds
  const form = useForm<BehalfValues>({
    ...valuesOf(ask, formats.today()),
    ...{ kind: ask.kind ?? firstKind, employees: [...people], notes: '' },
  })
  const { values } = form
  const { kind, employees, isAllDay } = values
  // The errors of people depend on every field.
  const set = (change: Partial<BehalfValues>) => form.set({ employees, ...change })
  const leaveTypes = useLeaveTypes()
  const secondStep = useRead('approve/params', {}).data?.secondStep ?? []
  const preview = useLeavePreview(formats.timezone, values)
  const previewErrors = isFault(preview.error) && preview.isShown ? preview.error.fields : {}
  const error = (field: string) => {
    const code = previewErrors[field]
    return form.error(field) ?? (code === undefined ? undefined : sentence(code))
  }
  const save = () =>
    form.submit(
      async () => {
        const { status, requests } = await enter(formats.timezone, values)
        refresh(['approve/', 'leave/', 'report/', 'exception/'])
        say(t(status === 1 ? 'behalf.approved' : 'behalf.waits', { count: requests.length }))
        onClose()
      },
      {
        required: [...requiredOf[kind === 'leave' && !isAllDay ? 'partLeave' : kind]],
        wrong: {
          employees: employees.length === 0 && 60001,
          leaveType: kind === 'leave' && values.leaveType === '' && 60001,
        },
      },
    )
  const fields = { values, set, error }
  return (
    <FormPanel
      title={t(kinds.length === 1 && kind === 'leave' ? 'behalf.titleLeave' : 'behalf.title')}
      form={form}
      save={t('behalf.send')}
      onSave={() => void save()}
      onClose={onClose}
    >
      {kinds.length > 1 && (
        <SegmentField
          label={t('approve:type.label')}
          value={kind}
          onText={next => set({ kind: allKinds.find(name => name === next) ?? kind })}
          options={kinds.map(name => [name, t(`approve:type.${typeOf[name]}`)] as const)}
        />
      )}
      <PeopleField
        label={t('behalf.people')}
        placeholder={t('approve:searchHint')}
        values={employees}
        without={me.employee.id}
        most={mostPeople}
        onChange={employees => set({ employees })}
        error={peopleError(employees, field => form.codeOf(field) ?? previewErrors[field])}
      />
      {kind === 'leave' ? (
        <LeaveFields form={fields} types={values.leaveType ? leaveTypes : [['', t('behalf.choose')], ...leaveTypes]} />
      ) : kind === 'shift' ? (
        <ShiftFields form={fields} />
      ) : (
        <OvertimeFields form={fields} />
      )}
      {preview.isShown && !preview.error && <Effects preview={preview.data} isLoading={preview.isLoading} />}
      {secondStep.includes(typeOf[kind]) && (
        <p className="notice">
          <TriangleAlert className="icon" aria-hidden="true" />
          <span>{t('approve:ask.secondText')}</span>
        </p>
      )}
      <TextField
        label={t('form.notes')}
        hint={t('approve:ask.reasonHint')}
        optional
        lines={3}
        maxLength={500}
        {...form.text('notes')}
      />
    </FormPanel>
  )
}

/** The effect of the leave on each person. */
function Effects({ preview, isLoading }: { preview: Preview | undefined; isLoading: boolean }) {
  const { t } = useTranslation('request')
  if (!preview) return <span className="skeleton" style={{ height: 56 }} />
  return (
    <section className="behalf-effects" aria-label={t('behalf.effect')} aria-busy={isLoading}>
      <h3>{t('behalf.effect')}</h3>
      <ul aria-live="polite">
        {preview.list.map(person => (
          <Effect key={person.employee} person={person} />
        ))}
      </ul>
    </section>
  )
}

function Effect({ person }: { person: Previewed }) {
  const { t } = useTranslation(['request', 'approve'])
  const words = useRequestWords()
  const amount = useAmount()
  const shownName = useShownName()
  const problem = useProblem()
  const { total, balances = [], exceeds, conflicts, problem: code } = person
  const Icon = code !== undefined ? CircleAlert : exceeds ? TriangleAlert : CircleCheck
  return (
    <li className={code !== undefined ? 'is-refused' : exceeds ? 'is-warned' : undefined}>
      <Icon className="icon" aria-hidden="true" />
      <div>
        <strong>{shownName(fullName(person))}</strong>
        {total && total.minutes > 0 && (
          <p>
            {words.days(total.days)} <span className="muted figure">{amount(total.minutes, 'leaveMinutes')}</span>
          </p>
        )}
        {words.balances(balances).map(line => (
          <p key={line} className="figure muted">
            {line}
          </p>
        ))}
        {conflicts.map(conflict => (
          <p key={conflict.id} className="behalf-problem">
            {t('behalf.conflict', {
              what: words.what(conflict),
              when: words.when(conflict),
              status: t(`approve:status.${conflict.status}`),
            })}
          </p>
        ))}
        {code !== undefined
          ? conflicts.length === 0 && <p className="behalf-problem">{problem(code)}</p>
          : exceeds && <p className="behalf-warning">{t('approve:panel.exceeds')}</p>}
        {total?.isEstimated && <p className="muted small">{t('estimated')}</p>}
      </div>
    </li>
  )
}
