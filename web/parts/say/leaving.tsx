import { useContext, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { holdHistory, NavigationContext, useLocation } from '../shell/router.ts'
import { Ask, overPage } from './ask.tsx'

/** One object for each form with unsaved changes. A page may have several forms, and a panel over it another one. */
const holders = new Set<object>()

/** While `when` is true, the form has unsaved changes, and leaving the page asks first. */
export const useUnsaved = (when: boolean) => {
  // A layout effect, because leaving must ask as soon as the page shows the change.
  useLayoutEffect(() => {
    if (!when) return
    const holder = {}
    holders.add(holder)
    return () => {
      holders.delete(holder)
    }
  }, [when])
}

export const hasUnsaved = () => holders.size > 0

/** All forms discard their changes. */
export const discardAll = () => holders.clear()

/** The router's index of a history entry. Jumps within a page have no index. */
const placeOf = (state: unknown) =>
  state instanceof Object && 'idx' in state && typeof state.idx === 'number' ? state.idx : undefined

/** The state of a navigation that keeps the page and its forms, such as another tab. */
export const withinPage = { isWithinPage: true }
const keepsPage = (href: string, state: unknown) =>
  new URL(href, location.href).pathname === location.pathname && state instanceof Object && 'isWithinPage' in state

const currentAddress = () => location.pathname + location.search

/**
 * While a form has unsaved changes, asks before a link, the menu or the back button leaves the page. The browser asks
 * before it closes or reloads the page. The frame around all pages renders this component once.
 */
export function LeaveQuestion() {
  const { navigator } = useContext(NavigationContext)
  const [onwards, setOnwards] = useState<() => void>()
  const { key, hash } = useLocation()
  /** The address and index of the shown page. `popstate` fires only after the browser has left that page. */
  const here = useRef({ address: '', place: 0 })
  // biome-ignore lint/correctness/useExhaustiveDependencies: every entry of the history has a key of its own.
  useEffect(() => {
    here.current = { address: currentAddress(), place: placeOf(history.state) ?? here.current.place + 1 }
  }, [key, hash])

  useEffect(() => {
    const { push, replace } = navigator
    let isReturning = false
    const hold =
      (go: typeof push): typeof push =>
      (...to) => {
        const href = navigator.createHref(to[0])
        if (holders.size === 0 || href === currentAddress() || keepsPage(href, to[1])) go(...to)
        else setOnwards(() => () => go(...to))
      }
    // Sends the browser back to this page. The router sees neither of the two `popstate` events.
    const holdBack = (event: PopStateEvent) => {
      const { address, place } = here.current
      if (isReturning) {
        isReturning = false
        event.stopImmediatePropagation()
        return
      }
      // A jump within the page does not leave it.
      if (holders.size === 0 || currentAddress() === address) return
      event.stopImmediatePropagation()
      const steps = (placeOf(event.state) ?? 0) - place
      isReturning = true
      history.go(-steps)
      setOnwards(() => () => history.go(steps))
    }
    const holdPage = (event: BeforeUnloadEvent) => holders.size > 0 && event.preventDefault()
    navigator.push = hold(push)
    navigator.replace = hold(replace)
    const releaseHistory = holdHistory(holdBack)
    addEventListener('beforeunload', holdPage)
    return () => {
      navigator.push = push
      navigator.replace = replace
      releaseHistory()
      removeEventListener('beforeunload', holdPage)
    }
  }, [navigator])

  if (!onwards) return null
  const leavePage = () => {
    discardAll()
    setOnwards(undefined)
    onwards()
  }
  return overPage(<DiscardQuestion onYes={leavePage} onNo={() => setOnwards(undefined)} />)
}

/** Asks whether to discard the changes. */
export function DiscardQuestion(props: { onYes: () => void; onNo: () => void }) {
  const { t } = useTranslation()
  return (
    <Ask title={t('leave.title')} yes={t('leave.yes')} no={t('leave.no')} danger onYes={props.onYes} onNo={props.onNo}>
      {t('leave.text')}
    </Ask>
  )
}
