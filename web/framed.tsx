import i18next from 'i18next'
import { lazy, Suspense } from 'react'
import { guard, type Page, pages, personPath } from './menu.ts'
import { views } from './pages.tsx'
import { Boundary } from './parts/shell/boundary.tsx'
import { Navigate, Route, Routes, useLocation } from './parts/shell/router.ts'
import { Splash } from './parts/shell/splash.tsx'
import { signInFor, useSession } from './session.tsx'

/** Loads the frame's texts together with its code, so that the frame never appears without texts. */
const Shell = lazy(
  async () => (await Promise.all([import('./parts/shell/shell.tsx'), i18next.loadNamespaces(['profile', 'quick'])]))[0],
)

/**
 * Shows the page if the user may open it, otherwise redirects. A redirect to sign-in keeps the query of the address.
 */
function Guarded({ page }: { page: Page }) {
  const { person, reload } = useSession()
  const { pathname, search, hash, state } = useLocation()
  if (person === 'loading' || person === 'unreachable') {
    return <Splash onRetry={person === 'unreachable' ? reload : undefined} />
  }
  const to = guard(page, person)
  if (!person) return <Navigate to={signInFor(pathname + search)} replace />
  // A person who signs in for a page of the other side starts at their own dashboard.
  if (to === '/404' && state?.isAfterSignIn) return <Navigate to="/dashboard" replace />
  if (to !== page.path) return <Navigate to={to} replace />
  // The router also accepts capitals and a trailing slash; the menus compare the exact path.
  if (pathname !== page.path && page.path !== personPath) return <Navigate to={page.path + search + hash} replace />
  const View = views[page.name]
  return <View />
}

/** The frame around every signed-in page, mounted while the pages inside it change. */
export default function Framed() {
  const { person } = useSession()
  const { pathname, search } = useLocation()
  return typeof person === 'object' ? (
    <Shell>
      <Boundary at={pathname + search}>
        <Suspense fallback={<Splash inside />}>
          <PageRoutes />
        </Suspense>
      </Boundary>
    </Shell>
  ) : (
    <PageRoutes />
  )
}

const PageRoutes = () => (
  <Routes>
    {pages.map(page => (
      <Route key={page.path} path={page.path} element={<Guarded page={page} />} />
    ))}
    <Route path="/system" element={<Navigate to="/system/company" replace />} />
    <Route path="*" element={<Navigate to="/404" replace />} />
  </Routes>
)
