import { TriangleAlert } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useRead } from '../read.ts'
import { Trouble } from './page.tsx'
import { Splash } from './shell/splash.tsx'
import './sign-in-note.css'

export const useSignIn = (employee: string) => useRead('employee/sign_in', { id: employee })

/** Shows how a person signs in. An administrator can check the address before assigning a management role. */
export function SignInNote({ employee }: { employee: string }) {
  const { t } = useTranslation('role')
  const { data, error, readAgain } = useSignIn(employee)
  if (error) return <Trouble error={error} onRetry={readAgain} />
  if (!data) return <Splash inside />
  const { email, canSignIn, givenBy, mustJoin } = data
  return (
    <div className="sign-in-note">
      <dl className="facts">
        <dt>{t(email && !canSignIn ? 'users.ask.invited' : 'users.ask.signsIn')}</dt>
        <dd>{email ?? t(canSignIn ? 'users.ask.byNumber' : 'users.ask.never')}</dd>
        {givenBy && (
          <>
            <dt>{t('users.ask.givenBy')}</dt>
            <dd>{givenBy}</dd>
          </>
        )}
      </dl>
      {mustJoin && (
        <p className="notice warn">
          <TriangleAlert className="icon" aria-hidden="true" />
          <span>{t('users.ask.mustJoin')}</span>
        </p>
      )}
    </div>
  )
}
