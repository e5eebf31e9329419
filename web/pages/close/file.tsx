import { FileSpreadsheet } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { reportTypes } from '../../../shared/report/column.ts'
import { Button } from '../../parts/button.tsx'
import { SelectField } from '../../parts/field/field.tsx'
import { Trouble } from '../../parts/page.tsx'
import { useRead } from '../../read.ts'
import { payrollColumns } from './columns.ts'

const ReportTemplates = lazy(() => import('../report/template.tsx'))

/** The file of a period: the standard report or a template. The last closed period decides the first choice. */
export const usePayrollFile = (dates: { from: string; to: string }) => {
  const { t } = useTranslation(['report-template', 'report'])
  const { data: templates, ...templateRead } = useRead('report/template/grid', {})
  const { data: periods, ...periodRead } = useRead('report/close/grid', { size: 1 })
  const isLoaded = templates !== undefined && periods !== undefined
  const failed = [...(templates ? [] : [templateRead]), ...(periods ? [] : [periodRead])].filter(({ error }) => error)
  const [choice, setChoice] = useState<string>()
  const [isOpen, setOpen] = useState(false)
  const list = templates?.list ?? []
  const last = periods?.list[0]
  const wanted = choice ?? last?.template ?? last?.type ?? 'xlsx'
  const template = list.find(({ id }) => id === wanted)
  const type = template?.type ?? reportTypes.find(name => name === wanted) ?? last?.type ?? 'xlsx'
  const field = failed[0] ? (
    <Trouble error={failed[0].error} onRetry={() => failed.forEach(({ readAgain }) => void readAgain())} />
  ) : (
    <>
      <SelectField
        label={t('file')}
        disabled={!isLoaded}
        value={template?.id ?? type}
        onText={setChoice}
        options={reportTypes.map(name => [name, `${t('standard')} · ${t(`report:export.${name}`)}`] as const)}
        groups={
          list.length === 0 ? [] : [{ label: t('title'), options: list.map(({ id, name }) => [id, name] as const) }]
        }
      />
      <Button look="quiet" icon={<FileSpreadsheet className="icon" aria-hidden="true" />} onClick={() => setOpen(true)}>
        {t('button')}
      </Button>
      <Suspense>{isOpen && <ReportTemplates dates={dates} onClose={() => setOpen(false)} />}</Suspense>
    </>
  )
  return {
    field,
    /** Until then the choice is not the one that the page will show, so nobody may close with it. */
    isLoaded,
    chosen: { type, ...(template ? { template: template.id } : { template: undefined, columns: [...payrollColumns] }) },
  }
}
