import { useEffect, useRef } from 'react'

const mostRemembered = 12
const canHave = (element: Element) => element.getClientRects().length > 0 && !element.matches(':disabled')

/**
 * Where what had the focus is gone or cannot be pressed any more, such as the button of a save that is done, the focus goes
 * back to what had it before: else the keyboard would begin again at the top of the page.
 */
export const useKeptFocus = () => {
  const before = useRef<HTMLElement[]>([])
  useEffect(() => {
    const remember = ({ target }: FocusEvent) => {
      if (target instanceof HTMLElement)
        before.current = [target, ...before.current.filter(other => other !== target)].slice(0, mostRemembered)
    }
    // Who clicks beside everything has left it on purpose.
    const forget = () => {
      if (document.activeElement === document.body) before.current = []
    }
    addEventListener('focusin', remember)
    addEventListener('click', forget, true)
    return () => {
      removeEventListener('focusin', remember)
      removeEventListener('click', forget, true)
    }
  }, [])
  // After every change, once it is drawn: what is asked over the page or stands beside it keeps the focus itself.
  useEffect(() => {
    const frame = requestAnimationFrame(() => {
      const { activeElement, body } = document
      if (activeElement && activeElement !== body && canHave(activeElement)) return
      if (!document.querySelector('dialog[open], .panel-head'))
        before.current.find(canHave)?.focus({ preventScroll: true })
    })
    return () => cancelAnimationFrame(frame)
  })
}
