import { useTranslation } from 'react-i18next'
import { SettingsSheet } from '../parts/field/settings.tsx'
import { Page } from '../parts/page.tsx'
import { ApproveParams } from './approve/params.tsx'
import { AccountParams } from './leave/account-params.tsx'
import { LeaveParams } from './leave/params.tsx'
import { LeaveTypes } from './leave/types.tsx'
import { PunchParams } from './params/punch-params.tsx'

/** All settings of leave, and the company's rules for requests. One bar saves all sections. */
export default function RequestParamsPage() {
  const { t } = useTranslation('leave')
  return (
    <Page title={t('requests.title')} note={t('requests.note')}>
      <SettingsSheet>
        <LeaveTypes />
        <LeaveParams />
        <AccountParams />
        <ApproveParams />
        <PunchParams />
      </SettingsSheet>
    </Page>
  )
}
