import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { mayOpen, pages } from '../../menu.ts'
import { usePerson } from '../../session.tsx'
import { withoutEmpty } from '../../without-empty.ts'
import { PersonField } from '../field/person-field.tsx'
import { DepartmentFilter } from './department-filter.tsx'
import { Filters } from './filters.tsx'
import { Range, useRange } from './range.tsx'

/** The longest range of lists about people's days. */
const mostDays = 366

/** The filters of lists about people's days. The address stores them. */
export const useDayFilters = (first?: Parameters<typeof useRange>[0]) => {
  const range = useRange(first, mostDays)
  const { from, to, search } = range
  const department = search.get('department') ?? ''
  const employee = search.get('employee') ?? ''
  return { range, department, employee, filters: { from, to, ...withoutEmpty({ department, employee }) } }
}

export function DayFilters(props: {
  /** The list to which saved views belong, and further names in the address that a view keeps. */
  list: string
  also?: readonly string[]
  /** The listed rows belong to no employee, so the list has no person filter. */
  hasNobody?: boolean
  filters: ReturnType<typeof useDayFilters>
  /** The listed rows, which contain the name of the filtered employee. */
  rows?: readonly { employee: string; first_name: string; last_name: string; workno: string }[] | undefined
  /** The search field, which stays visible on a phone. */
  search?: ReactNode
  /** Further filters of the list, and their names in the address. */
  children?: ReactNode
  names?: readonly string[]
}) {
  const { t } = useTranslation()
  const person = usePerson()
  const { range, department, employee } = props.filters
  const row = props.rows?.find(row => row.employee === employee)
  const mayFind = pages.some(page => page.path === '/employee' && mayOpen(page, person))
  return (
    <Filters
      lead={
        <>
          <Range range={range} />
          {props.search}
        </>
      }
      saved={{ list: props.list, range, ...(props.also && { also: props.also }) }}
      names={['department', ...(props.hasNobody ? [] : ['employee']), ...(props.names ?? [])]}
    >
      <DepartmentFilter value={department} onText={value => range.set({ department: value || undefined })} />
      {mayFind && !props.hasNobody && (
        <PersonField
          label={t('nav.employee')}
          value={employee || undefined}
          known={row && { ...row, id: row.employee }}
          onPick={value => range.set({ employee: value })}
        />
      )}
      {props.children}
    </Filters>
  )
}
