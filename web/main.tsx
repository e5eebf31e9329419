import { type ComponentType, lazy, StrictMode, Suspense, useLayoutEffect, useRef } from 'react'
import { createRoot } from 'react-dom/client'
import { startLanguage } from './language.ts'
import { Toasts } from './parts/say/toast.tsx'
import { Boundary } from './parts/shell/boundary.tsx'
import { BrowserRouter, Navigate, Route, Routes, useLocation } from './parts/shell/router.ts'
import { Splash } from './parts/shell/splash.tsx'
import { SessionProvider, signInFor, useSession } from './session.tsx'
import './theme.css'

const Login = lazy(() => import('./pages/door/login.tsx'))
const Register = lazy(() => import('./pages/door/register.tsx'))
const Forget = lazy(() => import('./pages/door/forget.tsx'))
const Sign = lazy(() => import('./pages/door/sign.tsx'))
const SignLink = lazy(() => import('./pages/door/sign-link.tsx'))
const Join = lazy(() => import('./pages/door/join.tsx'))
const Expired = lazy(() => import('./pages/door/expired.tsx'))
const Organization = lazy(() => import('./pages/organization.tsx'))
const NewOrganization = lazy(async () => ({ default: (await import('./pages/organization.tsx')).NewOrganization }))
const PrintGlobal = lazy(async () => ({ default: (await import('./pages/print.tsx')).PrintGlobal }))
const PrintUser = lazy(async () => ({ default: (await import('./pages/print.tsx')).PrintUser }))
const Missing = lazy(() => import('./pages/missing.tsx'))
const Reading = lazy(() => import('./pages/reading.tsx'))
// Loads lazily, because no page needs it to render. The load must end before the connection fails.
const Offline = lazy(() => import('./parts/shell/offline.tsx'))
// The pages before sign-in do not need the table of pages and its imports.
const Framed = lazy(() => import('./framed.tsx'))

/** Shows a page without the frame to any signed-in person, on both sides. Redirects other visitors to sign-in. */
function SignedIn({ View }: { View: ComponentType }) {
  const { person, reload } = useSession()
  const { pathname, search } = useLocation()
  if (person === 'loading' || person === 'unreachable') {
    return <Splash onRetry={person === 'unreachable' ? reload : undefined} />
  }
  return person ? <View /> : <Navigate to={signInFor(pathname + search)} replace />
}

/** Scrolls to the top when the page changes. */
function ScrollToTop() {
  const { pathname, hash } = useLocation()
  const shownPath = useRef(pathname)
  useLayoutEffect(() => {
    const isSame = shownPath.current === pathname
    shownPath.current = pathname
    if (isSame || hash) return
    scrollTo(0, 0)
    document.getElementById('page')?.scrollTo(0, 0)
  }, [pathname, hash])
  return null
}

function Pages() {
  const { pathname, search } = useLocation()
  return (
    <Boundary at={pathname + search}>
      <Routes>
        <Route path="/" element={<Navigate to="/dashboard" replace />} />
        <Route path="/login" element={<Login side="management" />} />
        <Route path="/login/sign" element={<Sign />} />
        <Route path="/login/link" element={<SignLink />} />
        <Route path="/login/employee" element={<Login side="user" />} />
        <Route path="/register" element={<Register />} />
        <Route path="/forget" element={<Navigate to="/forget/email" replace />} />
        <Route path="/forget/email" element={<Forget />} />
        <Route path="/join" element={<Join />} />
        <Route path="/expired" element={<Expired />} />
        <Route path="/organization" element={<SignedIn View={Organization} />} />
        <Route path="/organization/new" element={<SignedIn View={NewOrganization} />} />
        <Route path="/printGlobal" element={<SignedIn View={PrintGlobal} />} />
        <Route path="/printUser" element={<SignedIn View={PrintUser} />} />
        <Route path="/terms" element={<Reading page="terms" />} />
        <Route path="/privacy" element={<Reading page="privacy" />} />
        <Route path="/help" element={<Reading page="help" />} />
        <Route path="/404" element={<Missing />} />
        <Route path="*" element={<Framed />} />
      </Routes>
    </Boundary>
  )
}

startLanguage()

// A tab that was open during a deployment requests files that no longer exist. Reloads the page, at most once a minute.
addEventListener('vite:preloadError', event => {
  const lastReload = Number(sessionStorage.getItem('loadedAnewAt'))
  if (Date.now() - lastReload < 60_000) return
  sessionStorage.setItem('loadedAnewAt', String(Date.now()))
  event.preventDefault()
  location.reload()
})

const root = document.getElementById('root')
if (root) {
  createRoot(root).render(
    <StrictMode>
      <Suspense fallback={<Splash />}>
        <BrowserRouter>
          <SessionProvider>
            <Pages />
            <ScrollToTop />
            <Toasts />
            <Suspense>
              <Offline />
            </Suspense>
          </SessionProvider>
        </BrowserRouter>
      </Suspense>
    </StrictMode>,
  )
}
