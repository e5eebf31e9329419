import { CircleCheck, Undo2 } from 'lucide-react'
import { useCallback, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { type PathOutput, write } from '../../api.ts'
import { dayIn, timeIn } from '../../format.ts'
import { refresh } from '../../read.ts'
import { Button } from '../button.tsx'
import { useComplaint } from '../field/form.tsx'
import { instantsOf } from '../request/ask.ts'
import { say } from '../say/toast.tsx'
import { type Made, wayBack } from './way-back.ts'

// The day panel offers to undo the last correction. The undo is a further correction, so the audit contains both.

interface Deed extends Made, PathOutput<'record/add'> {
  employee: string
  day: string
  isProposal: boolean
}

/** An action stays this long, so that slow readers can still choose it. */
const shownMilliseconds = 10_000

/** The clock reading of an instant, as the form of a correction sends it. */
export const readingOf = (timezone: string, at: string) => {
  const [date, time] = [dayIn(timezone, new Date(at)), timeIn(timezone, at)]
  const [, later] = instantsOf(timezone, date, time)
  return { date, time, ...(later === Math.floor(Date.parse(at) / 60_000) && { isLater: true }) }
}

const putBack = (deed: Deed) => {
  const { employee, punch, version, timezone } = deed
  const way = wayBack(deed)
  const named = { employee, punch, version }
  if (way.path === 'restore') return write('record/restore', named)
  if (way.path === 'ignore') return write('record/ignore', { ...named, reason: way.reason })
  const when = readingOf(timezone, way.at)
  return way.path === 'add'
    ? write('record/add', { employee, ...when, inout: way.inout, reason: way.reason })
    : write('record/update', { ...named, ...when, reason: way.reason })
}

/** The last correction of a day, until the user undoes it, makes another one, or ten seconds pass. */
export const useUndo = (employee: string, day: string, rule: string | undefined) => {
  const { t } = useTranslation('explain')
  const complain = useComplaint()
  const [last, setLast] = useState<Deed>()
  const [busy, setBusy] = useState(false)
  const isUnderWay = useRef(false)
  const deed = last?.employee === employee && last.day === day ? last : undefined
  useEffect(() => {
    if (!last) return
    const timer = setTimeout(() => setLast(undefined), shownMilliseconds)
    return () => clearTimeout(timer)
  }, [last])
  const made = useCallback(
    (correction: Made, answer: PathOutput<'record/add'>) => {
      const isProposal = rule === 'agreement' && correction.action !== 'restore'
      setLast({ ...correction, ...answer, employee, day, isProposal })
      refresh(['report/', 'record/', 'exception/', 'personal/'])
    },
    [employee, day, rule],
  )
  const undo = useCallback(async () => {
    if (!deed || isUnderWay.current) return
    isUnderWay.current = true
    setBusy(true)
    try {
      await putBack(deed)
      say(t(deed.earlier?.state === 'objected' ? 'correct.undoneRecorded' : 'correct.undone'))
    } catch (error) {
      complain(error)
    } finally {
      setLast(undefined)
      setBusy(false)
      isUnderWay.current = false
      refresh(['report/', 'record/', 'exception/', 'personal/'])
    }
  }, [deed, complain, t])
  return { deed, busy, made, undo }
}

export type Undo = ReturnType<typeof useUndo>

/** The confirmation of the last correction, with the button that undoes it. */
export function UndoBar({ deed, busy, undo }: Pick<Undo, 'busy' | 'undo'> & { deed: Made }) {
  const { t } = useTranslation('explain')
  return (
    <>
      <p className="panel-extra undo-text" role="status">
        <CircleCheck className="icon" aria-hidden="true" /> {deed.text}
      </p>
      <Button busy={busy} icon={<Undo2 className="icon" aria-hidden="true" />} onClick={() => void undo()}>
        {t('correct.undo')}
      </Button>
    </>
  )
}
