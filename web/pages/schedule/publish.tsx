import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { addDays } from '../../../shared/local-day.ts'
import { write } from '../../api.ts'
import { useFormats } from '../../format.ts'
import type { BoardShift } from '../../parts/board/row.ts'
import { Button } from '../../parts/button.tsx'
import { CheckField, SelectField } from '../../parts/field/field.tsx'
import { useComplaint } from '../../parts/field/form.tsx'
import { DepartmentFilter } from '../../parts/list/department-filter.tsx'
import { PersonAvatar } from '../../parts/list/person-avatar.tsx'
import { Trouble } from '../../parts/page.tsx'
import { Modal } from '../../parts/say/modal.tsx'
import { TaskProgress } from '../../parts/say/progress.tsx'
import { useTaskOwner } from '../../parts/say/task-notice.tsx'
import { fullName } from '../../person-name.ts'
import { type RowOf, refresh, useList } from '../../read.ts'
import { followTask } from '../../tasks.ts'
import { type DraftFilters, readDrafted } from './drafted.ts'
import { Problems } from './notices.tsx'
import { SavingPart, type Task, waiting } from './save.tsx'

// Publishes the draft: first the affected people with each change, then the progress and the result.

type Drafted = RowOf<'schedule/draft/grid'>
type Shifts = ReadonlyMap<string, BoardShift>

export default function PublishPanel(props: {
  /** The department of the board, with which the panel starts. */
  department: string
  shifts: Shifts
  /** The days of the board, and their name. */
  shown: { from: string; to: string }
  span: string
  onClose: () => void
}) {
  const { t } = useTranslation(['schedule', 'shell'])
  const owner = useTaskOwner()
  const complain = useComplaint()
  const { shifts, span, onClose } = props
  const [department, setDepartment] = useState(props.department)
  const [isShownOnly, setShownOnly] = useState(false)
  const [isAgreed, setAgreed] = useState(false)
  const range = isShownOnly ? props.shown : {}
  const filters: DraftFilters = { ...(department !== '' && { department }), ...range }
  const { rows, count, hasMore, more, error, readAgain } = useList('schedule/draft/grid', filters, { size: 50 })
  const [tasks, setTasks] = useState<string[]>()
  const [ended, setEnded] = useState<readonly Task[]>([])
  // The list stays as it was at the start, because published people leave it.
  const shown = useRef(rows)
  if (!tasks) shown.current = rows
  const publish = async () => {
    setEnded([])
    setTasks([])
    try {
      for (const employees of await readDrafted(filters)) {
        const { task } = await write('schedule/publish', { employees, ...range })
        followTask(owner, { id: task, isSeen: true })
        setTasks((previous = []) => [...previous, task])
      }
    } catch (fault) {
      complain(fault)
      setTasks(previous => (previous && previous.length > 0 ? previous : undefined))
    }
  }
  const isOver = tasks !== undefined && tasks.length > 0 && tasks.every(id => ended.some(task => task.id === id))
  useEffect(() => {
    if (isOver) refresh(['schedule/', 'shift/', 'leave/'])
  }, [isOver])
  const end = (task: Task) => setEnded(previous => [...previous.filter(({ id }) => id !== task.id), task])
  const problems = ended.flatMap(({ problems, code, state }) =>
    state === 'failed' && problems.length === 0 ? [{ row: 0, field: '', code: code ?? 60011 }] : problems,
  )
  const unnamed = ended.reduce((sum, { problemCount, problems }) => sum + problemCount - problems.length, 0)
  const days = ended.reduce((sum, { rowCount = 0 }) => sum + rowCount, 0)
  const people = count ?? rows?.length ?? 0
  const isAnyAway = shown.current?.some(({ days }) => days.some(({ isAway }) => isAway)) ?? false
  return (
    <Modal className="publish" label={t('draft.publishTitle')} onClose={onClose}>
      <header>
        <h2>{t('draft.publishTitle')}</h2>
        {people > 0 && <p className="muted">{t('draft.publishText', { count: people })}</p>}
        {!tasks && (
          <div className="filters">
            <DepartmentFilter value={department} onText={setDepartment} />
            <SelectField
              label={t('draft.days')}
              value={isShownOnly ? 'shown' : ''}
              onText={value => setShownOnly(value === 'shown')}
              options={[
                ['', t('draft.allDays')],
                ['shown', t('draft.shownDays', { days: span })],
              ]}
            />
          </div>
        )}
      </header>
      <div className="publish-list">
        {problems.length > 0 && (
          <Problems problems={problems} unnamed={unnamed} shifts={shifts} onClose={() => setEnded([])} />
        )}
        {isOver && days > 0 && (
          <p className="notice" role="status">
            {t('draft.published', { count: days })}
          </p>
        )}
        {tasks && !isOver && (
          <>
            {tasks.length === 0 && <TaskProgress label={t('draft.publishing')} task={waiting} />}
            {tasks.map(id => (
              <SavingPart key={id} id={id} label={t('draft.publishing')} isBegun onEnd={end} />
            ))}
          </>
        )}
        {error && !rows && <Trouble error={error} onRetry={() => void readAgain()} />}
        {!tasks && rows?.length === 0 && <p className="muted">{t('draft.nobody')}</p>}
        <ol>
          {shown.current?.map(row => (
            <Person key={row.employee} row={row} shifts={shifts} />
          ))}
        </ol>
        {hasMore && !tasks && (
          <Button look="quiet" onClick={more}>
            {t('draft.more')}
          </Button>
        )}
      </div>
      <footer>
        {isAnyAway && !tasks && (
          <CheckField checked={isAgreed} onCheck={setAgreed}>
            {t('draft.awayTick')}
          </CheckField>
        )}
        <Button onClick={onClose}>{t(tasks ? 'shell:close' : 'shell:cancel')}</Button>
        {(!isOver || problems.length > 0) && (
          <Button
            look="primary"
            busy={tasks !== undefined && !isOver}
            disabled={people === 0 || (isAnyAway && !isAgreed)}
            onClick={publish}
          >
            {t('draft.publishYes', { count: people })}
          </Button>
        )}
      </footer>
    </Modal>
  )
}

/** The changes of one person. Days in a row with the same change share a line. */
const spansOf = (days: Drafted['days']) => {
  const spans: (Drafted['days'][number] & { to: string })[] = []
  for (const next of days) {
    const last = spans.at(-1)
    const isSame =
      last &&
      addDays(last.to, 1) === next.day &&
      last.isAway === next.isAway &&
      last.before.join() === next.before.join() &&
      last.after.join() === next.after.join()
    if (isSame) last.to = next.day
    else spans.push({ ...next, to: next.day })
  }
  return spans
}

function Person({ row, shifts }: { row: Drafted; shifts: Shifts }) {
  const { t } = useTranslation('schedule')
  const formats = useFormats()
  const words = (ids: readonly string[]) =>
    ids.length === 0 ? t('free') : ids.map(id => shifts.get(id)?.words ?? '').join(', ')
  return (
    <li>
      <PersonAvatar id={row.employee} person={row} />
      <div>
        <strong>{fullName(row)}</strong> <span className="muted small figure">{row.workno}</span>
        <ul>
          {spansOf(row.days).map(({ day, to, before, after, isAway }) => (
            <li key={day}>
              <span className="muted figure">
                {day === to ? formats.shortDay(day) : `${formats.shortDay(day)} – ${formats.shortDay(to)}`}
              </span>
              <span>
                <del>{words(before)}</del> <span aria-hidden="true">→</span> <ins>{words(after)}</ins>
                {isAway && (
                  <>
                    {' '}
                    <span className="tag warn">{t('draft.away')}</span>
                  </>
                )}
              </span>
            </li>
          ))}
        </ul>
      </div>
    </li>
  )
}
