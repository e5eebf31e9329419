import { useState } from 'react'
import { write } from '../../api.ts'
import { useComplaint } from '../../parts/field/form.tsx'
import { refresh } from '../../read.ts'
import { type Added, addMissing, carryOut, type Deed, type Move, type Noted, noted, type Raised } from './words.ts'

/**
 * Accepts and reopens exceptions, adds missing punches, and undoes these. Calls `onOver` when the selection is
 * finished.
 */
export const useDeeds = (onOver: () => void) => {
  const complain = useComplaint()
  const [deed, setDeed] = useState<Deed>()
  const send = (what: Move, exceptions: Noted[], keep = (done: Noted[]) => setDeed({ what, exceptions: done })) =>
    carryOut(what, exceptions, { keep, isOver: onOver }).finally(() => refresh(['exception/']))
  const perform = (what: Move, exceptions: Noted[]) => send(what, exceptions).catch(complain)
  /** All rows lack a punch. */
  const add = async (rows: Raised[], reason: string, onRest: (rest: Raised[]) => void) => {
    const keep = (punches: Added[], rest: Raised[]) => {
      setDeed({ what: 'add', punches })
      onRest(rest)
    }
    await addMissing(rows, reason, keep).finally(() => refresh(['exception/', 'record/', 'report/']))
    onOver()
  }
  const undo = async () => {
    if (!deed) return
    try {
      if (deed.what === 'add') {
        for (const { employee, punch } of deed.punches) await write('record/restore', { employee, punch, version: 1 })
        refresh(['exception/', 'record/', 'report/'])
      } else
        await send(deed.what === 'accept' ? 'reopen' : 'accept', deed.exceptions, done =>
          setDeed({ ...deed, exceptions: deed.exceptions.filter(exception => !done.includes(exception)) }),
        )
      setDeed(undefined)
    } catch (error) {
      complain(error)
    }
  }
  return {
    ...{ deed, setDeed, send, perform, add, undo },
    accept: (list: Raised[]) => perform('accept', list.filter(row => row.state === 'open').map(noted)),
    reopen: (list: Raised[]) => perform('reopen', list.filter(row => row.state === 'accepted').map(noted)),
  }
}
