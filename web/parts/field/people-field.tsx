import { X } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { fullName } from '../../person-name.ts'
import { useShownName } from '../list/person-name.tsx'
import { type Person, PersonField } from './person-field.tsx'
import './departments-field.css'

/** A field for several employees whose requests the user decides, shown as tags with a remove button. */
export function PeopleField(props: {
  label: string
  values: readonly Person[]
  onChange: (people: Person[]) => void
  most: number
  /** Ids that are not offered. */
  without: readonly string[]
  error?: string | undefined
  placeholder: string
}) {
  const { t } = useTranslation()
  const shownName = useShownName()
  const { label, values, onChange, most, without, error, placeholder } = props
  return (
    <div className="departments-field">
      <PersonField
        label={label}
        path="approve/employee/grid"
        value={undefined}
        known={undefined}
        without={[...without, ...values.map(({ id }) => id)]}
        nobody={placeholder}
        disabled={values.length >= most}
        error={error}
        onPick={(_, __, person) => person && onChange([...values, person])}
      />
      {values.length > 0 && (
        <ul aria-label={label}>
          {values.map(person => {
            const name = shownName(fullName(person))
            return (
              <li key={person.id} className="tag" title={`${name} · ${person.workno}`}>
                {name}
                <button
                  type="button"
                  aria-label={t('remove', { name })}
                  onClick={() => onChange(values.filter(({ id }) => id !== person.id))}
                >
                  <X className="icon" aria-hidden="true" />
                </button>
              </li>
            )
          })}
        </ul>
      )}
    </div>
  )
}
