import { useEffect, useRef } from 'react'

const minute = 60_000

/**
 * Runs `act` once a minute while the page is visible. For data that changes with time, or that the server does not
 * push.
 */
export const useEveryMinute = (act: () => void) => {
  const latest = useRef(act)
  latest.current = act
  useEffect(() => {
    const timer = window.setInterval(() => {
      if (document.visibilityState === 'visible') latest.current()
    }, minute)
    return () => window.clearInterval(timer)
  }, [])
}
