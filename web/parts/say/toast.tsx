import { CircleAlert, CircleCheck } from 'lucide-react'
import { useEffect, useRef, useSyncExternalStore } from 'react'

// Toasts: short messages at the lower edge. Their state is outside of React, so that any code can show a toast, even
// while its page unmounts.

const shownMilliseconds = { ok: 2000, danger: 2000, network: 5000 } as const

interface Toast {
  id: number
  text: string
  kind: keyof typeof shownMilliseconds
}

let toasts: readonly Toast[] = []
let lastId = 0
const listeners = new Set<() => void>()

const change = (next: readonly Toast[]) => {
  toasts = next
  for (const notify of listeners) notify()
}

/** Shows a toast for two seconds, a network error for five. Showing the same text again restarts the time. */
export const say = (text: string, kind: Toast['kind'] = 'ok') => {
  const toast = { id: ++lastId, text, kind }
  change([...toasts.filter(other => other.text !== text), toast])
  setTimeout(() => change(toasts.filter(other => other !== toast)), shownMilliseconds[kind])
}

const subscribe = (notify: () => void) => {
  listeners.add(notify)
  return () => listeners.delete(notify)
}

/** Renders the toasts. The visible toasts are a popover, because only the top layer is above an open dialog. */
export function Toasts() {
  const list = useSyncExternalStore(subscribe, () => toasts)
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const { current } = box
    if (!current) return
    if (current.matches(':popover-open')) current.hidePopover()
    if (list.length > 0) current.showPopover()
  }, [list])
  return (
    <>
      <div className="unseen" role="status">
        {list.map(toast => toast.text).join('. ')}
      </div>
      <div ref={box} className="toasts" popover="manual" aria-hidden="true">
        {list.map(toast => (
          <div key={toast.id} className={`toast ${toast.kind}`}>
            {toast.kind === 'ok' ? <CircleCheck className="icon" /> : <CircleAlert className="icon" />}
            {toast.text}
          </div>
        ))}
      </div>
    </>
  )
}
