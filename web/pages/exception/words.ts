import { isUnanswered, type PathCall, write } from '../../api.ts'
import type { RowOf } from '../../read.ts'

export type Raised = RowOf<'exception/grid'>
export type State = Raised['state']
type Named = PathCall<'exception/accept'>['exceptions'][number]
/** With what was written at it, which taking it back and accepting it again does not lose. */
export type Noted = Named & { note?: string | undefined }

export const states = ['open', 'accepted', 'settled'] as const satisfies State[]
export const types = ['missingIn', 'missingOut', 'longBreak', 'punchedOnLeave'] as const satisfies Raised['type'][]
export const causes = ['punch', 'schedule', 'request', 'employment', 'close', 'sweep'] as const
export const tones: Record<State, string> = { open: 'tag danger', accepted: 'tag ok', settled: 'tag' }
/** Of those the path takes at once. */
const mostAtOnce = 30

export const keyOf = ({ employee, day, shift, type }: Raised) => `${employee} ${day} ${shift ?? '-'} ${type}`
const named = ({ employee, day, shift, type, minutes }: Named): Named => ({ employee, day, shift, type, minutes })
export const noted = (one: Raised): Noted => ({ ...named(one), note: one.note })

/** What was done last, to be undone. */
export interface Deed {
  what: 'accept' | 'reopen'
  exceptions: Noted[]
}

/** Sends a deed in as few calls as possible. `keep` receives what succeeded, even if a later call fails. */
export const carryOut = async (
  what: Deed['what'],
  exceptions: Noted[],
  { keep, isOver }: { keep: (done: Noted[]) => void; isOver: () => void },
): Promise<void> => {
  const done: Noted[] = []
  try {
    // Together goes what has one note.
    for (const [note, alike] of Map.groupBy(exceptions, one => (what === 'accept' && one.note) || ''))
      for (let i = 0; i < alike.length; i += mostAtOnce) {
        const part = alike.slice(i, i + mostAtOnce)
        const input = { exceptions: part.map(named) }
        if (what === 'accept') await write('exception/accept', { ...input, ...(note && { note }) })
        else await write('exception/reopen', input)
        done.push(...part)
      }
    isOver()
  } catch (error) {
    // Where no answer came they stay chosen, for another try.
    if (!isUnanswered(error)) isOver()
    throw error
  } finally {
    if (done.length > 0) keep(done)
  }
}
