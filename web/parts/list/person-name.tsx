import { ListFilter, PanelRight } from 'lucide-react'
import { useCallback } from 'react'
import { useTranslation } from 'react-i18next'
import { erasedFirstName } from '../../../shared/erasure.ts'
import { fullName } from '../../person-name.ts'
import { PersonLink } from '../person-link.tsx'
import { Avatar } from '../shell/avatar.tsx'
import { PersonAvatar } from './person-avatar.tsx'

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

type Listed = { first_name: string; last_name: string; photo?: string | undefined; workno?: string } & (
  | { employee: string }
  | { id: string }
)
/** The person of a row. A request has an id of its own. Only a list of people holds their photos. */
export const personIn = (row: Listed) => ('employee' in row ? row.employee : row.id)

/**
 * A person in a list: the photo, the name as a link to the person's page, and with `hasNumber` the employee ID. A button
 * beside the name filters the list by the person (`onFilter`), or opens the row (`onPress`).
 */
export function PersonName(props: {
  person: Listed
  hasNumber?: boolean
  onFilter?: () => void
  onPress?: () => void
}) {
  const { t } = useTranslation('shell')
  const { person, hasNumber, onFilter, onPress } = props
  const shown = useShownName()
  const name = shown(fullName(person))
  const press = onFilter ?? onPress
  return (
    <span className="two">
      {'employee' in person ? (
        <PersonAvatar id={person.employee} person={person} />
      ) : (
        <Avatar person={person} photo={person.photo} />
      )}
      <span className="named">
        <PersonLink id={personIn(person)} className="row-title">
          {name}
        </PersonLink>
        {hasNumber && (
          <>
            {' '}
            <span className="muted figure">{person.workno}</span>
          </>
        )}
      </span>
      {press && (
        <button
          type="button"
          className="row-act"
          aria-label={t(onFilter ? 'row.filter' : 'row.open', { name })}
          title={t(onFilter ? 'row.filter' : 'row.open', { name })}
          onClick={event => {
            // Stops the event, because the row would open a second time.
            event.stopPropagation()
            press()
          }}
        >
          {onFilter ? (
            <ListFilter className="icon" aria-hidden="true" />
          ) : (
            <PanelRight className="icon" aria-hidden="true" />
          )}
        </button>
      )}
    </span>
  )
}
