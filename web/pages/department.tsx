import { Network, Plus } from 'lucide-react'
import { useEffect, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { addDays } from '../../shared/local-day.ts'
import { write } from '../api.ts'
import { useFormats } from '../format.ts'
import { Button } from '../parts/button.tsx'
import { PreviewAsk } from '../parts/day/preview.tsx'
import { Recalculations } from '../parts/day/recalculation.tsx'
import { DayField } from '../parts/field/day-field.tsx'
import { DepartmentField } from '../parts/field/department-field.tsx'
import { TextField } from '../parts/field/field.tsx'
import { useForm } from '../parts/field/form.tsx'
import { HourSetNote } from '../parts/field/hour-set-note.tsx'
import { PickField } from '../parts/field/pick-field.tsx'
import { PlaceFields } from '../parts/field/place-fields.tsx'
import { SearchField, usePageSearch } from '../parts/field/search-field.tsx'
import { DepartmentTree } from '../parts/list/department-tree.tsx'
import { type DepartmentChoice, firstDepartment, idsWithBelow, useDepartments } from '../parts/list/departments.ts'
import { FormPanel } from '../parts/list/panel.tsx'
import { Empty, Page, Trouble } from '../parts/page.tsx'
import { Ask } from '../parts/say/ask.tsx'
import { useAsked } from '../parts/say/asked.ts'
import { DeleteQuestion } from '../parts/say/delete-question.tsx'
import { useTaskOwner } from '../parts/say/task-notice.tsx'
import { say } from '../parts/say/toast.tsx'
import { SheetButtons } from '../parts/sheet/sheet-buttons.tsx'
import { useZoneOptions } from '../parts/zone-options.ts'
import { type RowOf, refresh, useList } from '../read.ts'
import { usePerson } from '../session.tsx'
import { followTask } from '../tasks.ts'
import { withoutEmpty } from '../without-empty.ts'

type Department = RowOf<'department/grid'>

/** Reads all pages of the list, because the tree needs every department. */
const useAllRows = () => {
  const list = useList('department/grid', {}, { size: 200 })
  const { hasMore, isLoading, more } = list
  useEffect(() => {
    if (hasMore && !isLoading) more()
  }, [hasMore, isLoading, more])
  return list
}

export default function DepartmentPage() {
  const { t } = useTranslation(['department', 'shell'])
  const person = usePerson()
  const search = usePageSearch()
  const { all, error, readAgain } = useDepartments()
  const list = useAllRows()
  const [open, setOpen] = useState<string>()
  /** The parent of a new department; empty means the top level. */
  const [adding, setAdding] = useState<string>()
  const [move, setMove] = useState<{ id: string; parent: string | undefined }>()
  const rows = useMemo(() => new Map(list.rows?.map(row => [row.id, row])), [list.rows])
  // A manager of some departments has no rights at the top level.
  const isManager = !person.managesAll
  const opened = open === undefined ? undefined : rows.get(open)

  const startAdding = () => setAdding(isManager && all ? firstDepartment(all) : '')
  useAsked('new', all && startAdding)

  const add = (
    <Button look="primary" icon={<Plus className="icon" />} disabled={isManager && !all} onClick={startAdding}>
      {t('add')}
    </Button>
  )
  return (
    <Page
      title={t('title')}
      note={all && t('count', { count: all.length })}
      actions={
        <>
          <SheetButtons noun="department" filters={withoutEmpty({ search: search.words })} />
          {add}
        </>
      }
    >
      <div className="filters">
        <SearchField hint={t('searchHint')} {...search.field} />
      </div>
      <Recalculations kinds={['department/update']} />
      {(error && !all) || (list.error && !list.rows) ? (
        <Trouble
          error={error ?? list.error}
          onRetry={() => {
            readAgain()
            list.readAgain()
          }}
        />
      ) : all ? (
        <DepartmentTree
          label={t('title')}
          departments={all}
          figures={rows}
          search={search.words}
          onOpen={setOpen}
          onAdd={setAdding}
          onMove={(id, parent) => setMove({ id, parent })}
          mayMoveToTop={!isManager}
          empty={
            <Empty
              icon={<Network />}
              title={t(search.words ? 'shell:choice.none' : 'empty.title')}
              action={!search.words && add}
            >
              {t(search.words ? 'empty.search' : 'empty.text')}
            </Empty>
          }
        />
      ) : (
        <Waiting />
      )}
      {all && (opened || adding !== undefined) && (
        <DepartmentForm
          key={opened?.id ?? 'new'}
          department={opened}
          parent={adding ?? ''}
          departments={all}
          onClose={() => {
            setOpen(undefined)
            setAdding(undefined)
          }}
        />
      )}
      {all && move && <MoveQuestion {...move} rows={rows} onClose={() => setMove(undefined)} />}
    </Page>
  )
}

/** The skeleton of the tree while it loads. */
function Waiting() {
  const { t } = useTranslation()
  return (
    <div className="card grid tree" role="status" aria-busy="true" aria-label={t('loading')}>
      {[0, 1, 1, 2, 2, 1, 2, 1].map((depth, line) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: these lines never move.
        <div key={line} className="tree-waiting" style={{ paddingInlineStart: 36 + depth * 24 }}>
          <span className="skeleton" style={{ width: 120 + ((line * 53) % 90), height: 12 }} />
        </div>
      ))}
    </div>
  )
}

/** Asks for confirmation before the server moves a department. */
function MoveQuestion(props: {
  id: string
  parent: string | undefined
  rows: ReadonlyMap<string, Department>
  onClose: () => void
}) {
  const { t } = useTranslation(['department', 'shell'])
  const owner = useTaskOwner()
  const { rows, onClose } = props
  const moved = rows.get(props.id)
  const parent = props.parent === undefined ? undefined : rows.get(props.parent)
  if (!moved) return null
  const move = async () => {
    const {
      employeeCount: _e,
      mainEmployeeCount: _m,
      deviceCount: _d,
      subdepartmentCount: _s,
      isDefault: _i,
      parent: _p,
      ...fields
    } = moved
    try {
      const { task } = await write('department/update', { ...fields, ...(parent && { parent: parent.id }) })
      if (task) followTask(owner, { id: task })
      say(t('move.done', { name: moved.name }))
    } finally {
      refresh(['department/'])
    }
    onClose()
  }
  return (
    <Ask
      title={t('move.title', { name: moved.name })}
      yes={t('move.yes')}
      no={t('shell:cancel')}
      onYes={move}
      onNo={onClose}
    >
      {parent ? t('move.text', { parent: parent.name }) : t('move.textTop')}
    </Ask>
  )
}

/** Without `timezone`, a change keeps the zone. So an empty field sends null. */
const zoneOf = ({ timezone }: { timezone: string }) => ({ timezone: timezone || null })

function DepartmentForm(props: {
  department: Department | undefined
  /** The initial parent of a new department. */
  parent: string
  departments: readonly DepartmentChoice[]
  onClose: () => void
}) {
  const { t } = useTranslation(['department', 'shell'])
  const person = usePerson()
  const formats = useFormats()
  const { department, departments, onClose } = props
  // A manager of some departments can add a department only below one of them.
  const isOnlyBelow = !department && !person.managesAll
  const initial = {
    name: department?.name ?? '',
    parent: department?.parent ?? props.parent,
    location: department?.location ?? '',
    tel: department?.tel ?? '',
    address: department?.address ?? '',
    country: department?.country ?? '',
    state: department?.state ?? '',
    city: department?.city ?? '',
    timezone: department?.timezone ?? '',
    timezoneFrom: '',
  }
  const form = useForm(initial, department)
  const parents = useMemo(() => {
    const below = department ? idsWithBelow(departments, department.id) : new Set<string>()
    return departments.filter(({ id }) => !below.has(id))
  }, [departments, department])
  const owner = useTaskOwner()
  const zones = useZoneOptions(initial.timezone)
  const [asking, setAsking] = useState<{ task: string }>()
  const isOtherZone = form.values.timezone !== initial.timezone
  const done = () => {
    refresh(['department/'])
    onClose()
  }
  const store = async () => {
    const { timezoneFrom, ...fields } = form.values
    const values = { ...withoutEmpty(fields), name: fields.name }
    if (form.from) {
      const { id, version } = form.from
      const from = isOtherZone && timezoneFrom ? { timezoneFrom } : {}
      const { task } = await write('department/update', { id, version, ...values, ...zoneOf(fields), ...from })
      if (task) followTask(owner, { id: task })
    } else await write('department/add', values)
    say(t('shell:saved'))
    done()
  }
  const ask = async ({ id, version }: Department) => {
    const { timezoneFrom, ...fields } = form.values
    const from = timezoneFrom ? { timezoneFrom } : {}
    const values = { ...withoutEmpty(fields), name: fields.name }
    setAsking(await write('department/preview', { id, version, ...values, ...zoneOf(fields), ...from }))
  }
  const save = () =>
    form.submit(() => (form.from && isOtherZone ? ask(form.from) : store()), {
      required: ['name', ...(isOnlyBelow ? (['parent'] as const) : [])],
      fieldOf: { 59002: 'name' },
    })
  const remove = async () => {
    if (!department) return
    await write('department/delete', { id: department.id })
    say(t('deleted', { name: department.name }))
    done()
  }
  return (
    <FormPanel
      title={department ? department.name : t('add')}
      form={form}
      save={t('shell:save')}
      onSave={save}
      onClose={onClose}
      extra={
        department &&
        !department.isDefault && (
          <DeleteQuestion
            title={t('delete.title', { name: department.name })}
            text={t('delete.text')}
            onDelete={remove}
          />
        )
      }
    >
      <TextField label={t('name')} maxLength={100} {...form.text('name')} />
      {!department?.isDefault && (
        <DepartmentField
          label={t('parent')}
          departments={parents}
          {...(!isOnlyBelow && { none: t('top'), optional: true })}
          {...form.text('parent')}
        />
      )}
      <TextField label={t('location')} optional maxLength={100} hint={t('locationHint')} {...form.text('location')} />
      <TextField label={t('tel')} optional type="tel" maxLength={40} {...form.text('tel')} />
      <TextField label={t('address')} optional maxLength={200} {...form.text('address')} />
      <PlaceFields form={form} />
      {department && <HourSetNote id={department.id} departments={departments} />}
      <PickField
        label={t('timezone.label')}
        hint={t('timezone.hint')}
        {...form.text('timezone')}
        options={[['', t('timezone.parent')], ...zones]}
      />
      {department && isOtherZone && (
        <DayField
          label={t('timezone.from')}
          value={form.values.timezoneFrom || formats.today()}
          least={addDays(formats.today(), -366)}
          most={formats.today()}
          error={form.error('timezoneFrom')}
          onText={day => form.set({ timezoneFrom: day === formats.today() ? '' : day })}
        />
      )}
      {asking && (
        <PreviewAsk
          title={t('timezone.ask', { name: form.values.name })}
          task={asking.task}
          yes={t('shell:save')}
          onYes={store}
          onNo={() => setAsking(undefined)}
        />
      )}
    </FormPanel>
  )
}
