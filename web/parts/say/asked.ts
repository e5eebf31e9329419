import { useEffect, useRef } from 'react'
import { useAddress } from '../field/address.ts'

/**
 * Runs `act` with the value of a query parameter, such as `?new`, once `act` is defined. Then removes the parameter
 * from the address. So the back button does not open a closed form again.
 */
export const useAsked = (name: string, act: ((value: string) => void) | undefined) => {
  const { address, set } = useAddress()
  const value = address.get(name)
  const latest = useRef(act)
  latest.current = act
  const isReady = act !== undefined
  useEffect(() => {
    if (value === null || !isReady) return
    latest.current?.(value)
    set({ [name]: undefined })
  }, [name, value, isReady, set])
}
