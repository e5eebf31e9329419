import { useTranslation } from 'react-i18next'
import { useMayOpen } from '../../menu.ts'
import { useRead } from '../../read.ts'
import type { DepartmentChoice } from '../list/departments.ts'
import { Link } from '../shell/router.ts'

const hoursPage = '/shift/hours'

/** Names the hour set of a department: its own, else that of a department above, else the company's. */
export function HourSetNote({ id, departments }: { id: string; departments: readonly DepartmentChoice[] }) {
  const { t } = useTranslation('department')
  const mayOpen = useMayOpen()(hoursPage)
  const { data } = useRead('attparams/hours/grid', mayOpen ? {} : null)
  const sets = data?.list
  if (!sets || sets.length === 0) return null
  const seen = new Set<string>()
  let at: string | undefined = id
  let set = sets.find(({ departments }) => departments.includes(id))
  while (!set && at !== undefined && !seen.has(at)) {
    seen.add(at)
    const above: string | undefined = departments.find(department => department.id === at)?.parent
    set = sets.find(({ departments }) => above !== undefined && departments.includes(above))
    at = above
  }
  const from = set && at !== id ? departments.find(department => department.id === at)?.name : undefined
  set ??= sets.find(({ isCompanySet }) => isCompanySet)
  return (
    <div className="field">
      <span className="label">{t('hours.label')}</span>
      <p>
        {set ? (
          <Link to={`${hoursPage}?set=${set.id}`}>{set.name}</Link>
        ) : (
          <Link to={hoursPage}>{t('hours.none')}</Link>
        )}
      </p>
      {set && (
        <p className="hint">{from ? t('hours.from', { name: from }) : t(at === id ? 'hours.own' : 'hours.company')}</p>
      )}
    </div>
  )
}
