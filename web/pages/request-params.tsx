import { useTranslation } from 'react-i18next'
import { Page } from '../parts/page.tsx'
import { ApproveParams } from './approve/params.tsx'
import { LeaveParams } from './leave/params.tsx'
import { PunchParams } from './params/punch-params.tsx'

/** The company's rules for requests. Each section saves separately. */
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
