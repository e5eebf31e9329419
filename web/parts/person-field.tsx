import { ComboBox, type IComboBoxOption } from '@fluentui/react'
import { useDeferredValue, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useRead } from '../read.ts'
import { Field } from './field.tsx'
import './day-field.css'

/** Finds an employee by name or number, as one types. */
export function PersonField(props: {
  label: string
  value: string | undefined
  onPick: (employee: string | undefined) => void
}) {
  const { t } = useTranslation()
  const [words, setWords] = useState('')
  const search = useDeferredValue(words.trim())
  const { data } = useRead('employee/grid', { filters: search ? { search } : {}, size: 20 })
  const options = useMemo<IComboBoxOption[]>(
    () =>
      (data?.list ?? []).map(({ id, first_name, last_name, workno }) => ({
        key: id,
        text: `${first_name} ${last_name} · ${workno}`,
      })),
    [data],
  )
  return (
    <Field label={props.label}>
      {({ id }) => (
        <ComboBox
          id={id}
          className="person-field"
          ariaLabel={props.label}
          placeholder={t('all')}
          allowFreeInput
          autoComplete="on"
          openOnKeyboardFocus
          useComboBoxAsMenuWidth
          options={options}
          selectedKey={props.value ?? null}
          onInputValueChange={setWords}
          onChange={(_, option) => props.onPick(option ? String(option.key) : undefined)}
        />
      )}
    </Field>
  )
}
