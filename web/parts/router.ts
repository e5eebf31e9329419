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
