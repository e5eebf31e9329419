import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { type DepartmentChoice, flatten, treeOf } from '../list/departments.ts'
import { PickField } from './pick-field.tsx'

const separator = ' › '

/**
 * Departments to choose from, each named with what it is a part of: the same name may stand in two places. One that is
 * `held` and not among them is somebody else's to manage.
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

/** One department, found by typing a part of its name or of what it is a part of. */
export function DepartmentField(props: {
  label: string
  departments: readonly DepartmentChoice[]
  value: string
  onText: (id: string) => void
  /** What none is called, where there may be none. */
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
