import { useState } from 'react'

/** A person as their photo, or as two letters where there is none; the name stands beside it. */
export function Avatar({ person }: { person: { first_name: string; last_name: string; photo?: string | undefined } }) {
  const { photo } = person
  // An address that has ended shows nothing; the next list brings a new one.
  const [ended, setEnded] = useState<string>()
  if (photo && photo !== ended) return <img className="avatar" src={photo} alt="" onError={() => setEnded(photo)} />
  const letters = [person.first_name, person.last_name].map(name => [...name][0] ?? '')
  return (
    <span className="avatar" aria-hidden="true">
      {letters.join('').toUpperCase()}
    </span>
  )
}
