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

// Who is signed in. Signed in means a token is stored; who that is, the server tells.

export type Person = PathOutput<'auth/get'>

export interface Session {
  /** `undefined` while nobody is signed in, `'loading'` until the server has said who holds the token. */
  person: Person | 'loading' | 'unreachable' | undefined
  signIn: (token: string) => void
  signOut: () => Promise<void>
  /** Another side or company: a new token, and everything is loaded afresh. */
  moveTo: (token: string, address?: string) => void
  /** Asks again who is signed in, after something about them changed or when no answer came. */
  reload: () => void
}

const SessionContext = createContext<Session | undefined>(undefined)

export const useSession = () => {
  const session = useContext(SessionContext)
  if (!session) throw new Error('useSession stands outside of SessionProvider')
  return session
}

/** Where a stranger signs in to be led back to an address of this site. */
export const signInFor = (address: string) => `/login?redirect=${encodeURIComponent(address)}`

/** The signed-in person, for what is only ever shown to one. */
export const usePerson = () => {
  const { person } = useSession()
  if (typeof person !== 'object') throw new Error('usePerson stands where nobody is signed in')
  return person
}

export function SessionProvider({ children }: { children: ReactNode }) {
  const { t } = useTranslation()
  const [token, setToken] = useState(readToken)
  const [person, setPerson] = useState<Session['person']>(token ? 'loading' : undefined)
  const [asked, setAsked] = useState(0)
  const [ended, setEnded] = useState(false)

  // biome-ignore lint/correctness/useExhaustiveDependencies: `asked` counts how often to ask again.
  useEffect(() => {
    if (!token) return setPerson(undefined)
    let current = true
    call('auth/get', {}).then(
      answer => {
        setNameOrder(answer)
        if (current) setPerson(answer)
      },
      error => {
        // An ended session brings its own question; anything else is a line that can be tried again.
        const isEnded = isFault(error) && (error.code === 101 || error.code === 502)
        if (current && !isEnded) setPerson(was => (typeof was === 'object' ? was : 'unreachable'))
      },
    )
    return () => {
      current = false
    }
  }, [token, asked])

  useEffect(() => onSessionEnd(() => readToken() && setEnded(true)), [])

  // Who could not be told apart without a connection is asked for again when it is back.
  useEffect(() => {
    const again = () => setAsked(times => times + 1)
    if (person === 'unreachable') addEventListener('online', again)
    return () => removeEventListener('online', again)
  }, [person])

  // Signed in or out in another tab: this tab follows. Where somebody keeps it for what is not saved, it stays who it was.
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
        // The person leaves this browser even when the server cannot be told.
        await call('user/login/off', {}).catch(() => {})
        keepToken(null)
        // Loaded afresh, so that nothing of what was read stays in the page for whoever signs in next.
        location.assign('/login')
      },
      moveTo: (fresh, address = '/') => {
        leaveToken(fresh)
        location.assign(address)
      },
      reload: () => setAsked(times => times + 1),
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
