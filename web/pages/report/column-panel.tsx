import { useTranslation } from 'react-i18next'
import { columnNames, firstColumn, isFigureColumn, type ReportView } from '../../../shared/report/column.ts'
import { Button } from '../../parts/button.tsx'
import { CheckField } from '../../parts/field/field.tsx'
import { Panel } from '../../parts/list/panel.tsx'
import type { useReportColumns } from './columns.ts'

/** Chooses the columns of a view and of its files. */
export function ColumnPanel(props: {
  view: ReportView
  chosen: ReturnType<typeof useReportColumns>
  onClose: () => void
}) {
  const { t } = useTranslation('report')
  const { view, chosen } = props
  const others = columnNames[view].filter(name => name !== firstColumn[view])
  return (
    <Panel
      title={t('columns.title')}
      onClose={props.onClose}
      foot={<Button onClick={() => chosen.choose(undefined)}>{t('columns.usual')}</Button>}
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
              {t(`column.${name}`)}
              {isFigureColumn(name) && <span className="muted"> · {t('total')}</span>}
            </CheckField>
          ))}
        </div>
      </div>
    </Panel>
  )
}
