import { Avatar } from './avatar.tsx'

/** A person in a list: the photo, the name to press, and the number where it has no column of its own. */
export function PersonName(props: {
  person: { first_name: string; last_name: string; photo?: string | undefined; workno?: string }
  hasNumber?: boolean
  onPress: () => void
}) {
  const { person, hasNumber } = props
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
          {person.first_name} {person.last_name}
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
