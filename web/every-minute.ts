import { useEffect, useRef } from 'react'

const minute = 60_000

/** Does something once a minute while somebody looks: for what changes by the clock, or without anybody being told. */
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
