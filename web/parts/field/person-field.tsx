import { ComboBox, DirectionalHint, type ICalloutProps, type IComboBoxOption } from '@fluentui/react'
import { useDeferredValue, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { fullName } from '../../person-name.ts'
import { useRead } from '../../read.ts'
import { Field } from './field.tsx'
import './day-field.css'

interface Found {
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

const optionOf = ({ id, first_name, last_name, workno }: Found): IComboBoxOption => ({
  key: id,
  text: `${fullName({ first_name, last_name })}${separator}${workno}`,
})

const knownOption = (known: Found | string | undefined, value: string | undefined): IComboBoxOption | undefined =>
  typeof known === 'string' ? { key: value ?? '', text: known } : known && optionOf(known)

/** Finds an employee by name or number, as one types. `known` names the one who is chosen already. */
export function PersonField(props: {
  label: string
  value: string | undefined
  /** The chosen person, or the text that this field gave `onPick`. */
  known: Found | string | undefined
  /** What is shown while nobody is chosen; everybody where it is not said. */
  nobody?: string
  /** Somebody has to be chosen, and nobody is: the field says so. */
  isMissing?: boolean
  /** With the id, and how the field calls the person. */
  onPick: (employee: string | undefined, called?: string) => void
}) {
  const { t } = useTranslation()
  const { label, value, known, onPick, nobody = t('choice.everybody'), isMissing = false } = props
  const [words, setWords] = useState('')
  const [picked, setPicked] = useState<IComboBoxOption>()
  // What was picked stands in the field with its number; the name alone is what is searched for.
  const search = useDeferredValue((words.split(separator, 1)[0] ?? '').trim())
  const { data } = useRead('employee/grid', { filters: search ? { search } : {}, size: 20 })
  const options = useMemo(() => {
    const found = data?.list.map(optionOf) ?? []
    const chosen = picked?.key === value ? picked : knownOption(known, value)
    const everybody = { key: '', text: nobody }
    return [
      ...(value ? [everybody] : []),
      ...(chosen && value && !found.some(({ key }) => key === value) ? [chosen] : []),
      ...found,
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
