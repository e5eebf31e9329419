import { Download, LockOpen } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { addDays } from '../../../shared/local-day.ts'
import { roles } from '../../../shared/permissions.ts'
import { write } from '../../api.ts'
import { useFormats } from '../../format.ts'
import { Button } from '../../parts/button.tsx'
import { PreviewAsk } from '../../parts/day/preview.tsx'
import { useComplaint } from '../../parts/field/form.tsx'
import { ListEnd } from '../../parts/list/list-end.tsx'
import { useTaskOwner } from '../../parts/say/task-notice.tsx'
import { type RowOf, refresh, useList } from '../../read.ts'
import { usePerson } from '../../session.tsx'
import { followTask } from '../../tasks.ts'
import { LockedChanges } from '../report/lock.tsx'
import { payrollColumns } from './columns.ts'

type Period = RowOf<'report/close/grid'>

/** The closed periods: who closed them, their file, and the changes that the lock holds back. */
export function ClosedPeriods() {
  const { t } = useTranslation('close')
  const formats = useFormats()
  const { employee } = usePerson()
  const list = useList('report/close/grid', {}, { size: 20 })
  const owner = useTaskOwner()
  const complain = useComplaint()
  const [reopening, setReopening] = useState<{ period: Period; task: string }>()
  const begin = async (call: () => Promise<void>) => {
    try {
      await call()
    } catch (error) {
      complain(error)
    }
  }
  const download = ({ from, to, type, template, columns = [...payrollColumns] }: Period) =>
    begin(async () => {
      const isDraft = employee.role !== roles.administrator
      const file = template ? { template } : { type, columns }
      const { task } = await write('report/export', { ...file, view: 'summary', isDraft, filters: { from, to } })
      followTask(owner, { id: task, isAwaited: true })
      refresh(['task/'])
    })
  const ask = (period: Period) =>
    begin(async () => {
      const { task } = await write('report/lock/preview', { lockedTo: addDays(period.from, -1) })
      setReopening({ period, task })
    })
  const reopen = async ({ from }: Period) => {
    const { task } = await write('report/lock/update', { lockedTo: addDays(from, -1) })
    if (task) followTask(owner, { id: task })
    refresh(['report/', 'task/'])
    setReopening(undefined)
  }
  return (
    <section className="card close-past" aria-busy={!list.rows}>
      <h2>{t('past')}</h2>
      {list.rows?.length === 0 && <p className="muted">{t('none')}</p>}
      <ul>
        {list.rows?.map(period => (
          <ClosedLine
            key={period.to}
            period={period}
            onDownload={() => void download(period)}
            onReopen={() => void ask(period)}
          />
        ))}
        <ListEnd list={list} />
      </ul>
      {list.rows?.some(({ isLocked }) => isLocked) && (
        <details>
          <summary>{t('changes')}</summary>
          <LockedChanges />
        </details>
      )}
      {reopening && (
        <PreviewAsk
          title={t('reopenTitle', { day: formats.day(reopening.period.from) })}
          task={reopening.task}
          yes={t('reopen')}
          onYes={() => reopen(reopening.period)}
          onNo={() => setReopening(undefined)}
        />
      )}
    </section>
  )
}

function ClosedLine(props: { period: Period; onDownload: () => void; onReopen: () => void }) {
  const { t } = useTranslation('close')
  const formats = useFormats()
  const { employee } = usePerson()
  const { from, to, by, at, openExceptions, isReopened, isLocked } = props.period
  const closedAt = formats.dayAndTime(at)
  return (
    <li>
      <span className="close-text">
        <strong>
          {formats.day(from)} – {formats.day(to)} {isReopened && <span className="tag">{t('reopened')}</span>}
        </strong>
        <span className="muted small">
          {by ? t('by', { name: by, at: closedAt }) : t('at', { at: closedAt })}
          {(openExceptions ?? 0) > 0 && <> · {t('withOpen', { count: openExceptions })}</>}
        </span>
      </span>
      {isLocked && !isReopened && (
        <Button icon={<Download className="icon" aria-hidden="true" />} onClick={props.onDownload}>
          {t('again')}
        </Button>
      )}
      {isLocked && employee.role === roles.administrator && (
        <Button look="quiet" icon={<LockOpen className="icon" aria-hidden="true" />} onClick={props.onReopen}>
          {t('reopen')}
        </Button>
      )}
    </li>
  )
}
