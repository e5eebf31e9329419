import { marginDays } from '../../shared/attendance/calculate.ts'
import { weekSlackDays } from '../../shared/attendance/weekly.ts'
import { addDays, countDays, earlierDay, laterDay } from '../../shared/local-day.ts'
import type { Task, TaskKind } from '../../shared/task.ts'
import type { TakingBack } from '../kit/task.ts'
import type { Span } from './walk.ts'

// Days of many people, cut into what can be done at once, gone through with progress, and taken up again where they were left.

/** A part of somebody's days; of what lies around it, the first and the last part look at what no other part does. */
export interface Piece extends Span {
  isFirst: boolean
  isLast: boolean
}

const pieceDays = 62
/** No portion is more than memory can hold, or longer than a task may go without a sign of how far it is. */
const portionDays = 1500
const portionPieces = 50

/** A changed day reaches so far in what is calculated: a punch may be its neighbour's, and a week is judged as a whole. */
const nearDays = 2 * weekSlackDays

/** Sorted by person and day, those that touch each other made one; with the days beside them, whose punches may change hands. */
export const widen = (spans: Span[]): Span[] => {
  const merged: Span[] = []
  const sorted = spans
    .map(({ employee, from, to }) => ({ employee, from: addDays(from, -marginDays), to: addDays(to, marginDays) }))
    .sort((one, other) => (one.employee + one.from < other.employee + other.from ? -1 : 1))
  for (const span of sorted) {
    const last = merged.at(-1)
    if (last?.employee === span.employee && span.from <= addDays(last.to, nearDays))
      last.to = laterDay(last.to, span.to)
    else merged.push(span)
  }
  return merged
}

const cut = ({ employee, from: first, to: last }: Span): Piece[] => {
  const pieces: Piece[] = []
  for (let from = first; from <= last; from = addDays(from, pieceDays)) {
    const to = earlierDay(addDays(from, pieceDays - 1), last)
    pieces.push({ employee, from, to, isFirst: from === first, isLast: to === last })
  }
  return pieces
}

/** Whether a day is this piece's to count: no two pieces of the same days count it. */
export const counts = ({ from, to, isFirst, isLast }: Piece, day: string): boolean =>
  (isFirst || day >= from) && (isLast || day <= to)

const daysOf = (list: Span[]) => list.reduce((sum, { from, to }) => sum + countDays(from, to), 0)
const placeOf = ({ employee, from }: Span) => `${employee} ${from}`

/** What of a task's run the going through needs. */
export type Walking = Pick<TakingBack<TaskKind>, 'memory' | 'remember' | 'tell' | 'pause'>

interface Walk<S> {
  /** The last piece that is done, how many days are, and what has come of them. */
  after?: string
  done: number
  state: S
}

/**
 * Goes through the days in portions; `run` gets one and what has come of those before it, and answers what has come of all.
 * After each portion the task remembers that, so that another run goes on behind it.
 */
export const goThrough = async <S extends object>(
  work: Walking,
  spans: Span[],
  nothingYet: S,
  run: (portion: Piece[], soFar: S) => Promise<S>,
  /** What of that is told beside how far it is. */
  telling?: (soFar: S) => Pick<Task, 'recalculated'>,
): Promise<S> => {
  let walk = (work.memory.walk as Walk<S> | undefined) ?? { done: 0, state: nothingYet }
  const pieces = spans.flatMap(cut)
  const { after } = walk
  const left = after === undefined ? pieces : pieces.filter(piece => placeOf(piece) > after)
  const total = walk.done + daysOf(left)
  await work.tell('calculate', walk.done, total)
  for (let i = 0; i < left.length; ) {
    const portion: Piece[] = []
    for (let days = 0; i < left.length && portion.length < portionPieces; i++) {
      const piece = left[i] as Piece
      days += countDays(piece.from, piece.to)
      if (days > portionDays && portion.length > 0) break
      portion.push(piece)
    }
    const last = portion.at(-1) as Piece
    walk = { after: placeOf(last), done: walk.done + daysOf(portion), state: await run(portion, walk.state) }
    await work.remember({ walk })
    await work.tell('calculate', walk.done, total, telling?.(walk.state))
    if (i < left.length) work.pause()
  }
  return walk.state
}
