import { type ReactNode, useId, useLayoutEffect, useRef, useState } from 'react'
import { Button } from './button.tsx'
import { focusUnread } from './form.tsx'

/**
 * A question over everything else, answered by yes, no or Escape (which is no). The browser's own modal dialog keeps
 * the focus inside and gives it back. While `onYes` is at work the buttons wait.
 */
export function Ask(props: {
  title: string
  children: ReactNode
  yes: string
  no: string
  danger?: boolean
  /** Yes cannot be said yet. */
  waits?: boolean
  onYes: () => void | Promise<void>
  onNo: () => void
}) {
  const dialog = useRef<HTMLDialogElement>(null)
  const title = useId()
  const text = useId()
  const [busy, setBusy] = useState(false)
  // It is closed before it is taken out of the document: afterwards the browser does not give the focus back.
  useLayoutEffect(() => {
    const { current } = dialog
    current?.showModal()
    return () => current?.close()
  }, [])
  const agree = async () => {
    if (focusUnread(dialog.current)) return
    setBusy(true)
    try {
      await props.onYes()
    } finally {
      setBusy(false)
    }
  }
  return (
    <dialog
      ref={dialog}
      className="ask"
      aria-labelledby={title}
      aria-describedby={text}
      onCancel={event => {
        event.preventDefault()
        if (!busy) props.onNo()
      }}
      // Escape answers the question alone, not also the panel it is asked over.
      onKeyDown={event => event.key === 'Escape' && event.stopPropagation()}
    >
      <h2 id={title}>{props.title}</h2>
      <div id={text} className="ask-text">
        {props.children}
      </div>
      <div className="ends">
        <Button onClick={props.onNo} disabled={busy}>
          {props.no}
        </Button>
        <Button look={props.danger ? 'danger' : 'primary'} busy={busy} disabled={props.waits} onClick={agree}>
          {props.yes}
        </Button>
      </div>
    </dialog>
  )
}
