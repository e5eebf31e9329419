import { ComboBox, DirectionalHint, type ICalloutProps, type IComboBoxOption } from '@fluentui/react'
import { useDeferredValue, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { fullName } from '../../person-name.ts'
import { useRead } from '../../read.ts'
import { Field } from './field.tsx'
import './day-field.css'

interface Person {
  id: string
  first_name: string
  last_name: string
  workno: string
}

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
  /** Called with the id and with the text that the field shows for the person. */
  onPick: (employee: string | undefined, called?: string) => void
}) {
  const { t } = useTranslation()
  const { label, value, known, onPick, nobody = t('choice.everybody'), isMissing = false } = props
  const [words, setWords] = useState('')
  const [picked, setPicked] = useState<IComboBoxOption>()
  // The field shows a picked person with the number; only the name is the search text.
  const search = useDeferredValue((words.split(separator, 1)[0] ?? '').trim())
  const { data } = useRead('employee/grid', { filters: search ? { search } : {}, size: 20 })
  const options = useMemo(() => {
    const matches = data?.list.map(optionOf) ?? []
    const chosen = picked?.key === value ? picked : knownOption(known, value)
    const noPerson = { key: '', text: nobody }
    return [
      ...(value ? [noPerson] : []),
      ...(chosen && value && !matches.some(({ key }) => key === value) ? [chosen] : []),
      ...matches,
    ]
  }, [data, picked, value, known, nobody])
  return (
    <Field label={label} error={isMissing ? t('choice.employee') : undefined}>
      {({ id, 'aria-describedby': described }) => (
        <ComboBox
          id={id}
          className="person-field"
          ariaLabel={label}
          {...(described && { ariaDescribedBy: described })}
          autofill={{ 'aria-invalid': isMissing }}
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
            onPick(String(option?.key ?? '') || undefined, option?.text)
          }}
        />
      )}
    </Field>
  )
}
