import { type ReactNode, useId, useLayoutEffect, useRef, useState } from 'react'
import { createPortal } from 'react-dom'
import { useTranslation } from 'react-i18next'
import { isFault, isUnanswered } from '../../api.ts'
import { Button } from '../button.tsx'
import { focusUnread, useComplaint, useSentence } from '../field/form.tsx'

/** A question of the whole page: an open panel hides the page from who hears it, and this is to be heard. */
export const overPage = (question: ReactNode) => createPortal(question, document.body)

/**
 * A question over everything else, answered by yes, no or Escape (which is no). The browser's own modal dialog keeps
 * the focus inside and gives it back. While `onYes` is at work the buttons wait. Where no answer came the question stays, to be
 * answered once more, and so does one that something was entered in, whatever it is refused for. Of any other a refusal is said,
 * and answers no.
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
  const { t } = useTranslation()
  const sentence = useSentence()
  const complain = useComplaint()
  const [busy, setBusy] = useState(false)
  const [refused, setRefused] = useState('')
  // It is closed before it is taken out of the document: afterwards the browser does not give the focus back.
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
      const isEntered = !!dialog.current?.querySelector('input, select, textarea')
      if (isFault(error) && (isEntered || isUnanswered(error))) {
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
      // Escape answers the question alone, not also the panel it is asked over.
      onKeyDown={event => event.key === 'Escape' && event.stopPropagation()}
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
        <Button look={props.danger ? 'danger' : 'primary'} busy={busy} disabled={props.waits} onClick={agree}>
          {props.yes}
        </Button>
      </div>
    </dialog>
  )
}
