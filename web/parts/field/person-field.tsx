import { ComboBox, DirectionalHint, type ICalloutProps, type IComboBoxOption } from '@fluentui/react'
import { useDeferredValue, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { fullName } from '../../person-name.ts'
import { useRead } from '../../read.ts'
import { Field } from './field.tsx'
import './day-field.css'

/** A person to choose. */
export interface Person {
  id: string
  first_name: string
  last_name: string
  workno: string
}

const none: readonly string[] = []
const separator = ' · '
const callout: ICalloutProps = {
  directionalHint: DirectionalHint.bottomLeftEdge,
  directionalHintFixed: true,
  calloutMaxHeight: 360,
}

const optionOf = ({ id, first_name, last_name, workno }: Person): IComboBoxOption => ({
  key: id,
  text: `${fullName({ first_name, last_name })}${separator}${workno}`,
})

const knownOption = (known: Person | string | undefined, value: string | undefined): IComboBoxOption | undefined =>
  typeof known === 'string' ? { key: value ?? '', text: known } : known && optionOf(known)

/** A field that finds an employee by name or number while the user types. `known` names the chosen employee. */
export function PersonField(props: {
  label: string
  value: string | undefined
  /** The chosen person, or the text that this field passed to `onPick`. */
  known: Person | string | undefined
  /** The text of the option for no person, “everybody” by default. */
  nobody?: string
  /** Shows the error that a person is required. */
  isMissing?: boolean
  error?: string | undefined
  /** The list that the field searches, the employees by default. */
  path?: 'employee/grid' | 'approve/employee/grid'
  /** Ids that are not offered. */
  without?: readonly string[]
  disabled?: boolean
  /** Called with the id, the text that the field shows for the person, and the person if the list has them. */
  onPick: (employee: string | undefined, called?: string, person?: Person) => void
}) {
  const { t } = useTranslation()
  const {
    label,
    value,
    known,
    onPick,
    nobody = t('choice.everybody'),
    isMissing = false,
    path = 'employee/grid',
  } = props
  const { without = none, disabled = false } = props
  const error = isMissing ? t('choice.employee') : props.error
  const [words, setWords] = useState('')
  const [picked, setPicked] = useState<IComboBoxOption>()
  // The field shows a picked person with the number; only the name is the search text.
  const search = useDeferredValue((words.split(separator, 1)[0] ?? '').trim())
  const { data } = useRead(path, { filters: search ? { search } : {}, size: 20 })
  const options = useMemo(() => {
    const matches = (data?.list ?? []).filter(({ id }) => !without.includes(id)).map(optionOf)
    const chosen = picked?.key === value ? picked : knownOption(known, value)
    const noPerson = { key: '', text: nobody }
    return [
      ...(value ? [noPerson] : []),
      ...(chosen && value && !matches.some(({ key }) => key === value) ? [chosen] : []),
      ...matches,
    ]
  }, [data, picked, value, known, nobody, without])
  return (
    <Field label={label} error={error}>
      {({ id, 'aria-describedby': described }) => (
        <ComboBox
          id={id}
          className="person-field"
          ariaLabel={label}
          {...(described && { ariaDescribedBy: described })}
          autofill={{ 'aria-invalid': error !== undefined }}
          disabled={disabled}
          placeholder={nobody}
          allowFreeInput
          autoComplete="on"
          openOnKeyboardFocus
          useComboBoxAsMenuWidth
          calloutProps={callout}
          options={options}
          selectedKey={value ?? null}
          onInputValueChange={setWords}
          onChange={(_, option) => {
            setPicked(option)
            const id = String(option?.key ?? '') || undefined
            onPick(
              id,
              option?.text,
              data?.list.find(person => person.id === id),
            )
          }}
        />
      )}
    </Field>
  )
}
