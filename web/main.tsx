import { type ComponentType, lazy, StrictMode, Suspense } from 'react'
import { createRoot } from 'react-dom/client'
import { startLanguage } from './language.ts'
import { guard, type Page, pages } from './pages.tsx'
import { BrowserRouter, Navigate, Route, Routes, useLocation } from './parts/router.ts'
import { Splash } from './parts/splash.tsx'
import { Toasts } from './parts/toast.tsx'
import { SessionProvider, useSession } from './session.tsx'
import './theme.css'

const Login = lazy(() => import('./pages/login.tsx'))
const Register = lazy(() => import('./pages/register.tsx'))
const Forget = lazy(() => import('./pages/forget.tsx'))
const Sign = lazy(() => import('./pages/sign.tsx'))
const SignLink = lazy(() => import('./pages/sign-link.tsx'))
const Join = lazy(() => import('./pages/join.tsx'))
const Expired = lazy(() => import('./pages/expired.tsx'))
const Organization = lazy(() => import('./pages/organization.tsx'))
const NewOrganization = lazy(async () => ({ default: (await import('./pages/organization.tsx')).NewOrganization }))
const PrintGlobal = lazy(async () => ({ default: (await import('./pages/print.tsx')).PrintGlobal }))
const PrintUser = lazy(async () => ({ default: (await import('./pages/print.tsx')).PrintUser }))
const Missing = lazy(() => import('./pages/missing.tsx'))
const Reading = lazy(() => import('./pages/reading.tsx'))
const Shell = lazy(() => import('./parts/shell.tsx'))

const signInFor = (address: string) => `/login?redirect=${encodeURIComponent(address)}`

/** Lets in who is signed in, on whatever side, outside of the frame of the other pages. */
function SignedIn({ View }: { View: ComponentType }) {
  const { person, reload } = useSession()
  const { pathname, search } = useLocation()
  if (person === 'loading' || person === 'unreachable') {
    return <Splash onRetry={person === 'unreachable' ? reload : undefined} />
  }
  return person ? <View /> : <Navigate to={signInFor(pathname + search)} replace />
}

/** Lets in who may open the page and leads everybody else on; the search part of an address is kept through sign-in. */
function Guarded({ page }: { page: Page }) {
  const { person, reload } = useSession()
  const { pathname, search } = useLocation()
  if (person === 'loading' || person === 'unreachable') {
    return <Splash onRetry={person === 'unreachable' ? reload : undefined} />
  }
  const to = guard(page, person)
  if (!person) return <Navigate to={signInFor(pathname + search)} replace />
  if (to !== page.path) return <Navigate to={to} replace />
  return <page.View />
}

/** The frame around every signed-in page stays while the pages inside of it change. */
function Framed() {
  const { person } = useSession()
  return typeof person === 'object' ? (
    <Shell>
      <Suspense fallback={<Splash inside />}>
        <PageRoutes />
      </Suspense>
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

startLanguage()

const root = document.getElementById('root')
if (root) {
  createRoot(root).render(
    <StrictMode>
      <Suspense fallback={<Splash />}>
        <BrowserRouter>
          <SessionProvider>
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
            <Toasts />
          </SessionProvider>
        </BrowserRouter>
      </Suspense>
    </StrictMode>,
  )
}
