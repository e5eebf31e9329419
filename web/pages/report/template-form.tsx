import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { CsvFormat } from '../../../shared/csv-format.ts'
import { formatDay } from '../../../shared/date-format.ts'
import {
  decimalSigns,
  hasTemplateColumn,
  separators,
  type TemplateForm as Template,
  type TemplateLayout,
  templateDateFormats,
  templateLayouts,
  templateTypes,
  templateUnits,
} from '../../../shared/report/template-column.ts'
import { type StarterName, starterFor, starterNames, starters } from '../../../shared/report/template-starter.ts'
import { write } from '../../api.ts'
import { useFormats } from '../../format.ts'
import { SelectField, SwitchField, TextField } from '../../parts/field/field.tsx'
import { useForm } from '../../parts/field/form.tsx'
import { SegmentField } from '../../parts/field/segment-field.tsx'
import { FormPanel } from '../../parts/list/panel.tsx'
import { DeleteQuestion } from '../../parts/say/delete-question.tsx'
import { say } from '../../parts/say/toast.tsx'
import { type RowOf, refresh } from '../../read.ts'
import { ColumnFields, keyed, MeasureFields, type TemplateValues } from './template-columns.tsx'
import { TemplateSample } from './template-sample.tsx'

export type StoredTemplate = RowOf<'report/template/grid'>

const signNames = { '.': 'point', ',': 'comma' } as const
const separatorNames = { ',': 'comma', ';': 'semicolon', '\t': 'tab', '|': 'pipe' } as const

/** The values of the form, without the id and the version of a stored template. */
const valuesOf = ({ columns, measures = [], ...template }: Omit<Template, 'measures'> & Partial<Template>) => {
  const { name, layout, type, unit, decimalSign, dateFormat, separator, hasHeadings } = template
  const formats = { type, unit, decimalSign, dateFormat, separator, hasHeadings }
  return { name, layout, ...formats, columns: keyed(columns), measures }
}

/** The template as the server takes it. Empty headings and texts mean none. */
export const templateOf = ({ columns, ...values }: TemplateValues): Template => ({
  ...values,
  columns: columns.map(({ column, heading, text }) => ({
    column,
    ...(heading?.trim() && { heading: heading.trim() }),
    ...(column === 'text' && text?.trim() && { text: text.trim() }),
  })),
})

/** Keeps the columns that the new layout has, and adds those that it needs. */
const inLayout = ({ columns, measures }: TemplateValues, layout: TemplateLayout): Partial<TemplateValues> => {
  const kept = columns.filter(({ column }) => hasTemplateColumn(layout, column))
  const needed = layout === 'measure' ? (['code', 'amount'] as const) : []
  const missing = needed.filter(name => !kept.some(({ column }) => column === name))
  return {
    layout,
    columns: [...kept, ...keyed(missing.map(column => ({ column })))],
    ...(layout === 'measure' && measures.length === 0 && { measures: starters.datev.measures }),
  }
}

export function TemplateForm({
  template,
  csv,
  dates,
  onClose,
}: {
  template: StoredTemplate | undefined
  /** The CSV format of the company, for a new template. */
  csv: CsvFormat
  dates: { from: string; to: string }
  onClose: () => void
}) {
  const { t } = useTranslation(['report-template', 'report', 'shell'])
  const formats = useFormats()
  const [starter, setStarter] = useState<StarterName>('generic')
  const form = useForm<TemplateValues, StoredTemplate | undefined>(
    valuesOf(template ?? { name: '', ...starterFor('generic', csv) }),
    template,
  )
  const { values, set } = form
  const begin = (text: string) => {
    const next = starterNames.find(name => name === text) ?? 'generic'
    const usualName = t(`starter.${starter}`)
    setStarter(next)
    const name = values.name === '' || values.name === usualName ? t(`starter.${next}`) : values.name
    set(valuesOf({ name, ...starterFor(next, csv) }))
  }
  const save = () =>
    form.submit(
      async () => {
        const input = templateOf(values)
        if (form.from) await write('report/template/update', { ...input, id: form.from.id, version: form.from.version })
        else await write('report/template/add', input)
        refresh(['report/template/'])
        say(t('saved'))
        onClose()
      },
      { required: ['name'] },
    )
  return (
    <FormPanel
      wide
      title={t(template ? 'edit' : 'add')}
      form={form}
      save={t('shell:save')}
      onSave={save}
      onClose={onClose}
      extra={
        template && (
          <DeleteQuestion
            title={t('deleteTitle')}
            text={t('deleteText')}
            onDelete={async () => {
              await write('report/template/delete', { id: template.id })
              refresh(['report/template/', 'report/close/'])
              onClose()
            }}
          />
        )
      }
    >
      {!template && (
        <SelectField
          label={t('start')}
          hint={t('starterHint')}
          value={starter}
          onText={begin}
          options={starterNames.map(name => [name, t(`starter.${name}`)] as const)}
        />
      )}
      <TextField label={t('name')} maxLength={60} {...form.text('name')} />
      <SelectField
        label={t('rows')}
        value={values.layout}
        onText={text => set(inLayout(values, templateLayouts.find(name => name === text) ?? 'summary'))}
        options={templateLayouts.map(name => [name, t(`layout.${name}`)] as const)}
      />
      <div className="template-formats">
        <SegmentField
          label={t('type')}
          value={values.type}
          onText={text => set({ type: templateTypes.find(name => name === text) ?? 'csv' })}
          options={templateTypes.map(name => [name, name.toUpperCase()] as const)}
        />
        <SelectField
          label={t('figures')}
          value={values.unit}
          onText={text => set({ unit: templateUnits.find(name => name === text) ?? 'decimal' })}
          options={templateUnits.map(name => [name, t(`unit.${name}`)] as const)}
        />
        <SelectField
          label={t('dateFormat')}
          value={values.dateFormat}
          onText={text => set({ dateFormat: templateDateFormats.find(name => name === text) ?? 'YYYY-MM-DD' })}
          options={templateDateFormats.map(name => [name, formatDay(formats.today(), name)] as const)}
        />
        {values.type === 'csv' && (
          <>
            <SelectField
              label={t('separator')}
              value={values.separator}
              onText={text => set({ separator: separators.find(name => name === text) ?? ',' })}
              options={separators.map(name => [name, t(`separators.${separatorNames[name]}`)] as const)}
            />
            <SelectField
              label={t('decimalSign')}
              value={values.decimalSign}
              onText={text => set({ decimalSign: decimalSigns.find(name => name === text) ?? '.' })}
              options={decimalSigns.map(name => [name, t(`sign.${signNames[name]}`)] as const)}
            />
          </>
        )}
      </div>
      <SwitchField
        label={t('hasHeadings')}
        checked={values.hasHeadings}
        onCheck={hasHeadings => set({ hasHeadings })}
      />
      <ColumnFields values={values} error={form.error} onColumns={columns => set({ columns })} />
      {values.layout === 'measure' && (
        <MeasureFields values={values} error={form.error} onMeasures={measures => set({ measures })} />
      )}
      <TemplateSample template={templateOf(values)} dates={dates} />
    </FormPanel>
  )
}
