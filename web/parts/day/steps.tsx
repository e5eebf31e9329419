import { ChevronLeft, ChevronRight } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../button.tsx'

// The days of a list in the day panel: the buttons and keys that go to the neighbours of the open day.

/** A person's day in a list. */
export interface ListedDay {
  employee: string
  day: string
}

/** The days of a list that a panel steps through, and the function that opens one. */
export interface Steps<D extends ListedDay = ListedDay> {
  days: readonly D[]
  onStep: (day: D) => void
}

const isSame = (one: ListedDay, other: ListedDay) => one.employee === other.employee && one.day === other.day

/** The days before and after an open day. A day that stands in several rows counts once. */
export const neighboursOf = <D extends ListedDay>(days: readonly D[], open: ListedDay) => {
  const once = days.filter((day, index) => days.findIndex(other => isSame(other, day)) === index)
  const index = once.findIndex(day => isSame(day, open))
  return index < 0 ? {} : { previous: once[index - 1], next: once[index + 1] }
}

const isTyping = (target: EventTarget | null) =>
  target instanceof Element && target.closest('input, select, textarea, [contenteditable], [role="listbox"]') !== null

/** Beside a docked panel, the list hears its own keys. */
const isBesidePanel = (target: EventTarget | null) => {
  const docked = document.querySelector('.panel-docked')
  return docked !== null && target instanceof Node && target !== document.body && !docked.contains(target)
}

/** Calls `acts` for keys pressed anywhere outside of fields, while no dialog is open over the panel. */
export const useKeys = (acts: Readonly<Record<string, (() => unknown) | undefined>>) => {
  const latest = useRef(acts)
  latest.current = acts
  useEffect(() => {
    const hear = (event: KeyboardEvent) => {
      const { key, ctrlKey, metaKey, altKey, shiftKey, target } = event
      if (altKey || shiftKey || isTyping(target) || isBesidePanel(target) || document.querySelector('dialog[open]'))
        return
      const name = ctrlKey || metaKey ? `Ctrl+${key.toLowerCase()}` : key.length === 1 ? key.toLowerCase() : key
      const act = latest.current[name]
      if (!act) return
      event.preventDefault()
      event.stopPropagation()
      act()
    }
    // The page behind the panel has keys of its own, so the panel hears a key first.
    document.addEventListener('keydown', hear, true)
    return () => document.removeEventListener('keydown', hear, true)
  }, [])
}

/** The buttons to the previous and the next day of the list. */
export function StepButtons({ steps: { days, onStep }, open }: { steps: Steps; open: ListedDay }) {
  const { t } = useTranslation('explain')
  const { previous, next } = neighboursOf(days, open)
  if (!previous && !next) return null
  return (
    <span className="day-steps">
      {(
        [
          ['previous', previous, ChevronLeft],
          ['next', next, ChevronRight],
        ] as const
      ).map(([name, day, Icon]) => (
        <Button
          key={name}
          look="quiet"
          square
          aria-label={t(`step.${name}`)}
          title={t(`step.${name}`)}
          disabled={!day}
          icon={<Icon className="icon" />}
          onClick={() => day && onStep(day)}
        />
      ))}
    </span>
  )
}
