import { Check, Circle } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { passwordRuleNames, passwordRules } from '../../password.ts'

/**
 * The password rules, with a check mark on each rule that the typed password meets. The server checks the password
 * again.
 */
export function Strength({ password }: { password: string }) {
  const { t } = useTranslation('register')
  return (
    <ul className="strength small" aria-label={t('passwordNeeds')}>
      {passwordRuleNames.map(rule => {
        const isMet = passwordRules[rule](password)
        return (
          <li key={rule} className={isMet ? 'met' : undefined}>
            {isMet ? <Check className="icon" aria-hidden="true" /> : <Circle className="icon" aria-hidden="true" />}
            {t(`rule.${rule}`)}
            {isMet && <span className="unseen"> ✓</span>}
          </li>
        )
      })}
    </ul>
  )
}
