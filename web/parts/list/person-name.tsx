import { useCallback } from 'react'
import { useTranslation } from 'react-i18next'
import { erasedFirstName } from '../../../shared/erasure.ts'
import { fullName } from '../../person-name.ts'
import { Avatar } from '../shell/avatar.tsx'

/**
 * Formats a full name for display. An erased person appears as erased, with a pseudonym that distinguishes erased
 * people.
 */
export const useShownName = () => {
  const { t } = useTranslation('shell')
  return useCallback(
    (name: string) =>
      name.startsWith(`${erasedFirstName} `) ? `${t('erased')} ${name.slice(erasedFirstName.length + 1)}`.trim() : name,
    [t],
  )
}

/** A person in a list: the photo, the name as a button, and with `hasNumber` the employee ID. */
export function PersonName(props: {
  person: { first_name: string; last_name: string; photo?: string | undefined; workno?: string }
  hasNumber?: boolean
  onPress: () => void
}) {
  const { person, hasNumber } = props
  const shown = useShownName()
  return (
    <span className="two">
      <Avatar person={person} />
      <span className="named">
        <button
          type="button"
          className="row-title"
          onClick={event => {
            // Stops the event, because the row would open the person a second time.
            event.stopPropagation()
            props.onPress()
          }}
        >
          {shown(fullName(person))}
        </button>
        {hasNumber && (
          <>
            {' '}
            <span className="muted figure">{person.workno}</span>
          </>
        )}
      </span>
    </span>
  )
}
