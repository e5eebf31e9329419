import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import {
  call,
  isFault,
  isTokenOutdated,
  keepToken,
  leaveToken,
  onSessionEnd,
  type PathOutput,
  readToken,
} from './api.ts'
import { Ask, overPage } from './parts/say/ask.tsx'
import { setNameOrder } from './person-name.ts'

// The session of the signed-in person. A stored token means that a person is signed in. The server says which person.

export type Person = PathOutput<'auth/get'>

export interface Session {
  /**
   * `undefined` without a signed-in person. `'loading'` until the server has named the token's person. `'unreachable'`
   * if the server did not answer.
   */
  person: Person | 'loading' | 'unreachable' | undefined
  signIn: (token: string) => void
  signOut: () => Promise<void>
  /** Switches to another side or company: stores the new token and reloads the site at `address`. */
  moveTo: (token: string, address?: string) => void
  /** Reads the person again, after a change to their data or after a failed request. */
  reload: () => void
}

const SessionContext = createContext<Session | undefined>(undefined)

export const useSession = () => {
  const session = useContext(SessionContext)
  if (!session) throw new Error('useSession stands outside of SessionProvider')
  return session
}

/** The sign-in page that redirects to an address of this site afterwards. */
export const signInFor = (address: string) => `/login?redirect=${encodeURIComponent(address)}`

/** The signed-in person, for components that only a signed-in person sees. Throws if there is none. */
export const usePerson = () => {
  const { person } = useSession()
  if (typeof person !== 'object') throw new Error('usePerson stands where nobody is signed in')
  return person
}

export function SessionProvider({ children }: { children: ReactNode }) {
  const { t } = useTranslation()
  const [token, setToken] = useState(readToken)
  const [person, setPerson] = useState<Session['person']>(token ? 'loading' : undefined)
  const [reads, setReads] = useState(0)
  const [ended, setEnded] = useState(false)

  // biome-ignore lint/correctness/useExhaustiveDependencies: `reads` counts the requests to read again.
  useEffect(() => {
    if (!token) return setPerson(undefined)
    let current = true
    call('auth/get', {}).then(
      answer => {
        setNameOrder(answer)
        if (current) setPerson(answer)
      },
      error => {
        // An ended session asks the user to sign in again. After any other error the user can retry.
        const isEnded = isFault(error) && (error.code === 101 || error.code === 502)
        if (current && !isEnded) setPerson(previous => (typeof previous === 'object' ? previous : 'unreachable'))
      },
    )
    return () => {
      current = false
    }
  }, [token, reads])

  useEffect(() => onSessionEnd(() => readToken() && setEnded(true)), [])

  // If the server was unreachable, reads the person again when the browser is online.
  useEffect(() => {
    const readAgain = () => setReads(count => count + 1)
    if (person === 'unreachable') addEventListener('online', readAgain)
    return () => removeEventListener('online', readAgain)
  }, [person])

  // A sign-in or sign-out in another tab reloads this tab. If unsaved changes keep the user here, the tab keeps its
  // person.
  useEffect(() => {
    const follow = ({ key }: StorageEvent) =>
      (key === 'token' || key === null) && isTokenOutdated() && location.reload()
    addEventListener('storage', follow)
    return () => removeEventListener('storage', follow)
  }, [])

  const session = useMemo<Session>(
    () => ({
      person,
      signIn: fresh => {
        keepToken(fresh)
        setPerson('loading')
        setToken(fresh)
      },
      signOut: async () => {
        // Signs out of this browser even if the server does not answer.
        await call('user/login/off', {}).catch(() => {})
        keepToken(null)
        // Reloads, so that the next person finds no cached data of this person.
        location.assign('/login')
      },
      moveTo: (fresh, address = '/') => {
        leaveToken(fresh)
        location.assign(address)
      },
      reload: () => setReads(count => count + 1),
    }),
    [person],
  )

  const signInAgain = () => {
    keepToken(null)
    location.reload()
  }

  return (
    <SessionContext value={session}>
      {children}
      {ended &&
        overPage(
          <Ask
            title={t('ended.title')}
            yes={t('ended.again')}
            no={t('cancel')}
            onYes={signInAgain}
            onNo={() => setEnded(false)}
          >
            {t('ended.text')}
          </Ask>,
        )}
    </SessionContext>
  )
}
