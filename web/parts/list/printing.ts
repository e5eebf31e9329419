import { useEffect, useRef, useSyncExternalStore } from 'react'
import { useTranslation } from 'react-i18next'
import { say } from '../say/toast.tsx'

// Connects the print actions of a page with its list, and tells the filters to show all their values meanwhile.

let print: (() => void) | undefined
let isPrinting = false
const listeners = new Set<() => void>()

export const setPrinting = (next: boolean) => {
  isPrinting = next
  for (const notify of listeners) notify()
}
const subscribe = (notify: () => void) => {
  listeners.add(notify)
  return () => listeners.delete(notify)
}

/** Whether a list is being prepared for the printer. */
export const useIsPrinting = (): boolean => useSyncExternalStore(subscribe, () => isPrinting)

/** Returns a function that prints the list of the page, or says that the list has no row. */
export const usePrint = () => {
  const { t } = useTranslation()
  return () => (print ? print() : say(t('print.nothing')))
}

/** Makes `run` the print of the page while the list is on screen. */
export const usePrinter = (run: () => void) => {
  const current = useRef(run)
  current.current = run
  useEffect(() => {
    const own = () => current.current()
    print = own
    return () => {
      if (print === own) print = undefined
    }
  }, [])
}

const textOf = (field: Element): string => {
  const control = field.querySelector<HTMLInputElement | HTMLSelectElement>('select, input')
  if (!control?.value) return ''
  const value = control instanceof HTMLSelectElement ? (control.selectedOptions[0]?.text ?? '') : control.value
  const label = field.querySelector('label')?.textContent?.trim() ?? ''
  return value.trim() === '' ? '' : `${label}: ${value.trim()}`
}

/** The heading of the page, and the set filters as the page words them. */
export const readPage = (): { heading: string; filters: string[] } => ({
  heading: document.querySelector('main h1')?.textContent?.trim() ?? '',
  filters: [...document.querySelectorAll('main .filters .field')]
    // The days of the period stand beside its choice. The order of the rows is no filter.
    .filter(field => !field.matches('.length, .grid-sort *'))
    .flatMap(field => textOf(field) || []),
})
