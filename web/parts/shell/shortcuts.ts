import { useEffect, useState } from 'react'
import { mayOpen, type Page, pages } from '../../menu.ts'
import type { Person } from '../../session.tsx'
import { useNavigate } from './router.ts'

// Keys that work on every page. Those that are a single letter can be switched off: who speaks to the machine, or hits keys
// by accident, would set them off.

/** Pressed after G, the letter leads to a page. */
export const goKeys: Record<Page['name'], string> = {
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
  approve: 'A',
  leave: 'L',
  record: 'R',
  exception: 'X',
  report: 'P',
  temperature: 'K',
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

/** How long G waits for its letter. */
const waitMilliseconds = 1500

/** The letter of a key, also where the keyboard writes Greek or is in the middle of a Chinese word. */
const letterOf = ({ key, code }: KeyboardEvent) =>
  /^[a-z]$/i.test(key) ? key.toUpperCase() : code.startsWith('Key') ? code.slice(3) : key

const isTyping = ({ target }: KeyboardEvent) =>
  target instanceof HTMLElement && (target.isContentEditable || target.matches('input, textarea, select'))

/** A question, a panel or a menu has the keyboard for itself. */
const isCovered = () => document.querySelector('dialog[open], .ms-Panel, .ms-Callout') !== null

export const useShortcuts = (person: Person) => {
  const navigate = useNavigate()
  const [dialog, setDialog] = useState<'palette' | 'keys'>()
  useEffect(() => {
    let goesUntil = 0
    const hear = (event: KeyboardEvent) => {
      if (isCovered() || event.altKey) return
      const letter = letterOf(event)
      const act = () => {
        event.preventDefault()
        // What the page itself does by this letter is not meant.
        event.stopImmediatePropagation()
      }
      if (event.ctrlKey || event.metaKey) {
        if (letter !== 'K' || event.shiftKey) return
        act()
        return setDialog('palette')
      }
      if (isTyping(event) || !hasSingleKeys()) return
      if (performance.now() < goesUntil) {
        goesUntil = 0
        const page = pages.find(({ name }) => goKeys[name] === letter)
        if (!page || !mayOpen(page, person)) return
        act()
        if (page.path !== location.pathname) navigate(page.path)
      } else if (letter === 'G' && !event.shiftKey) {
        act()
        goesUntil = performance.now() + waitMilliseconds
      } else if (event.key === '?') {
        act()
        setDialog('keys')
      } else if (event.key === '/') {
        const field = document.querySelector<HTMLInputElement>('main .search input')
        if (!field) return
        act()
        field.focus()
        field.select()
      }
    }
    addEventListener('keydown', hear, { capture: true })
    return () => removeEventListener('keydown', hear, { capture: true })
  }, [navigate, person])
  return { dialog, setDialog }
}
