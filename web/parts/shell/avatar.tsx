import { useState } from 'react'
import { initials } from '../../person-name.ts'

/** A person's photo; without one, two letters of the name. */
export function Avatar({ person, photo }: { person: Parameters<typeof initials>[0]; photo?: string | undefined }) {
  // The address of a photo expires, and then the avatar shows the initials. The next list contains a new address.
  const [expired, setExpired] = useState<string>()
  if (photo && photo !== expired) return <img className="avatar" src={photo} alt="" onError={() => setExpired(photo)} />
  return (
    <span className="avatar" aria-hidden="true">
      {initials(person)}
    </span>
  )
}
