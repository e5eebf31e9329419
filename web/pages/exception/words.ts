import { isUnanswered, type PathCall, write } from '../../api.ts'
import { dayIn, timeIn } from '../../format.ts'
import type { RowOf } from '../../read.ts'

export type Raised = RowOf<'exception/grid'>
export type State = Raised['state']
type Named = PathCall<'exception/accept'>['exceptions'][number]
/** With its note, so that undo keeps the note. */
export type Noted = Named & { note?: string | undefined }

export const states = ['open', 'accepted', 'settled'] as const satisfies State[]
export const types = ['missingIn', 'missingOut', 'longBreak', 'punchedOnLeave'] as const satisfies Raised['type'][]
export const tones: Record<State, string> = { open: 'tag danger', accepted: 'tag ok', settled: 'tag' }
/** The limit of one call. */
const mostAtOnce = 30

export const keyOf = ({ employee, day, shift, type }: Raised) => `${employee} ${day} ${shift ?? '-'} ${type}`
const named = ({ employee, day, shift, type, minutes }: Named): Named => ({ employee, day, shift, type, minutes })
export const noted = (row: Raised): Noted => ({ ...named(row), note: row.note })

/** An added punch, as `record/restore` needs it. */
export type Added = Pick<PathCall<'record/restore'>, 'employee' | 'punch'>

/** The last action, for undo. */
export type Deed = { what: 'accept' | 'reopen'; exceptions: Noted[] } | { what: 'add'; punches: Added[] }
export type Move = 'accept' | 'reopen'

/**
 * The punch that an open exception lacks: the end of the shift for a clock-out, its start for a clock-in. Nobody can add
 * one to a locked day.
 */
export const missingPunch = ({ state, isLocked, type, dutyFrom, dutyTo, timezone }: Raised) => {
  if (state !== 'open' || isLocked) return undefined
  const at = type === 'missingOut' ? dutyTo : type === 'missingIn' ? dutyFrom : undefined
  if (at === undefined) return undefined
  const inout: 0 | 1 = type === 'missingOut' ? 1 : 0
  return { at, date: dayIn(timezone, new Date(at)), time: timeIn(timezone, at), inout }
}

/**
 * Adds the missing punches one after the other. `keep` receives the added ones and the remaining rows, even if a later
 * call fails.
 */
export const addMissing = async (
  rows: Raised[],
  reason: string,
  keep: (added: Added[], rest: Raised[]) => void,
): Promise<void> => {
  const added: Added[] = []
  try {
    for (const row of rows) {
      const missing = missingPunch(row)
      if (!missing) continue
      const { date, time, inout } = missing
      const { employee } = row
      const { punch } = await write('record/add', { employee, date, time, inout, reason })
      added.push({ employee, punch })
    }
  } finally {
    if (added.length > 0) keep(added, rows.slice(added.length))
  }
}

/**
 * Carries out an action in as few calls as possible. `keep` receives the successful part, even if a later call fails.
 */
export const carryOut = async (
  what: Move,
  exceptions: Noted[],
  { keep, isOver }: { keep: (done: Noted[]) => void; isOver: () => void },
): Promise<void> => {
  const done: Noted[] = []
  try {
    // One call per note.
    for (const [note, alike] of Map.groupBy(exceptions, exception => (what === 'accept' && exception.note) || ''))
      for (let i = 0; i < alike.length; i += mostAtOnce) {
        const part = alike.slice(i, i + mostAtOnce)
        const input = { exceptions: part.map(named) }
        if (what === 'accept') await write('exception/accept', { ...input, ...(note && { note }) })
        else await write('exception/reopen', input)
        done.push(...part)
      }
    isOver()
  } catch (error) {
    // Without an answer the rows stay selected for a retry.
    if (!isUnanswered(error)) isOver()
    throw error
  } finally {
    if (done.length > 0) keep(done)
  }
}
