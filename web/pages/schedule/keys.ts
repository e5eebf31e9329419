import { type RefObject, useEffect } from 'react'
import type { planningOf } from '../../plans.ts'

interface PlanActions {
  requestSave: () => void
  undo: () => void
}

/** Shortcuts of the whole page, off while the user types or answers a dialog. */
export const usePlanKeys = (planning: ReturnType<typeof planningOf>, latest: RefObject<PlanActions>) =>
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const { target, key, shiftKey } = event
      if (!(event.ctrlKey || event.metaKey) || document.querySelector('dialog[open], .panel-head')) return
      const isTyping =
        target instanceof Element && target.closest('input:not([type="radio"], [type="checkbox"]), select')
      const letter = key.toLowerCase()
      if (letter === 's') latest.current.requestSave()
      else if (isTyping) return
      else if (letter === 'y' || (letter === 'z' && shiftKey)) planning.redo()
      else if (letter === 'z') latest.current.undo()
      else return
      event.preventDefault()
    }
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  }, [planning, latest])
