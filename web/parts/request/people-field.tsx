import { X } from 'lucide-react'
import { useDeferredValue, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { fullName } from '../../person-name.ts'
import { useRead } from '../../read.ts'
import { PickField } from '../field/pick-field.tsx'
import { useShownName } from '../list/person-name.tsx'
import '../field/departments-field.css'

/** An employee to choose. */
export interface Person {
  id: string
  first_name: string
  last_name: string
  workno: string
}

/** A field for several employees whose requests the user decides, shown as tags with a remove button. */
export function PeopleField(props: {
  label: string
  values: readonly Person[]
  onChange: (people: Person[]) => void
  most: number
  /** The id of a person to exclude from the options. */
  without: string
  error?: string | undefined
  placeholder: string
}) {
  const { t } = useTranslation()
  const shownName = useShownName()
  const { label, values, onChange, most, without, error, placeholder } = props
  const [words, setWords] = useState('')
  const search = useDeferredValue(words.trim())
  const { data } = useRead('approve/employee/grid', { filters: search ? { search } : {}, size: 100 })
  const people = useMemo(
    () => (data?.list ?? []).filter(({ id }) => id !== without && !values.some(chosen => chosen.id === id)),
    [data, values, without],
  )
  const options = useMemo(
    () => people.map(person => [person.id, `${shownName(fullName(person))} · ${person.workno}`] as const),
    [people, shownName],
  )
  return (
    <div className="departments-field">
      <PickField
        {...{ label, error, placeholder, options }}
        value=""
        disabled={values.length >= most}
        onTyped={setWords}
        onText={id => {
          const person = people.find(one => one.id === id)
          if (person) onChange([...values, person])
        }}
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
