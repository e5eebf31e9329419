import { Download, Upload } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { type PathCall, write } from '../../api.ts'
import { refresh } from '../../read.ts'
import { followTask } from '../../tasks.ts'
import { Button } from '../button.tsx'
import { useAddress } from '../field/address.ts'
import { useComplaint } from '../field/form.tsx'
import { usePrint } from '../list/printing.ts'
import { useTaskOwner } from '../say/task-notice.tsx'
import { Menu } from '../shell/menu.tsx'
import './sheet-buttons.css'

const ImportWizard = lazy(() => import('./import-wizard.tsx'))

/** The query parameter with the task of the shown import; `new` means a new import. */
const parameter = 'import'
const newImport = 'new'

type SheetProps =
  | { noun: 'employee'; filters: PathCall<'employee/export'>['filters'] }
  | { noun: 'department'; filters: PathCall<'department/export'>['filters'] }
  | { noun: 'schedule'; filters: PathCall<'schedule/export'>['filters'] }
/** All exports, including exports of data without an import. */
type ExportProps =
  | SheetProps
  | { noun: 'record'; filters: PathCall<'record/export'>['filters'] }
  | { noun: 'temperature'; filters: PathCall<'temperature/export'>['filters'] }

/** Begins an export. A template is an export without rows. */
const beginExport = ({ noun, filters }: ExportProps, type: 'xlsx' | 'csv', isTemplate?: true) => {
  const options = { type, ...(isTemplate && { isTemplate }) }
  if (noun === 'employee') return write('employee/export', { ...options, filters: isTemplate ? {} : filters })
  if (noun === 'department') return write('department/export', { ...options, filters: isTemplate ? {} : filters })
  if (noun === 'record') return write('record/export', { type, filters })
  if (noun === 'temperature') return write('temperature/export', { type, filters })
  return write('schedule/export', { ...options, filters })
}

/**
 * The buttons that import and export employees, departments or a schedule. An export contains the filtered list, or
 * only the chosen `ids`.
 */
export function SheetButtons(props: SheetProps) {
  const { t } = useTranslation('task')
  const { address, set } = useAddress()
  const task = address.get(parameter)
  const show = (value: string | undefined) => set({ [parameter]: value })
  return (
    <>
      <Button
        className="sheet-button"
        icon={<Upload className="icon" aria-hidden="true" />}
        onClick={() => show(newImport)}
      >
        <span>{t('import.button')}</span>
      </Button>
      <ExportButton {...props} />
      {task && (
        <Suspense>
          <ImportWizard
            noun={props.noun}
            beginTemplate={type => beginExport(props, type, true)}
            task={task === newImport ? undefined : task}
            onTask={id => show(id ?? newImport)}
            onClose={() => show(undefined)}
          />
        </Suspense>
      )}
    </>
  )
}

/** The export button, with a menu of two file formats. The task notice shows the progress and downloads the file. */
export function ExportButton(props: ExportProps) {
  const { t } = useTranslation(['task', 'shell'])
  const print = usePrint()
  // The tree of departments and the board are no lists.
  const hasPrint = props.noun !== 'department' && props.noun !== 'schedule'
  const owner = useTaskOwner()
  const complain = useComplaint()
  const [busy, setBusy] = useState(false)
  const begin = async (type: 'xlsx' | 'csv') => {
    if (busy) return
    setBusy(true)
    try {
      const { task } = await beginExport(props, type)
      followTask(owner, { id: task, isAwaited: true })
      refresh(['task/'])
    } catch (error) {
      complain(error)
    } finally {
      setBusy(false)
    }
  }
  return (
    <Menu
      className="button sheet-button"
      label={t('export.button')}
      entries={[
        { key: 'xlsx', text: t('export.xlsx'), onPick: () => void begin('xlsx') },
        { key: 'csv', text: t('export.csv'), onPick: () => void begin('csv') },
        ...(hasPrint ? [{ key: 'print', text: t('shell:print.button'), divider: true, onPick: print }] : []),
      ]}
    >
      {busy ? <span className="spinner" aria-hidden="true" /> : <Download className="icon" aria-hidden="true" />}
      <span>{t('export.button')}</span>
    </Menu>
  )
}
