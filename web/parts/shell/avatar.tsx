import { useState } from 'react'
import { initials } from '../../person-name.ts'

/** A person's photo, or two letters of the name. */
export function Avatar({
  person,
}: {
  person: { first_name: string; last_name: string; photo?: string | undefined } | string
}) {
  const photo = typeof person === 'string' ? undefined : person.photo
  // An address that has ended shows nothing; the next list brings a new one.
  const [ended, setEnded] = useState<string>()
  if (photo && photo !== ended) return <img className="avatar" src={photo} alt="" onError={() => setEnded(photo)} />
  return (
    <span className="avatar" aria-hidden="true">
      {initials(person)}
    </span>
  )
}
