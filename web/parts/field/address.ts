import { useCallback } from 'react'
import { isDay } from '../../../shared/local-day.ts'
import { useLocation, useSearchParams } from '../shell/router.ts'

/** What is to stand in the address; what is undefined or empty is taken out of it. */
export type AddressChanges = Readonly<Record<string, string | undefined>>

/** A day that stands in an address, but for what is none. */
export const dayAt = (address: URLSearchParams, name: string): string | undefined => {
  const day = address.get(name)
  return day !== null && isDay(day) ? day : undefined
}

/**
 * What a page shows stands in its address, so that a link or the back button brings it again. A change takes the place of what was
 * there, unless it is a step one may want to go back. It is the page's own alone: where an answer comes late, another one may be shown.
 */
export const useAddress = () => {
  const [address, setAddress] = useSearchParams()
  const { pathname } = useLocation()
  const set = useCallback(
    (changes: AddressChanges, isStep = false) =>
      location.pathname === pathname &&
      setAddress(
        () => {
          // What stands there now, which the page may not show yet: two changes after each other are both kept.
          const next = new URLSearchParams(location.search)
          for (const [name, value] of Object.entries(changes)) value ? next.set(name, value) : next.delete(name)
          return next
        },
        { replace: !isStep },
      ),
    [setAddress, pathname],
  )
  return { address, set }
}
