import { useCallback } from 'react'
import { type NavigateFunction, useLocation, useNavigate } from 'react-router-dom'

// The one place that names the router's package, so that its next name changes one line.
export {
  BrowserRouter,
  Link,
  Navigate,
  NavLink,
  Outlet,
  Route,
  Routes,
  UNSAFE_NavigationContext as NavigationContext,
  useLocation,
  useNavigate,
  useSearchParams,
} from 'react-router-dom'

/**
 * A page's own steps: whoever has left it while it waited for an answer is not led on from where they are by now. What stands around
 * the pages leads on also while the next one is being loaded, and takes the router's.
 */
export const usePageNavigate = () => {
  const step = useNavigate()
  const { pathname } = useLocation()
  return useCallback(
    (...to: Parameters<typeof step>) => (location.pathname === pathname ? step(...to) : undefined),
    [step, pathname],
  ) as NavigateFunction
}

type Hold = (event: PopStateEvent) => void
const holds: Hold[] = []

// Heard before the router begins to listen: what comes first on the window is told first.
addEventListener('popstate', event => holds.at(-1)?.(event))

/** Lets somebody hear of a step in the browser's history before the router does; ends when the answer is called. */
export const holdHistory = (hold: Hold): (() => void) => {
  holds.push(hold)
  return () => {
    const place = holds.lastIndexOf(hold)
    if (place >= 0) holds.splice(place, 1)
  }
}
