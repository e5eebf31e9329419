import { useEffect, useRef } from 'react'

const mostRemembered = 12
const canFocus = (element: Element) => element.getClientRects().length > 0 && !element.matches(':disabled')

/**
 * Returns the focus to the previously focused element if the focused element disappears or is disabled. An example is
 * the button of a finished save. Otherwise the keyboard would start again at the top of the page.
 */
export const useKeptFocus = () => {
  const previous = useRef<HTMLElement[]>([])
  useEffect(() => {
    const remember = ({ target }: FocusEvent) => {
      if (target instanceof HTMLElement)
        previous.current = [target, ...previous.current.filter(other => other !== target)].slice(0, mostRemembered)
    }
    // A click on empty space removes the focus on purpose.
    const forget = () => {
      if (document.activeElement === document.body) previous.current = []
    }
    addEventListener('focusin', remember)
    addEventListener('click', forget, true)
    return () => {
      removeEventListener('focusin', remember)
      removeEventListener('click', forget, true)
    }
  }, [])
  // Runs after the browser has drawn each render. Open dialogs and panels manage the focus themselves.
  useEffect(() => {
    const frame = requestAnimationFrame(() => {
      const { activeElement, body } = document
      if (activeElement && activeElement !== body && canFocus(activeElement)) return
      if (!document.querySelector('dialog[open], .panel-head'))
        previous.current.find(canFocus)?.focus({ preventScroll: true })
    })
    return () => cancelAnimationFrame(frame)
  })
}

/** Returns a function to call before a list moves its focused element. The moved element then gets the focus back. */
export const useMovedFocus = () => {
  const moved = useRef<HTMLElement>(undefined)
  useEffect(() => {
    moved.current?.focus()
    moved.current = undefined
  })
  return () => {
    if (document.activeElement instanceof HTMLElement) moved.current = document.activeElement
  }
}
