import { createContext, type ReactNode, useContext } from 'react'
import { useMayOpen } from '../menu.ts'
import { Link } from './shell/router.ts'

/** The people of the list around a name, in its order. The person's page steps through them. */
export const ListedPeople = createContext<readonly string[] | undefined>(undefined)

/** The ids of the people in the rows of a list, each once. Undefined for a list of other objects. */
export const peopleIn = (rows: readonly unknown[] | undefined): readonly string[] | undefined => {
  const ids = new Set<string>()
  for (const row of rows ?? []) {
    if (!(row instanceof Object) || !('workno' in row)) return undefined
    // The rows of requests and days have ids of their own.
    const id = 'employee' in row ? row.employee : 'id' in row ? row.id : undefined
    if (typeof id === 'string') ids.add(id)
  }
  return [...ids]
}

/** The state of the navigation to a person's page. */
export interface FromList {
  people?: readonly string[] | undefined
}

/** Whether the user may open people's pages. */
export const useMayOpenPerson = () => useMayOpen()('/employee/:id')

/** A name that leads to the person's page. Without the permission it is plain text. */
export function PersonLink(props: { id: string; className?: string; tabIndex?: number; children: ReactNode }) {
  const { id, className, tabIndex, children } = props
  const mayOpen = useMayOpenPerson()
  const people = useContext(ListedPeople)
  if (!mayOpen) return <span className={className}>{children}</span>
  const state: FromList = { people }
  return (
    <Link
      to={`/employee/${id}`}
      state={state}
      className={className}
      tabIndex={tabIndex}
      // A row would open its own panel as well.
      onClick={event => event.stopPropagation()}
    >
      {children}
    </Link>
  )
}
