import { heldMinutes, mostAtOnce, mostFixWrites, writesPerFix } from '../../../shared/exception-limit.ts'
import { isUnanswered, type PathCall, type PathOutput, write } from '../../api.ts'
import type { RowOf } from '../../read.ts'

export type Raised = RowOf<'exception/grid'>
export type State = Raised['state']
type Named = PathCall<'exception/accept'>['exceptions'][number]
/** With its note, so that undo keeps the note. */
export type Noted = Named & { note?: string | undefined }

export const states = ['open', 'accepted', 'settled'] as const satisfies State[]
export const tones: Record<State, string> = { open: 'tag danger', accepted: 'tag ok', settled: 'tag' }
/** The most fixes that one call takes back. */
const mostRestored = 90

export const keyOf = ({ employee, day, shift, type }: Raised) => `${employee} ${day} ${shift ?? '-'} ${type}`
const named = ({ employee, day, shift, type, minutes }: Named): Named => ({ employee, day, shift, type, minutes })
export const noted = (row: Raised): Noted => ({ ...named(row), note: row.note })

export type FixAction = PathCall<'exception/fix'>['action']
/** Everything that undoes fixes, and the number of punches that they added and ignored. */
export type Fixed = PathOutput<'exception/fix'> & { added: number; ignored: number }

/** The last action, for undo. */
export type Deed = { what: 'accept' | 'reopen'; exceptions: Noted[] } | { what: FixAction; fixed: Fixed }
export type Move = 'accept' | 'reopen'

export const sumMinutes = (rows: readonly Raised[]) => rows.reduce((sum, row) => sum + heldMinutes(row), 0)

/** A fix names the time that the manager saw, so that the server never adds another one. */
const confirmed = (row: Raised, action: FixAction): PathCall<'exception/fix'>['exceptions'][number] => ({
  ...named(row),
  ...(action === 'proposed' && row.proposal?.at !== undefined && { at: row.proposal.at }),
})

const ignoredBy = ({ proposal }: Raised) => proposal?.punches ?? 0
const writesOf = (row: Raised) => writesPerFix + (ignoredBy(row) || 1)

/** The next rows that fit into one call. */
const nextPart = (rows: readonly Raised[]): Raised[] => {
  const part: Raised[] = []
  let writes = 0
  for (const row of rows.slice(0, mostAtOnce)) {
    writes += writesOf(row)
    if (writes > mostFixWrites && part.length > 0) break
    part.push(row)
  }
  return part
}

/** A call failed; `part` are its rows, `rest` the rows that are not fixed, and `fixed` the fixes until then. */
export interface Refused {
  error: unknown
  fixed: Fixed
  part: Raised[]
  rest: Raised[]
}

const nothingFixed: Fixed = { punches: [], absences: [], added: 0, ignored: 0 }

/**
 * Fixes rows, in several calls if they do not fit into one. `onPart` receives the fixes so far after each call, with
 * those of `before`. Returns the first failure.
 */
export const fixRows = async (
  rows: Raised[],
  { action, reason }: { action: FixAction; reason: string },
  onPart: (fixed: Fixed, done: number) => void,
  before: Fixed = nothingFixed,
): Promise<Refused | undefined> => {
  let fixed = before
  for (let done = 0; done < rows.length; ) {
    const part = nextPart(rows.slice(done))
    try {
      const exceptions = part.map(row => confirmed(row, action))
      const { punches, absences } = await write('exception/fix', { exceptions, action, reason })
      const ignored = action === 'absent' ? 0 : part.reduce((sum, row) => sum + ignoredBy(row), 0)
      done += part.length
      fixed = {
        punches: [...fixed.punches, ...punches],
        absences: [...fixed.absences, ...absences],
        added: fixed.added + punches.length - ignored,
        ignored: fixed.ignored + ignored,
      }
      onPart(fixed, done)
    } catch (error) {
      return { error, fixed, part, rest: rows.slice(done) }
    }
  }
  return undefined
}

/** Takes fixes back. `keep` receives the remaining ones, even if a later call fails. */
export const takeBack = async (fixed: Fixed, keep: (rest: Fixed) => void): Promise<void> => {
  let rest = fixed
  while (rest.punches.length > 0 || rest.absences.length > 0) {
    const absences = rest.absences.slice(0, mostAtOnce)
    const punches = rest.punches.slice(0, mostRestored - absences.length)
    await write('exception/restore', { punches, absences })
    rest = {
      ...rest,
      punches: rest.punches.slice(punches.length),
      absences: rest.absences.slice(absences.length),
    }
    keep(rest)
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
