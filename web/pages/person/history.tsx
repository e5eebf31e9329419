import { ScrollText } from 'lucide-react'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { dayIn, useFormats } from '../../format.ts'
import { ListEnd } from '../../parts/list/list-end.tsx'
import { Empty, Trouble } from '../../parts/page.tsx'
import { usePageNavigate } from '../../parts/shell/router.ts'
import { Splash } from '../../parts/shell/splash.tsx'
import { useList } from '../../read.ts'
import { EntryRow } from '../audit/entry.tsx'
import type { Got } from './tabs.ts'
import '../audit.css'

/** All changes of a person in the audit log, newest first. */
export function PersonHistory({ person, name }: { person: Got; name: string }) {
  const { t } = useTranslation('person')
  const formats = useFormats()
  const navigate = usePageNavigate()
  const list = useList('audit/grid', { object: person.id })
  const { rows } = list
  const days = useMemo(
    () => [...Map.groupBy(rows ?? [], ({ at }) => dayIn(formats.timezone, new Date(at)))],
    [rows, formats.timezone],
  )
  if (list.error && !rows) return <Trouble error={list.error} onRetry={list.readAgain} />
  if (!rows) return <Splash inside />
  if (rows.length === 0)
    return (
      <div className="card grid-empty">
        <Empty icon={<ScrollText />} title={t('noHistory')}>
          {t('noHistoryText', { name })}
        </Empty>
      </div>
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
              <EntryRow
                key={entry.id}
                entry={entry}
                onObject={({ id }, object) => navigate(`/system/audit?object=${id}&name=${encodeURIComponent(object)}`)}
              />
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
