import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { SelectField } from '../field/field.tsx'
import { flatten, treeOf, useDepartments } from './departments.ts'

const indent = '\u2003'

/** Filters a list by one department; empty means all departments. The options are indented like the department tree. */
export function DepartmentFilter(props: { value: string; onText: (id: string) => void }) {
  const { t, i18n } = useTranslation()
  const { all } = useDepartments()
  const options = useMemo(
    () =>
      flatten(treeOf(all ?? [], i18n.language)).map(
        ({ department, depth }) => [department.id, indent.repeat(depth) + department.name] as const,
      ),
    [all, i18n.language],
  )
  return (
    <SelectField
      label={t('nav.department')}
      value={props.value}
      onText={props.onText}
      options={[['', t('choice.all')], ...options]}
    />
  )
}
