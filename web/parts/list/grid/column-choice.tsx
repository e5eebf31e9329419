import { Columns3 } from 'lucide-react'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useIsNarrow, useIsPhone } from '../../../narrow.ts'
import { CheckField } from '../../field/field.tsx'
import { useComplaint } from '../../field/form.tsx'
import { hideColumns, useListChoices } from '../choices.ts'
import { ChoiceFoot, Panel } from '../panel.tsx'
import type { Column } from './column.ts'
import './column-choice.css'

const usual: readonly string[] = []
/** A list with fewer columns has nothing to choose. */
const leastColumns = 4

type Choosable = Pick<Column<never>, 'key' | 'title' | 'second' | 'isMinor' | 'isExtra'>

/** The columns of a list without those that the user hides. The first column always stays, because it names the row. */
export const useShownColumns = <C extends Choosable>(list: string, columns: readonly C[], isOn: boolean) => {
  const choices = useListChoices()
  const hidden = choices?.columns.find(other => other.list === list)?.hidden ?? usual
  return useMemo(
    () => (isOn && hidden.length > 0 ? columns.filter(({ key }, i) => i === 0 || !hidden.includes(key)) : columns),
    [columns, hidden, isOn],
  )
}

/** A button that counts the hidden columns of a list and opens the choice of its columns. */
export function ColumnChoice(props: { list: string; columns: readonly Choosable[]; shown: readonly Choosable[] }) {
  const { t } = useTranslation()
  const [isOpen, setOpen] = useState(false)
  const complain = useComplaint()
  const [isPhone, isNarrow] = [useIsPhone(), useIsNarrow()]
  const { list, shown } = props
  const columns = props.columns.slice(1).filter(({ title }) => title)
  if (columns.length + 1 < leastColumns) return null
  const lacksRoom = ({ isMinor, isExtra }: Choosable) => (isNarrow && isExtra) || (isPhone && (isMinor || isExtra))
  const isShown = (column: Choosable) => shown.some(({ key }) => key === column.key)
  const count = columns.filter(column => !isShown(column) || lacksRoom(column)).length
  const choose = (hidden: string[]) => void hideColumns(list, hidden).catch(complain)
  const hidden = columns.filter(column => !isShown(column)).map(({ key }) => key)
  return (
    <>
      <button
        type="button"
        className="link grid-act column-choice"
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
      >
        <Columns3 className="icon" aria-hidden="true" />
        {count > 0 ? t('columns.hidden', { count }) : t('columns.title')}
      </button>
      {isOpen && (
        <Panel
          title={t('columns.title')}
          onClose={() => setOpen(false)}
          foot={
            <ChoiceFoot
              reset={t('columns.usual')}
              isUsual={hidden.length === 0}
              onReset={() => choose([])}
              onClose={() => setOpen(false)}
            />
          }
        >
          <div className="panel-body">
            <p className="muted">{t('columns.text')}</p>
            <div className="column-list">
              {columns.map(column => (
                <CheckField
                  key={column.key}
                  checked={isShown(column)}
                  onCheck={isChecked =>
                    choose(isChecked ? hidden.filter(key => key !== column.key) : [...hidden, column.key])
                  }
                >
                  {column.second ? `${column.title} / ${column.second}` : column.title}
                  {isShown(column) && lacksRoom(column) && <span className="muted"> · {t('columns.noRoom')}</span>}
                </CheckField>
              ))}
            </div>
          </div>
        </Panel>
      )}
    </>
  )
}
