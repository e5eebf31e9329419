import { useTranslation } from 'react-i18next'
import { mayOpen, pages } from '../pages.tsx'
import { useRead } from '../read.ts'
import { usePerson } from '../session.tsx'
import { withoutEmpty } from '../without-empty.ts'
import { DepartmentFilter } from './department-filter.tsx'
import { PersonField } from './person-field.tsx'
import { Range, useRange } from './range.tsx'

/** The filters of lists about people's days, held in the address. */
export const useDayFilters = () => {
  const range = useRange()
  const { from, to, search } = range
  const department = search.get('department') ?? ''
  const employee = search.get('employee') ?? ''
  return { range, department, employee, filters: { from, to, ...withoutEmpty({ department, employee }) } }
}

export function DayFilters({ filters }: { filters: ReturnType<typeof useDayFilters> }) {
  const { t } = useTranslation()
  const person = usePerson()
  const { range, department, employee } = filters
  const { data: all } = useRead('department/all', {})
  const mayFind = pages.some(page => page.path === '/employee' && mayOpen(page, person))
  return (
    <div className="filters">
      <Range range={range} />
      <DepartmentFilter
        departments={all?.list ?? []}
        value={department}
        onText={value => range.set({ department: value || undefined })}
      />
      {mayFind && (
        <PersonField
          label={t('nav.employee')}
          value={employee || undefined}
          onPick={value => range.set({ employee: value })}
        />
      )}
    </div>
  )
}
