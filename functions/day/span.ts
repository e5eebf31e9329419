import { marginDays } from '../../shared/attendance/calculate.ts'
import { weekSlackDays } from '../../shared/attendance/weekly.ts'
import { addDays, countDays, earlierDay, laterDay } from '../../shared/local-day.ts'
import type { Task, TaskKind } from '../../shared/task.ts'
import type { TakingBack } from '../kit/task.ts'
import type { Span } from './walk.ts'

// Goes through the days of many people in portions, with progress, and resumes after an interruption.

/** A part of an employee's days. The first and the last part also count the neighbouring days. */
export interface Piece extends Span {
  isFirst: boolean
  isLast: boolean
}

const pieceDays = 62
/** The size of a portion. A portion must fit into memory, and end before the task has to report progress. */
const portionDays = 1500
const portionPieces = 50

/**
 * The reach of a changed day. A punch may belong to a neighbouring day, and the engine calculates a week as a whole.
 */
const nearDays = 2 * weekSlackDays

/**
 * The spans with their neighbouring days, because punches may move between days. Sorted by person and day, and merged.
 */
export const widen = (spans: Span[]): Span[] => {
  const merged: Span[] = []
  const sorted = spans
    .map(({ employee, from, to }) => ({ employee, from: addDays(from, -marginDays), to: addDays(to, marginDays) }))
    .sort((a, b) => (a.employee + a.from < b.employee + b.from ? -1 : 1))
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

/** Whether this piece counts a day, so that only one piece of a span counts each day. */
export const counts = ({ from, to, isFirst, isLast }: Piece, day: string): boolean =>
  (isFirst || day >= from) && (isLast || day <= to)

const daysOf = (list: Span[]) => list.reduce((sum, { from, to }) => sum + countDays(from, to), 0)
const placeOf = ({ employee, from }: Span) => `${employee} ${from}`

/** The parts of a task's run that `goThrough` needs. */
export type Walking = Pick<TakingBack<TaskKind>, 'memory' | 'remember' | 'tell' | 'pause'>

interface Walk<S> {
  /** The key of the last finished piece. `done` is the number of finished days, `state` their result. */
  after?: string
  done: number
  state: S
}

/**
 * Goes through the days in portions. `run` gets a portion and the result of the earlier portions, and returns the
 * result of all. The task stores that result after each portion, so that another run continues from there.
 */
export const goThrough = async <S extends object>(
  work: Walking,
  spans: Span[],
  initial: S,
  run: (portion: Piece[], soFar: S) => Promise<S>,
  /** The part of the result to report with the progress. */
  report?: (soFar: S) => Pick<Task, 'recalculated'>,
): Promise<S> => {
  let walk = (work.memory.walk as Walk<S> | undefined) ?? { done: 0, state: initial }
  const pieces = spans.flatMap(cut)
  const { after } = walk
  const remaining = after === undefined ? pieces : pieces.filter(piece => placeOf(piece) > after)
  const total = walk.done + daysOf(remaining)
  await work.tell('calculate', walk.done, total)
  for (let i = 0; i < remaining.length; ) {
    const portion: Piece[] = []
    for (let days = 0; i < remaining.length && portion.length < portionPieces; i++) {
      const piece = remaining[i] as Piece
      days += countDays(piece.from, piece.to)
      if (days > portionDays && portion.length > 0) break
      portion.push(piece)
    }
    const last = portion.at(-1) as Piece
    walk = { after: placeOf(last), done: walk.done + daysOf(portion), state: await run(portion, walk.state) }
    await work.remember({ walk })
    await work.tell('calculate', walk.done, total, report?.(walk.state))
    if (i < remaining.length) work.pause()
  }
  return walk.state
}
