import { useMemo } from 'react'
import { dayIn, useFormats } from '../../format.ts'
import { ListEnd } from '../../parts/list/list-end.tsx'
import type { ListOf } from '../../read.ts'
import { EntryRow } from './entry.tsx'
import type { Change } from './words.ts'

/** The entries of the audit log by day, newest first. */
export function AuditDays({
  list,
  onObject,
}: {
  list: ListOf<'audit/grid'>
  onObject: (change: Change, name: string) => void
}) {
  const formats = useFormats()
  const { rows } = list
  const days = useMemo(
    () => [...Map.groupBy(rows ?? [], ({ at }) => dayIn(formats.timezone, new Date(at)))],
    [rows, formats.timezone],
  )
  return (
    <div className="audit" aria-busy={list.isLoading}>
      {days.map(([day, entries]) => (
        <section key={day} aria-label={formats.longDay(day)}>
          <h2>
            {formats.longDay(day)} <span className="muted figure">{formats.day(day)}</span>
          </h2>
          <ul className="card">
            {entries.map(entry => (
              <EntryRow key={entry.id} entry={entry} onObject={onObject} />
            ))}
          </ul>
        </section>
      ))}
      <ul>
        <ListEnd list={list} />
      </ul>
    </div>
  )
}
