import { type KeyboardEvent, type ReactNode, useLayoutEffect, useRef } from 'react'

/**
 * The browser's own dialog, for content other than questions. Escape or a click outside closes the dialog and returns
 * the focus.
 */
export function Modal(props: {
  className: string
  label: string
  children: ReactNode
  onKeyDown?: (event: KeyboardEvent<HTMLDialogElement>) => void
  onClose: () => void
}) {
  const dialog = useRef<HTMLDialogElement>(null)
  // Closes the dialog before React removes it, because a removed dialog does not return the focus.
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
