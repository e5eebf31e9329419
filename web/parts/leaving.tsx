import { useContext, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Ask } from './ask.tsx'
import { holdHistory, NavigationContext } from './router.ts'

/** Where the router counts an entry of the browser's history. */
const placeOf = (state: unknown) =>
  state instanceof Object && 'idx' in state && typeof state.idx === 'number' ? state.idx : 0

/**
 * While there are unsaved changes, asks before the page is left: by a link, by the menu or by going back. For a closed or
 * loaded page the browser asks itself.
 */
export function LeaveQuestion({ when }: { when: boolean }) {
  const { navigator } = useContext(NavigationContext)
  const [onwards, setOnwards] = useState<() => void>()
  const letGo = useRef(() => {})

  useEffect(() => {
    if (!when) return
    const { push, replace } = navigator
    const address = location.pathname + location.search
    const place = placeOf(history.state)
    let isReturning = false
    const hold =
      (go: typeof push): typeof push =>
      (...to) => {
        if (navigator.createHref(to[0]) === address) go(...to)
        else setOnwards(() => () => go(...to))
      }
    // The browser has gone back already when it says so: it is sent back here, and the router never hears of either.
    const holdBack = (event: PopStateEvent) => {
      // A jump within the page leaves nothing.
      if (!isReturning && location.pathname + location.search === address) return
      event.stopImmediatePropagation()
      if (isReturning) {
        isReturning = false
        return
      }
      const steps = placeOf(event.state) - place
      isReturning = true
      history.go(-steps)
      setOnwards(() => () => history.go(steps))
    }
    const holdPage = (event: BeforeUnloadEvent) => event.preventDefault()
    navigator.push = hold(push)
    navigator.replace = hold(replace)
    const letHistoryGo = holdHistory(holdBack)
    addEventListener('beforeunload', holdPage)
    letGo.current = () => {
      navigator.push = push
      navigator.replace = replace
      letHistoryGo()
      removeEventListener('beforeunload', holdPage)
    }
    return () => letGo.current()
  }, [when, navigator])

  if (!onwards) return null
  const goOn = () => {
    letGo.current()
    setOnwards(undefined)
    onwards()
  }
  return <DiscardQuestion onYes={goOn} onNo={() => setOnwards(undefined)} />
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
