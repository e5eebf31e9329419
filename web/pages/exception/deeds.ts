import { useState } from 'react'
import { useComplaint } from '../../parts/field/form.tsx'
import { refresh } from '../../read.ts'
import { carryOut, type Deed, type Noted, noted, type Raised } from './words.ts'

/** Accepts, reopens and undoes. Calls `onOver` when the selection is done with. */
export const useDeeds = (onOver: () => void) => {
  const complain = useComplaint()
  const [deed, setDeed] = useState<Deed>()
  const send = (
    what: Deed['what'],
    exceptions: Noted[],
    keep = (done: Noted[]) => setDeed({ what, exceptions: done }),
  ) => carryOut(what, exceptions, { keep, isOver: onOver }).finally(() => refresh(['exception/']))
  const perform = (what: Deed['what'], exceptions: Noted[]) => send(what, exceptions).catch(complain)
  const undo = async () => {
    if (!deed) return
    try {
      await send(deed.what === 'accept' ? 'reopen' : 'accept', deed.exceptions, done =>
        setDeed({ ...deed, exceptions: deed.exceptions.filter(one => !done.includes(one)) }),
      )
      setDeed(undefined)
    } catch (error) {
      complain(error)
    }
  }
  return {
    ...{ deed, setDeed, send, perform, undo },
    accept: (list: Raised[]) => perform('accept', list.filter(one => one.state === 'open').map(noted)),
    reopen: (list: Raised[]) => perform('reopen', list.filter(one => one.state === 'accepted').map(noted)),
  }
}
