import { useState } from 'react'
import { initials } from '../../person-name.ts'

/** A person's photo; without one, two letters of the name. */
export function Avatar({
  person,
}: {
  person: { first_name: string; last_name: string; photo?: string | undefined } | string
}) {
  const photo = typeof person === 'string' ? undefined : person.photo
  // The address of a photo expires, and then the avatar shows the initials. The next list contains a new address.
  const [expired, setExpired] = useState<string>()
  if (photo && photo !== expired) return <img className="avatar" src={photo} alt="" onError={() => setExpired(photo)} />
  return (
    <span className="avatar" aria-hidden="true">
      {initials(person)}
    </span>
  )
}
