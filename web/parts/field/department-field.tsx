import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { type DepartmentChoice, flatten, treeOf } from '../list/departments.ts'
import { PickField } from './pick-field.tsx'

const separator = ' › '

/**
 * Options for departments, with the names of their ancestors, because two departments may have the same name. If the
 * user does not manage the current department `held`, it gets an option without its name.
 */
export const useDepartmentOptions = (departments: readonly DepartmentChoice[], held = '') => {
  const { t, i18n } = useTranslation()
  return useMemo(() => {
    const options = flatten(treeOf(departments, i18n.language)).map(
      ({ department, path }) => [department.id, [...path, department.name].join(separator)] as const,
    )
    const isElsewhere = held !== '' && !departments.some(({ id }) => id === held)
    return isElsewhere ? [[held, t('choice.elsewhere')] as const, ...options] : options
  }, [departments, held, t, i18n.language])
}

/** A field for one department. The user finds it by typing part of a department's or an ancestor's name. */
export function DepartmentField(props: {
  label: string
  departments: readonly DepartmentChoice[]
  value: string
  onText: (id: string) => void
  /** The label of the option for no department. Without this label, the user must choose a department. */
  none?: string
  error?: string | undefined
  hint?: string
  optional?: boolean
  name?: string
  disabled?: boolean
}) {
  const { departments, none, optional, ...rest } = props
  const options = useDepartmentOptions(departments, props.value)
  const all = useMemo(() => (none === undefined ? options : [['', none] as const, ...options]), [none, options])
  return <PickField {...rest} {...(optional && { optional })} options={all} />
}
