import { useTranslation } from 'react-i18next'
import { useFormats } from '../format.ts'
import { Page, Trouble } from '../parts/page.tsx'
import { FirstSteps, stepNames, useFirstSteps } from '../parts/shell/first-steps.tsx'
import { Link, Navigate } from '../parts/shell/router.ts'
import { HideSteps, SampleData } from '../parts/shell/sample-data.tsx'
import { useRead } from '../read.ts'
import { usePerson } from '../session.tsx'
import './guid.css'

/** The first steps of a company, with a check mark on finished steps. Employees see no steps. */
export default function Guid() {
  return usePerson().type === 'management' ? <Checklist /> : <Navigate to="/dashboard" replace />
}

function Checklist() {
  const { t } = useTranslation(['dashboard', 'shell'])
  const formats = useFormats()
  const { steps, error, readAgain } = useFirstSteps(true)
  const areHidden = useRead('company/get', {}).data?.areStepsHidden
  const done = steps?.filter(({ isDone }) => isDone).length ?? 0
  const of = steps?.length ?? 0
  const note = steps && t('steps.progress', { done: formats.number(done), of: formats.number(of) })
  return (
    <Page title={t('steps.title')} note={note} className="guid">
      {error && !steps ? (
        <Trouble error={error} onRetry={readAgain} />
      ) : (
        <>
          <p className="muted">{t(steps && done === of ? 'steps.ready' : 'steps.lead')}</p>
          {steps ? (
            <FirstSteps steps={steps} />
          ) : (
            <ol className="first-steps" aria-busy="true">
              {stepNames.map(line => (
                <li key={line} className="skeleton" style={{ height: 72 }} />
              ))}
            </ol>
          )}
          {steps && <SampleData />}
          <p className="guid-end">
            <Link className="button" to="/dashboard">
              {t('steps.toDay')}
            </Link>
            {areHidden !== undefined && <HideSteps areHidden={areHidden} />}
            <Link to="/help">{t('shell:menu.help')}</Link>
          </p>
        </>
      )}
    </Page>
  )
}
