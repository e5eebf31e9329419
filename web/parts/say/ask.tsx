import { type KeyboardEvent, type ReactNode, useId, useLayoutEffect, useRef, useState } from 'react'
import { createPortal } from 'react-dom'
import { useTranslation } from 'react-i18next'
import { isFault, isUnanswered } from '../../api.ts'
import { Button } from '../button.tsx'
import { focusUnread, useComplaint, useSentence } from '../field/form.tsx'

/** Renders a question outside of the page, because an open panel hides the page from screen readers. */
export const overPage = (question: ReactNode) => createPortal(question, document.body)

/** Enter in a line of text, and Ctrl+Enter in a field of several lines. */
const isAgreeing = ({ key, ctrlKey, metaKey, target, defaultPrevented, nativeEvent }: KeyboardEvent) =>
  key === 'Enter' &&
  !defaultPrevented &&
  !nativeEvent.isComposing &&
  target instanceof Element &&
  (target.matches('input[type="text"]:not([role])') || ((ctrlKey || metaKey) && target.matches('textarea')))

/**
 * A modal question that the user answers with yes, no or Escape (which means no). Enter in a text field means yes. The
 * browser's own modal dialog keeps the focus inside and returns it. While `onYes` runs, the buttons are disabled. If the
 * server did not answer, or if the question has input fields, the question stays open with the error. Then the user can
 * retry. Any other error shows a toast and closes the question.
 */
export function Ask(props: {
  title: string
  children: ReactNode
  yes: string
  no: string
  danger?: boolean
  /** Disables the yes button. */
  waits?: boolean
  onYes: () => void | Promise<void>
  onNo: () => void
  /** A second way to agree. */
  other?: { text: string; onClick: () => void } | undefined
}) {
  const dialog = useRef<HTMLDialogElement>(null)
  const title = useId()
  const text = useId()
  const { t } = useTranslation()
  const sentence = useSentence()
  const complain = useComplaint()
  const [busy, setBusy] = useState(false)
  const [refused, setRefused] = useState('')
  // Closes the dialog before React removes it, because a removed dialog does not return the focus.
  useLayoutEffect(() => {
    const { current } = dialog
    current?.showModal()
    return () => current?.close()
  }, [])
  const agree = async () => {
    if (focusUnread(dialog.current)) return
    setBusy(true)
    setRefused('')
    try {
      await props.onYes()
    } catch (error) {
      const hasInput = !!dialog.current?.querySelector('input, select, textarea')
      if (isFault(error) && (hasInput || isUnanswered(error))) {
        const [code = error.code] = Object.values(error.fields)
        setRefused(code === 'network' ? t('unanswered') : sentence(code, error.about))
      } else {
        props.onNo()
        complain(error)
      }
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
      // Escape answers only the question and must not also close the panel below.
      onKeyDown={event => {
        if (event.key === 'Escape') event.stopPropagation()
        if (busy || props.waits || !isAgreeing(event)) return
        event.preventDefault()
        void agree()
      }}
    >
      <h2 id={title}>{props.title}</h2>
      <div id={text} className="ask-text">
        {props.children}
      </div>
      {refused && (
        <p className="notice danger" role="alert">
          {refused}
        </p>
      )}
      <div className="ends">
        <Button onClick={props.onNo} disabled={busy}>
          {props.no}
        </Button>
        {props.other && (
          <Button onClick={props.other.onClick} disabled={busy}>
            {props.other.text}
          </Button>
        )}
        <Button look={props.danger ? 'danger' : 'primary'} busy={busy} disabled={props.waits} onClick={agree}>
          {props.yes}
        </Button>
      </div>
    </dialog>
  )
}
