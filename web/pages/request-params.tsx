import { useTranslation } from 'react-i18next'
import { Page } from '../parts/page.tsx'
import { ApproveParams } from './approve/params.tsx'
import { LeaveParams } from './leave/params.tsx'
import { PunchParams } from './params/punch-params.tsx'

/** What the company lets people ask for, and by which rules; each section saves by itself. */
export default function RequestParamsPage() {
  const { t } = useTranslation('leave')
  return (
    <Page title={t('requests.title')} note={t('requests.note')}>
      <LeaveParams />
      <ApproveParams />
      <PunchParams />
    </Page>
  )
}
