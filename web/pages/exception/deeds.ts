import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useComplaint } from '../../parts/field/form.tsx'
import { say } from '../../parts/say/toast.tsx'
import { refresh } from '../../read.ts'
import {
  carryOut,
  type Deed,
  type FixAction,
  type Fixed,
  fixRows,
  type Move,
  type Noted,
  noted,
  type Raised,
  type Refused,
  takeBack,
} from './words.ts'

const showFixes = () => refresh(['exception/', 'record/', 'report/'])

/** Calls `undo` for Z and Ctrl+Z, unless the user is typing or a dialog is open. */
const useUndoKey = (isOn: boolean, undo: () => Promise<void>) => {
  const latest = useRef(undo)
  latest.current = undo
  useEffect(() => {
    if (!isOn) return
    const hear = (event: KeyboardEvent) => {
      const { target } = event
      if (event.key !== 'z' || event.altKey || event.shiftKey || event.defaultPrevented) return
      if (target instanceof Element && target.closest('input:not([type=checkbox]), textarea, select, dialog')) return
      if (document.querySelector('dialog[open], [role=dialog]:not(.panel-docked)')) return
      event.preventDefault()
      void latest.current()
    }
    document.addEventListener('keydown', hear)
    return () => document.removeEventListener('keydown', hear)
  }, [isOn])
}

/**
 * Accepts, reopens and fixes exceptions, and undoes these. Calls `onOver` when the selection is finished, and
 * `onUndone` before the button for the undo disappears.
 */
export const useDeeds = ({ onOver, onUndone }: { onOver: () => void; onUndone: () => void }) => {
  const { t } = useTranslation('exception')
  const complain = useComplaint()
  const [deed, setDeed] = useState<Deed>()
  const send = (what: Move, exceptions: Noted[], keep = (done: Noted[]) => setDeed({ what, exceptions: done })) =>
    carryOut(what, exceptions, { keep, isOver: onOver }).finally(() => refresh(['exception/']))
  const perform = (what: Move, exceptions: Noted[]) => send(what, exceptions).catch(complain)
  const fix = async (
    rows: Raised[],
    { action, reason }: { action: FixAction; reason: string },
    onProgress: (done: number) => void,
    before: Fixed | undefined,
  ): Promise<Refused | undefined> => {
    const keep = (fixed: Fixed, done: number) => {
      setDeed({ what: action, fixed })
      onProgress(done)
    }
    const refused = await fixRows(rows, { action, reason }, keep, before)
    showFixes()
    if (!refused) onOver()
    return refused
  }
  const undo = async () => {
    if (!deed) return
    try {
      if ('fixed' in deed) {
        await takeBack(deed.fixed, rest => setDeed({ ...deed, fixed: rest })).finally(showFixes)
      } else
        await send(deed.what === 'accept' ? 'reopen' : 'accept', deed.exceptions, done =>
          setDeed({ ...deed, exceptions: deed.exceptions.filter(exception => !done.includes(exception)) }),
        )
      onUndone()
      setDeed(undefined)
      say(t('undone'))
    } catch (error) {
      complain(error)
    }
  }
  useUndoKey(deed !== undefined, undo)
  return {
    ...{ deed, setDeed, send, perform, fix, undo },
    accept: (list: Raised[]) => perform('accept', list.filter(row => row.state === 'open').map(noted)),
    reopen: (list: Raised[]) => perform('reopen', list.filter(row => row.state === 'accepted').map(noted)),
  }
}
