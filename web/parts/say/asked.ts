import { useEffect, useRef } from 'react'
import { useAddress } from '../field/address.ts'

/**
 * Does what the address of a page asks for by a name, such as `?new`, as soon as there is a way to. It is taken out of the
 * address at once, so that nobody comes back to a form that was closed.
 */
export const useAsked = (name: string, then: ((value: string) => void) | undefined) => {
  const { address, set } = useAddress()
  const value = address.get(name)
  const latest = useRef(then)
  latest.current = then
  const isReady = then !== undefined
  useEffect(() => {
    if (value === null || !isReady) return
    latest.current?.(value)
    set({ [name]: undefined })
  }, [name, value, isReady, set])
}
