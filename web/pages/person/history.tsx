import { ScrollText } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Empty, Trouble } from '../../parts/page.tsx'
import { usePageNavigate } from '../../parts/shell/router.ts'
import { Splash } from '../../parts/shell/splash.tsx'
import { useList } from '../../read.ts'
import { AuditDays } from '../audit/days.tsx'
import type { Got } from './tabs.ts'
import '../audit.css'

/** All changes of a person in the audit log, newest first. */
export function PersonHistory({ person, name }: { person: Got; name: string }) {
  const { t } = useTranslation('person')
  const navigate = usePageNavigate()
  const list = useList('audit/grid', { object: person.id })
  const { rows } = list
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
    <AuditDays
      list={list}
      onObject={({ id }, object) => navigate(`/system/audit?object=${id}&name=${encodeURIComponent(object)}`)}
    />
  )
}
