import { type KeyboardEvent, type ReactNode, useLayoutEffect, useRef } from 'react'

/** The browser's own dialog for what is no question: Escape and a press beside it close it, and the focus goes back. */
export function Modal(props: {
  className: string
  label: string
  children: ReactNode
  onKeyDown?: (event: KeyboardEvent<HTMLDialogElement>) => void
  onClose: () => void
}) {
  const dialog = useRef<HTMLDialogElement>(null)
  // It is closed before it is taken out of the document: afterwards the browser does not give the focus back.
  useLayoutEffect(() => {
    const { current } = dialog
    current?.showModal()
    return () => current?.close()
  }, [])
  return (
    <dialog
      ref={dialog}
      className={props.className}
      aria-label={props.label}
      onCancel={event => {
        event.preventDefault()
        props.onClose()
      }}
      onClick={event => event.target === event.currentTarget && props.onClose()}
      onKeyDown={props.onKeyDown}
    >
      {props.children}
    </dialog>
  )
}
