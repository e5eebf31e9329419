import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { type DepartmentChoice, flatten, treeOf } from './departments.ts'
import { PickField } from './pick-field.tsx'

const separator = ' › '

/** Departments to choose from, each named with what it is a part of: the same name may stand in two places. */
export const useDepartmentOptions = (departments: readonly DepartmentChoice[]) => {
  const { i18n } = useTranslation()
  return useMemo(
    () =>
      flatten(treeOf(departments, i18n.language)).map(
        ({ department, path }) => [department.id, [...path, department.name].join(separator)] as const,
      ),
    [departments, i18n.language],
  )
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
  const options = useDepartmentOptions(departments)
  const all = useMemo(() => (none === undefined ? options : [['', none] as const, ...options]), [none, options])
  return <PickField {...rest} {...(optional && { optional })} options={all} />
}
