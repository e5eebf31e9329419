import { useTranslation } from 'react-i18next'
import { SelectField } from './field.tsx'

/** The department made first, which is the company's default one: ids grow with time. Empty where there is none. */
export const firstDepartment = (departments: readonly { id: string }[]) =>
  departments.reduce((first, { id }) => (first === '' || id < first ? id : first), '')

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
