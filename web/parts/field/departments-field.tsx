import { X } from 'lucide-react'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { DepartmentChoice } from '../list/departments.ts'
import { useDepartmentOptions } from './department-field.tsx'
import { PickField } from './pick-field.tsx'
import './departments-field.css'

/** A field for several departments, shown as tags with a remove button. */
export function DepartmentsField(props: {
  label: string
  departments: readonly DepartmentChoice[]
  /** A department that the field does not offer, because another field has it. */
  without: string
  values: readonly string[]
  onChange: (ids: string[]) => void
  most: number
  error?: string | undefined
  hint?: string
  placeholder?: string
}) {
  const { t } = useTranslation()
  const { departments, without, values, onChange, most, ...rest } = props
  const options = useDepartmentOptions(departments)
  const unchosen = useMemo(
    () => options.filter(([id]) => id !== without && !values.includes(id)),
    [options, without, values],
  )
  const names = new Map(departments.map(({ id, name }) => [id, name]))
  const paths = new Map(options)
  return (
    <div className="departments-field">
      <PickField
        {...rest}
        optional
        value=""
        disabled={values.length >= most}
        options={unchosen}
        onText={id => id && onChange([...values, id])}
      />
      {values.length > 0 && (
        <ul aria-label={props.label}>
          {values.map(id => (
            <li key={id} className="tag" title={paths.get(id)}>
              {names.get(id) ?? t('choice.elsewhere')}
              {names.has(id) && (
                <button
                  type="button"
                  aria-label={t('remove', { name: names.get(id) ?? '' })}
                  onClick={() => onChange(values.filter(other => other !== id))}
                >
                  <X className="icon" aria-hidden="true" />
                </button>
              )}
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
