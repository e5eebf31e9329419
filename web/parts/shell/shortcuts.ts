import { useEffect, useState } from 'react'
import { mayOpen, type Page, pages } from '../../menu.ts'
import type { Person } from '../../session.tsx'
import { useNavigate } from './router.ts'

// Keyboard shortcuts of every page. The user can switch off the single-letter shortcuts, because voice input or
// accidental key presses would trigger them.

/** The letter that opens each page of the menus after the key G. */
export const goKeys: Record<Exclude<Page['name'], 'person'>, string> = {
  dashboard: 'D',
  timecard: 'T',
  request: 'Q',
  guid: 'G',
  department: 'O',
  employee: 'E',
  device: 'V',
  schedule: 'S',
  shift: 'H',
  params: 'M',
  hours: 'J',
  approve: 'A',
  leave: 'L',
  record: 'R',
  exception: 'X',
  report: 'P',
  temperature: 'K',
  close: 'Z',
  company: 'C',
  basic: 'B',
  role: 'U',
  holiday: 'Y',
  requestParams: 'W',
  audit: 'I',
  application: 'N',
}

const switchedOff = 'singleKeys'
export const hasSingleKeys = () => localStorage.getItem(switchedOff) !== 'off'
export const chooseSingleKeys = (isOn: boolean) =>
  isOn ? localStorage.removeItem(switchedOff) : localStorage.setItem(switchedOff, 'off')

/** The letter must follow within this time after G. */
const waitMilliseconds = 1500

/** The Latin letter of a key, even on a Greek keyboard or during Chinese input. */
const letterOf = ({ key, code }: KeyboardEvent) =>
  /^[a-z]$/i.test(key) ? key.toUpperCase() : code.startsWith('Key') ? code.slice(3) : key

export const isTyping = ({ target }: KeyboardEvent) =>
  target instanceof HTMLElement && (target.isContentEditable || target.matches('input, textarea, select'))

/** Whether a dialog, a panel or a menu is open. Then the shortcuts are off. */
export const isCovered = () => document.querySelector('dialog[open], .ms-Panel, .ms-Callout') !== null

export const useShortcuts = (person: Person) => {
  const navigate = useNavigate()
  const [dialog, setDialog] = useState<'palette' | 'keys'>()
  useEffect(() => {
    let goesUntil = 0
    const handleKey = (event: KeyboardEvent) => {
      if (isCovered() || event.altKey) return
      const letter = letterOf(event)
      const claim = () => {
        event.preventDefault()
        // The page must not handle the same letter as its own shortcut.
        event.stopImmediatePropagation()
      }
      if (event.ctrlKey || event.metaKey) {
        if (letter !== 'K' || event.shiftKey) return
        claim()
        return setDialog('palette')
      }
      if (isTyping(event) || !hasSingleKeys()) return
      if (performance.now() < goesUntil) {
        goesUntil = 0
        const page = pages.find(({ name }) => name !== 'person' && goKeys[name] === letter)
        if (!page || !mayOpen(page, person)) return
        claim()
        if (page.path !== location.pathname) navigate(page.path)
      } else if (letter === 'G' && !event.shiftKey) {
        claim()
        goesUntil = performance.now() + waitMilliseconds
      } else if (event.key === '?') {
        claim()
        setDialog('keys')
      } else if (event.key === '/') {
        const field = document.querySelector<HTMLInputElement>('main .search input')
        if (!field) return
        claim()
        field.focus()
        field.select()
      }
    }
    addEventListener('keydown', handleKey, { capture: true })
    return () => removeEventListener('keydown', handleKey, { capture: true })
  }, [navigate, person])
  return { dialog, setDialog }
}
