import { ArrowDown, ArrowUp, X } from 'lucide-react'
import { type KeyboardEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { kindColumnOf, kindOfColumn } from '../../../shared/report/column.ts'
import {
  hasTemplateColumn,
  leaveTypeOf,
  mostTemplateColumns,
  type TemplateColumn,
  type TemplateForm,
  type TemplateMeasure,
  templateColumnNames,
  templateMeasures,
} from '../../../shared/report/template-column.ts'
import { Button } from '../../parts/button.tsx'
import { useReportKinds } from '../../parts/day/kinds.tsx'
import { SelectField, TextField } from '../../parts/field/field.tsx'
import { useMovedFocus } from '../../parts/kept-focus.ts'

/** A column with a key that it keeps while it moves, because several columns may hold fixed texts. */
export interface KeyedColumn extends TemplateColumn {
  key: number
}

export type TemplateValues = Omit<TemplateForm, 'columns'> & { columns: KeyedColumn[] }

/** The usual name of a column or a measure. */
export const useColumnTitle = () => {
  const { t } = useTranslation(['report', 'leave'])
  const kinds = useReportKinds()
  return (name: string): string => {
    const type = leaveTypeOf(name)
    const code = kindOfColumn(name)
    if (code !== undefined) return kinds.find(kind => kind.code === code)?.name ?? code
    return type ? t(`leave:type.${type as '1'}`) : t(`report:column.${name as 'day'}`)
  }
}

let lastKey = 0
export const keyed = (columns: readonly TemplateColumn[]): KeyedColumn[] =>
  columns.map(column => ({ ...column, key: ++lastKey }))

type ErrorOf = (field: string) => string | undefined

/** The columns of a template in the order of the file. */
export function ColumnFields({
  values: { layout, columns },
  error,
  onColumns,
}: {
  values: TemplateValues
  error: ErrorOf
  onColumns: (columns: KeyedColumn[]) => void
}) {
  const { t } = useTranslation('report-template')
  const titleOf = useColumnTitle()
  const [said, setSaid] = useState('')
  const keepFocus = useMovedFocus()
  const move = (at: number, by: -1 | 1) => {
    const [column, other] = [columns[at], columns[at + by]]
    if (!column || !other) return
    keepFocus()
    onColumns(columns.with(at, other).with(at + by, column))
    setSaid(t('moved', { column: titleOf(column.column), number: at + by + 1 }))
  }
  const change = (at: number, changes: Partial<TemplateColumn>) => {
    const column = columns[at]
    if (column) onColumns(columns.with(at, { ...column, ...changes }))
  }
  const kinds = useReportKinds().map(({ code }) => kindColumnOf(code))
  const free = [...templateColumnNames[layout], ...kinds].filter(
    name => hasTemplateColumn(layout, name) && (name === 'text' || !columns.some(({ column }) => column === name)),
  )
  return (
    <fieldset className="template-part">
      <legend className="label">{t('columns')}</legend>
      <p className="muted small">{t('columnsHint')}</p>
      <ol className="template-columns">
        {columns.map((column, at) => (
          <ColumnLine
            key={column.key}
            {...{ column, at, error }}
            isLast={at === columns.length - 1}
            onChange={changes => change(at, changes)}
            onMove={by => move(at, by)}
            onRemove={() => onColumns(columns.filter((_, other) => other !== at))}
          />
        ))}
      </ol>
      {error('columns') && <p className="error">{error('columns')}</p>}
      <p className="unseen" role="status">
        {said}
      </p>
      {columns.length < mostTemplateColumns && (
        <SelectField
          label={t('addColumn')}
          value=""
          onText={text => {
            const column = free.find(name => name === text)
            if (column) onColumns([...columns, ...keyed([{ column }])])
          }}
          options={[['', t('choose')], ...free.map(name => [name, titleOf(name)] as const)]}
        />
      )}
    </fieldset>
  )
}

function ColumnLine(props: {
  column: KeyedColumn
  at: number
  isLast: boolean
  error: ErrorOf
  onChange: (changes: Partial<TemplateColumn>) => void
  onMove: (by: -1 | 1) => void
  onRemove: () => void
}) {
  const { t } = useTranslation('report-template')
  const { column, at, onMove } = props
  const title = useColumnTitle()(column.column)
  const named = { column: title }
  // The keys work in every field and button of the line.
  const onKeyDown = (event: KeyboardEvent) => {
    const by = event.key === 'ArrowUp' ? -1 : event.key === 'ArrowDown' ? 1 : undefined
    if (!event.altKey || by === undefined) return
    event.preventDefault()
    onMove(by)
  }
  return (
    <li onKeyDown={onKeyDown}>
      <TextField
        label={t('heading', { ...named, number: at + 1 })}
        placeholder={title}
        maxLength={60}
        value={column.heading ?? ''}
        onText={heading => props.onChange({ heading })}
        error={props.error(`columns.${at}.column`) ?? props.error(`columns.${at}.heading`)}
      />
      {column.column === 'text' && (
        <TextField
          label={t('fixedText', { number: at + 1 })}
          hint={t('fixedTextHint')}
          maxLength={60}
          value={column.text ?? ''}
          onText={text => props.onChange({ text })}
          error={props.error(`columns.${at}.text`)}
        />
      )}
      <span className="template-moves">
        <Button
          look="quiet"
          square
          aria-label={t('up', named)}
          disabled={at === 0}
          onClick={() => onMove(-1)}
          icon={<ArrowUp className="icon" />}
        />
        <Button
          look="quiet"
          square
          aria-label={t('down', named)}
          disabled={props.isLast}
          onClick={() => onMove(1)}
          icon={<ArrowDown className="icon" />}
        />
        <Button
          look="quiet"
          square
          aria-label={t('remove', named)}
          // A payroll program needs the employee ID.
          disabled={column.column === 'workno'}
          onClick={props.onRemove}
          icon={<X className="icon" />}
        />
      </span>
    </li>
  )
}

/** The measures that become rows, with the codes of the payroll program. */
export function MeasureFields({
  values: { measures },
  error,
  onMeasures,
}: {
  values: TemplateValues
  error: ErrorOf
  onMeasures: (measures: TemplateForm['measures']) => void
}) {
  const { t } = useTranslation('report-template')
  const titleOf = useColumnTitle()
  const kinds = useReportKinds()
  const all: TemplateMeasure[] = [...templateMeasures, ...kinds.map(({ code }) => kindColumnOf(code))]
  const isUsed = (name: TemplateMeasure) => measures.some(({ measure }) => measure === name)
  /** The payroll code of an hour kind, to begin with. */
  const codeOf = (name: string) => {
    const kind = kinds.find(({ code }) => kindColumnOf(code) === name)
    return kind ? (kind.payrollCode ?? kind.code) : ''
  }
  return (
    <fieldset className="template-part">
      <legend className="label">{t('measures')}</legend>
      <p className="muted small">{t('measuresHint')}</p>
      <ol className="template-columns">
        {measures.map(({ measure, code }, at) => (
          <li key={measure}>
            <TextField
              label={t('code', { measure: titleOf(measure) })}
              maxLength={40}
              value={code}
              onText={text => onMeasures(measures.with(at, { measure, code: text }))}
              error={error(`measures.${at}.code`) ?? error(`measures.${at}.measure`)}
            />
            <span className="template-moves">
              <Button
                look="quiet"
                square
                aria-label={t('removeMeasure', { measure: titleOf(measure) })}
                onClick={() => onMeasures(measures.filter((_, other) => other !== at))}
                icon={<X className="icon" />}
              />
            </span>
          </li>
        ))}
      </ol>
      {error('measures') && <p className="error">{error('measures')}</p>}
      <SelectField
        label={t('addMeasure')}
        value=""
        onText={text => {
          const measure = all.find(name => name === text)
          if (measure) onMeasures([...measures, { measure, code: codeOf(measure) }])
        }}
        options={[['', t('choose')], ...all.filter(name => !isUsed(name)).map(name => [name, titleOf(name)] as const)]}
      />
    </fieldset>
  )
}
