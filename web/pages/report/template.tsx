import { FileSpreadsheet, Plus } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { csvFormatOf } from '../../../shared/csv-format.ts'
import { roles } from '../../../shared/permissions.ts'
import { Button } from '../../parts/button.tsx'
import { ListEnd } from '../../parts/list/list-end.tsx'
import { Panel } from '../../parts/list/panel.tsx'
import { Empty, Trouble } from '../../parts/page.tsx'
import { useList, useRead } from '../../read.ts'
import { usePerson } from '../../session.tsx'
import { type StoredTemplate, TemplateForm } from './template-form.tsx'
import './template.css'

/** The templates of payroll files. Administrators edit them; everyone else sees which there are. */
export default function ReportTemplates({
  dates,
  onClose,
}: {
  dates: { from: string; to: string }
  onClose: () => void
}) {
  const { t, i18n } = useTranslation('report-template')
  const { employee } = usePerson()
  const list = useList('report/template/grid', {})
  const [open, setOpen] = useState<StoredTemplate | 'new'>()
  const { data: company } = useRead('company/get', {})
  const isAdministrator = employee.role === roles.administrator
  if (open && company)
    return (
      <TemplateForm
        template={open === 'new' ? undefined : open}
        csv={csvFormatOf(company, i18n.language)}
        dates={dates}
        onClose={() => setOpen(undefined)}
      />
    )
  return (
    <Panel
      title={t('title')}
      onClose={onClose}
      foot={
        isAdministrator && (
          <Button look="primary" icon={<Plus className="icon" aria-hidden="true" />} onClick={() => setOpen('new')}>
            {t('add')}
          </Button>
        )
      }
    >
      <div className="panel-body" aria-busy={!list.rows && !list.error}>
        <p className="muted">{t('text')}</p>
        {Boolean(list.error) && !list.rows && <Trouble error={list.error} onRetry={list.readAgain} />}
        {list.rows?.length === 0 && (
          <Empty icon={<FileSpreadsheet />} title={t('empty')}>
            {t(isAdministrator ? 'emptyText' : 'onlyAdministrators')}
          </Empty>
        )}
        <ul className="mailed">
          {list.rows?.map(template => (
            <li key={template.id}>
              {isAdministrator ? (
                <button type="button" className="row-title" onClick={() => setOpen(template)}>
                  {template.name}
                </button>
              ) : (
                <strong>{template.name}</strong>
              )}
              <p className="muted small">
                {t(`layout.${template.layout}`)} · {template.type.toUpperCase()} · {t(`unit.${template.unit}`)}
              </p>
            </li>
          ))}
          <ListEnd list={list} />
        </ul>
      </div>
    </Panel>
  )
}
