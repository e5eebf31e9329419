import { useTranslation } from 'react-i18next'
import { SelectField } from './field.tsx'

/**
 * Of the departments that stand under none of the others the one made first, as ids grow with time: the company's default
 * one, for whoever manages it. Empty where there is none.
 */
export const firstDepartment = (departments: readonly { id: string; parent?: string | undefined }[]) => {
  const ids = new Set(departments.map(({ id }) => id))
  const tops = departments.filter(({ parent }) => !parent || !ids.has(parent)).map(({ id }) => id)
  return tops.sort()[0] ?? ''
}

/** Narrows a list to one department; empty is all of them. */
export function DepartmentFilter(props: {
  departments: { id: string; name: string }[]
  value: string
  onText: (id: string) => void
}) {
  const { t } = useTranslation()
  return (
    <SelectField
      label={t('nav.department')}
      value={props.value}
      onText={props.onText}
      options={[['', t('choice.all')], ...props.departments.map(({ id, name }) => [id, name] as const)]}
    />
  )
}
