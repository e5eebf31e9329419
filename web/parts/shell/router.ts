import { useCallback } from 'react'
import { type NavigateFunction, useLocation, useNavigate } from 'react-router-dom'

// The only file that imports the router's package, so that a change of the package changes one file.
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
  useParams,
  useSearchParams,
} from 'react-router-dom'

/**
 * Navigates from a page. If the user has left that page meanwhile, the call does nothing. The frame uses the router's
 * `useNavigate`, because it may navigate while the next page loads.
 */
export const usePageNavigate = () => {
  const navigate = useNavigate()
  const { pathname } = useLocation()
  return useCallback(
    (...to: Parameters<typeof navigate>) => (location.pathname === pathname ? navigate(...to) : undefined),
    [navigate, pathname],
  ) as NavigateFunction
}

type Hold = (event: PopStateEvent) => void
const holds: Hold[] = []

// Registers before the router's listener, because the window calls its listeners in order.
addEventListener('popstate', event => holds.at(-1)?.(event))

/** Calls `hold` on each `popstate` before the router handles it. Returns a function that removes it. */
export const holdHistory = (hold: Hold): (() => void) => {
  holds.push(hold)
  return () => {
    const place = holds.lastIndexOf(hold)
    if (place >= 0) holds.splice(place, 1)
  }
}
