import { useCallback } from 'react'
import { useTranslation } from 'react-i18next'
import { erasedFirstName } from '../../../shared/erasure.ts'
import { fullName } from '../../person-name.ts'
import { Avatar } from '../shell/avatar.tsx'

/** A full name as it is shown: of who was erased it says so, with the pseudonym that tells one from another. */
export const useShownName = () => {
  const { t } = useTranslation('shell')
  return useCallback(
    (name: string) =>
      name.startsWith(`${erasedFirstName} `) ? `${t('erased')} ${name.slice(erasedFirstName.length + 1)}`.trim() : name,
    [t],
  )
}

/** A person in a list: the photo, the name to press, and the number where it has no column of its own. */
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
      <span>
        <button
          type="button"
          className="row-title"
          onClick={event => {
            // The row would do it a second time.
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
