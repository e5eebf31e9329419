import { useCallback } from 'react'
import { isDay } from '../../../shared/local-day.ts'
import { useLocation, useSearchParams } from '../shell/router.ts'

/** New values of query parameters; undefined or empty removes a parameter. */
export type AddressChanges = Readonly<Record<string, string | undefined>>

/** The day in a query parameter, or undefined if the value is no valid day. */
export const dayAt = (address: URLSearchParams, name: string): string | undefined => {
  const day = address.get(name)
  return day !== null && isDay(day) ? day : undefined
}

/**
 * The state of a page in its query parameters, so that a link or the back button restores it. A change replaces the
 * history entry; with `isStep` it adds an entry. After the user has left the page, `set` does nothing, for example
 * after a late answer.
 */
export const useAddress = () => {
  const [address, setAddress] = useSearchParams()
  const { pathname, state } = useLocation()
  const set = useCallback(
    (changes: AddressChanges, isStep = false) =>
      location.pathname === pathname &&
      setAddress(
        () => {
          // Starts from the current address, which the page may not have rendered yet. So two quick changes both apply.
          const next = new URLSearchParams(location.search)
          for (const [name, value] of Object.entries(changes)) value ? next.set(name, value) : next.delete(name)
          return next
        },
        // The entry keeps what the link to the page handed over.
        { replace: !isStep, state },
      ),
    [setAddress, pathname, state],
  )
  return { address, set }
}
