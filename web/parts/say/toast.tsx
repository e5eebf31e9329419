import { CircleAlert, CircleCheck } from 'lucide-react'
import { useEffect, useRef, useSyncExternalStore } from 'react'

// Short words at the lower edge. Kept outside of React so that anything may say something, also while a page is leaving.

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
  for (const tell of listeners) tell()
}

/** Says it for two seconds; that no answer came is said for five. What is said again is seen as long as if it were new. */
export const say = (text: string, kind: Toast['kind'] = 'ok') => {
  const toast = { id: ++lastId, text, kind }
  change([...toasts.filter(other => other.text !== text), toast])
  setTimeout(() => change(toasts.filter(other => other !== toast)), shownMilliseconds[kind])
}

const subscribe = (tell: () => void) => {
  listeners.add(tell)
  return () => listeners.delete(tell)
}

/** What is seen is a popover, because only the top layer is over an open dialog; what is read out stays in place. */
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
