/** A person as two letters; the name stands beside it. */
export function Avatar({ person }: { person: { first_name: string; last_name: string } }) {
  const letters = [person.first_name, person.last_name].map(name => [...name][0] ?? '')
  return (
    <span className="avatar" aria-hidden="true">
      {letters.join('').toUpperCase()}
    </span>
  )
}
