import { useContext, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { holdHistory, NavigationContext, useLocation } from '../shell/router.ts'
import { Ask, overPage } from './ask.tsx'

/** Who holds input that is not saved: there may be several forms on a page, and a panel over it. */
const holders = new Set<object>()

/** While `when` there are unsaved changes here, leaving the page asks first. */
export const useUnsaved = (when: boolean) => {
  // From the moment on at which the page shows it.
  useLayoutEffect(() => {
    if (!when) return
    const holder = {}
    holders.add(holder)
    return () => {
      holders.delete(holder)
    }
  }, [when])
}

/** Where the router counts an entry of the browser's history; a jump within a page makes one that it does not count. */
const placeOf = (state: unknown) =>
  state instanceof Object && 'idx' in state && typeof state.idx === 'number' ? state.idx : undefined

const addressNow = () => location.pathname + location.search

/**
 * While anybody holds unsaved changes, asks before the page is left: by a link, by the menu or by going back. For a closed or
 * loaded page the browser asks itself. It stands once in the frame around all pages.
 */
export function LeaveQuestion() {
  const { navigator } = useContext(NavigationContext)
  const [onwards, setOnwards] = useState<() => void>()
  const { key, hash } = useLocation()
  /** Where the page is that is shown: the browser has left it already when it says that it goes back. */
  const here = useRef({ address: '', place: 0 })
  // biome-ignore lint/correctness/useExhaustiveDependencies: every entry of the history has a key of its own.
  useEffect(() => {
    here.current = { address: addressNow(), place: placeOf(history.state) ?? here.current.place + 1 }
  }, [key, hash])

  useEffect(() => {
    const { push, replace } = navigator
    let isReturning = false
    const hold =
      (go: typeof push): typeof push =>
      (...to) => {
        if (holders.size === 0 || navigator.createHref(to[0]) === addressNow()) go(...to)
        else setOnwards(() => () => go(...to))
      }
    // The browser is sent back here, and the router never hears of either.
    const holdBack = (event: PopStateEvent) => {
      const { address, place } = here.current
      if (isReturning) {
        isReturning = false
        event.stopImmediatePropagation()
        return
      }
      // A jump within the page leaves nothing.
      if (holders.size === 0 || addressNow() === address) return
      event.stopImmediatePropagation()
      const steps = (placeOf(event.state) ?? 0) - place
      isReturning = true
      history.go(-steps)
      setOnwards(() => () => history.go(steps))
    }
    const holdPage = (event: BeforeUnloadEvent) => holders.size > 0 && event.preventDefault()
    navigator.push = hold(push)
    navigator.replace = hold(replace)
    const letHistoryGo = holdHistory(holdBack)
    addEventListener('beforeunload', holdPage)
    return () => {
      navigator.push = push
      navigator.replace = replace
      letHistoryGo()
      removeEventListener('beforeunload', holdPage)
    }
  }, [navigator])

  if (!onwards) return null
  const goOn = () => {
    // What was entered is given up by all of them.
    holders.clear()
    setOnwards(undefined)
    onwards()
  }
  return overPage(<DiscardQuestion onYes={goOn} onNo={() => setOnwards(undefined)} />)
}

/** Whether what was entered may be lost. */
export function DiscardQuestion(props: { onYes: () => void; onNo: () => void }) {
  const { t } = useTranslation()
  return (
    <Ask title={t('leave.title')} yes={t('leave.yes')} no={t('leave.no')} danger onYes={props.onYes} onNo={props.onNo}>
      {t('leave.text')}
    </Ask>
  )
}
