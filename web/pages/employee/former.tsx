import { UserX } from 'lucide-react'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { write } from '../../api.ts'
import { useFormats } from '../../format.ts'
import { useDepartments } from '../../parts/list/departments.ts'
import type { ColumnOf } from '../../parts/list/grid/column.ts'
import { Grid } from '../../parts/list/grid.tsx'
import { useShownName } from '../../parts/list/person-name.tsx'
import { Empty } from '../../parts/page.tsx'
import { Ask } from '../../parts/say/ask.tsx'
import { fullName } from '../../person-name.ts'
import { refresh, useList, useRead } from '../../read.ts'
import { withoutEmpty } from '../../without-empty.ts'
import { DataButton, EraseButton } from './erase.tsx'
import { RehireButton } from './rehire.tsx'

/** Deleted employees whose days the server still stores. An administrator can export or erase their data. */
export default function FormerEmployees({ search }: { search: string }) {
  const { t } = useTranslation(['employee', 'shell'])
  const formats = useFormats()
  const { nameOf: departmentName } = useDepartments()
  const shownName = useShownName()
  const list = useList('employee/former/grid', withoutEmpty({ search }))
  const columns = useMemo<ColumnOf<'employee/former/grid'>[]>(
    () => [
      {
        key: 'name',
        title: t('name'),
        width: 'minmax(160px, 2fr)',
        cell: row => <strong className={row.erasedAt ? 'muted' : undefined}>{shownName(fullName(row))}</strong>,
      },
      {
        key: 'workno',
        title: t('workno'),
        width: '128px',
        cell: row => <span className="figure">{row.workno}</span>,
      },
      {
        key: 'department',
        title: t('department'),
        width: 'minmax(120px, 1fr)',
        isMinor: true,
        cell: row => departmentName(row.department),
      },
      {
        key: 'endDay',
        title: t('former.endDay'),
        width: '120px',
        cell: row => <span className="figure">{row.endDay ? formats.day(row.endDay) : t('shell:none')}</span>,
      },
      {
        key: 'state',
        title: t('state.label'),
        width: 'minmax(160px, 1fr)',
        cell: row => (
          <span className="tag">
            {row.erasedAt ? t('former.erased', { day: formats.dayAndTime(row.erasedAt) }) : t('former.kept')}
          </span>
        ),
      },
      {
        key: 'actions',
        title: t('former.actions'),
        width: 'minmax(300px, auto)',
        cell: row =>
          !row.erasedAt && (
            <span className="former-do">
              <RehireButton person={row} onDone={() => undefined} />
              <DataButton id={row.id} />
              <EraseButton person={row} onDone={() => undefined} />
            </span>
          ),
      },
    ],
    [t, formats, departmentName, shownName],
  )
  return (
    <>
      <Erasures />
      <Grid
        label={t('state.deleted')}
        columns={columns}
        list={list}
        rowKey={row => row.id}
        empty={
          <Empty icon={<UserX />} title={t('shell:choice.none')}>
            {t('former.empty')}
          </Empty>
        }
      />
    </>
  )
}

/** Erasures that wait for terminals. An administrator can skip a lost terminal. */
function Erasures() {
  const { t } = useTranslation(['employee', 'shell'])
  const { data } = useRead('employee/erase/grid', {})
  const [asking, setAsking] = useState<{ task: string; serialNumber: string; name: string }>()
  const waiting = (data?.list ?? []).flatMap(({ task, terminals }) =>
    terminals.map(({ serialNumber, name }) => ({ task, serialNumber, name: name ?? serialNumber })),
  )
  if (waiting.length === 0) return null
  const confirm = async () => {
    if (!asking) return
    await write('employee/erase/confirm', { task: asking.task, serialNumber: asking.serialNumber })
    refresh(['employee/', 'task/'])
    setAsking(undefined)
  }
  return (
    <div className="notice erasures">
      <p>{t('erasing.text', { count: waiting.length })}</p>
      <ul>
        {waiting.map(erasure => (
          <li key={`${erasure.task} ${erasure.serialNumber}`}>
            <button type="button" className="link" onClick={() => setAsking(erasure)}>
              {t('erasing.gone', { name: erasure.name })}
            </button>
          </li>
        ))}
      </ul>
      {asking && (
        <Ask
          title={t('erasing.goneTitle', { name: asking.name })}
          yes={t('erasing.goneYes')}
          no={t('shell:cancel')}
          danger
          onYes={confirm}
          onNo={() => setAsking(undefined)}
        >
          {t('erasing.goneText')}
        </Ask>
      )}
    </div>
  )
}
