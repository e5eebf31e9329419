import { useTranslation } from 'react-i18next'
import {
  firstColumn,
  isFigureColumn,
  kindOfColumn,
  type ReportColumnName,
  type ReportView,
  viewColumns,
} from '../../../shared/report/column.ts'
import { Button } from '../../parts/button.tsx'
import { useReportKinds } from '../../parts/day/kinds.tsx'
import { CheckField } from '../../parts/field/field.tsx'
import { Panel } from '../../parts/list/panel.tsx'
import type { useReportColumns } from './columns.ts'
import '../../parts/list/grid/column-choice.css'

/** Chooses the columns of a view and of its files. */
export function ColumnPanel(props: {
  view: ReportView
  chosen: ReturnType<typeof useReportColumns>
  /** Shows the columns for payroll instead. */
  onPayroll: (() => void) | undefined
  onClose: () => void
}) {
  const { t } = useTranslation('report')
  const { view, chosen } = props
  const kinds = useReportKinds()
  const codes = kinds.map(({ code }) => code)
  const others = viewColumns(view, codes).filter(name => name !== firstColumn[view])
  const titleOf = (name: string) => {
    const code = kindOfColumn(name)
    return code === undefined ? t(`column.${name as ReportColumnName}`) : kinds.find(kind => kind.code === code)?.name
  }
  return (
    <Panel
      title={t('columns.title')}
      onClose={props.onClose}
      foot={
        <>
          {props.onPayroll && <Button onClick={props.onPayroll}>{t('columns.payroll')}</Button>}
          <Button onClick={() => chosen.choose(undefined)}>{t('columns.usual')}</Button>
        </>
      }
    >
      <div className="panel-body">
        <p className="muted">{t('columns.text')}</p>
        <div className="column-list">
          {others.map(name => (
            <CheckField
              key={name}
              checked={chosen.columns.includes(name)}
              onCheck={isChosen =>
                chosen.choose(isChosen ? [...chosen.columns, name] : chosen.columns.filter(other => other !== name))
              }
            >
              {titleOf(name)}
              {(isFigureColumn(name) || kindOfColumn(name) !== undefined) && (
                <span className="muted"> · {t('total')}</span>
              )}
            </CheckField>
          ))}
        </div>
      </div>
    </Panel>
  )
}
