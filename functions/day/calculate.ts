import type { Row } from '../../shared/attendance/row.ts'
import { weekSlackDays } from '../../shared/attendance/weekly.ts'
import { type Company, isLocked, partsOn } from '../../shared/company.ts'
import { type CalculatedRow, type Cause, type DayRow, dayRowKey, mostFormer, quietCauses } from '../../shared/day.ts'
import { Problem } from '../../shared/errors.ts'
import { figuresOf } from '../../shared/figure.ts'
import { kindsOfRow } from '../../shared/hours/row.ts'
import { addDays } from '../../shared/local-day.ts'
import { saysTheSame } from '../../shared/preview.ts'
import { rowChangeKey, rowChangeNote } from '../../shared/report/since.ts'
import { atOnce } from '../kit/each.ts'
import { save, type Table, type Write } from '../kit/table.ts'
import { exceptionWrites } from './exception.ts'
import { noteLocked } from './lock.ts'
import {
  employeesAtOnce,
  lookAt,
  type RowChange,
  readBases,
  readMarks,
  type Span,
  type Stuck,
  type Walked,
  zoneSlackDays,
} from './walk.ts'

const rowsAtOnce = 4
const mostTries = 8

/** The former results of a finished day. A pending day has no history. */
const historyOf = (before: DayRow, after: CalculatedRow, cause: Cause): DayRow['history'] => {
  const { history = [], kind, exceptions, state } = before
  if (state === 'pending' || saysTheSame(before, after)) return history
  const kinds = kindsOfRow(before)
  const former = {
    figures: figuresOf(before),
    kind,
    exceptions,
    at: after.calculatedAt,
    cause,
    ...(kinds && { kinds }),
  }
  return [...history, former].slice(-mostFormer)
}

/** The note of a change, for programs that ask for changes. */
const noteWrites = (table: Table, { notesRowChanges }: Company, row: DayRow): Write[] => {
  if (!notesRowChanges) return []
  const note = rowChangeNote(row, Date.now())
  return [table.put(rowChangeKey(note), note)]
}

/** A punch or a close may be the first to calculate a row with a new mark of absence. The mark is then the cause. */
const causeOf = (cause: Cause, { markedBy }: RowChange): Cause =>
  markedBy !== undefined && quietCauses.includes(cause.kind) ? { kind: 'absence', by: markedBy } : cause

/** The writes of a row and its exceptions. A replacing row takes over the history of the row it replaces. */
const writesOf = (
  table: Table,
  { employee, company, changes }: Walked,
  { day, before, after }: RowChange,
  cause: Cause,
): Write[] => {
  const keyOf = ({ shift }: Pick<Row, 'shift'>) => dayRowKey(employee.id, day, shift, partsOn(company, day))
  if (!after)
    return before
      ? [
          table.remove(keyOf(before), before.version),
          ...exceptionWrites(table, before, undefined),
          ...noteWrites(table, company, before),
        ]
      : []
  const former = before ?? changes.find(change => change.day === day && !change.after)?.before
  const history = former && historyOf(former, after, cause)
  const row: DayRow = { ...after, cause, ...(history && history.length > 0 && { history }) }
  const write = before ? table.replace(keyOf(row), { ...row, version: before.version }) : table.insert(keyOf(row), row)
  return [write, ...exceptionWrites(table, before, row), ...noteWrites(table, company, row)]
}

/** Restores rows whose day a manager locked between the read and the write, because a locked day must not change. */
const putBack = async (
  table: Table,
  { employee, company, changes }: Walked,
  isLockedNow: (day: string) => boolean,
): Promise<void> => {
  for (const { day, before, after } of changes.filter(({ day }) => !isLocked(company, day) && isLockedNow(day))) {
    const keyOf = ({ shift }: Pick<Row, 'shift'>) => dayRowKey(employee.id, day, shift, partsOn(company, day))
    const current = after && (await table.get(keyOf(after)))
    if (after && current?.calculatedAt !== after.calculatedAt) continue
    if (!before)
      await save(
        ...(current
          ? [
              table.remove(keyOf(current), current.version),
              ...exceptionWrites(table, current, undefined),
              ...noteWrites(table, company, current),
            ]
          : []),
      )
    else
      await save(
        current
          ? table.replace(keyOf(before), { ...before, version: current.version })
          : table.insert(keyOf(before), before),
        ...exceptionWrites(table, current, before),
        ...noteWrites(table, company, before),
      )
  }
}

/**
 * Whether somebody set or removed a mark of absence meanwhile. The run that this change started may have found the row
 * without a difference, before this run wrote the row.
 */
const isMarkedAnew = async (table: Table, { marks }: Walked): Promise<boolean> =>
  marks !== undefined && (await readMarks(table, marks)).stamp !== marks.stamp

/** The spans whose inputs changed during the write. */
const movedSince = async (
  table: Table,
  done: (Walked & { stamp: string })[],
): Promise<{ spans: Span[]; stuck: Stuck[] }> => {
  const spans = done.map(({ span }) => span)
  if (spans.length === 0) return { spans, stuck: [] }
  try {
    const bases = await readBases(table, spans)
    for (const [i, walked] of done.entries()) {
      const company = bases[i]?.company
      if (company && company.lockedTo !== walked.company.lockedTo)
        await putBack(table, walked, day => isLocked(company, day))
    }
    const moved = await atOnce(employeesAtOnce, [...done.entries()], async ([i, walked]) => {
      const stamp = bases[i]?.stamp
      return stamp !== undefined && (stamp !== walked.stamp || (await isMarkedAnew(table, walked)))
    })
    return { spans: spans.filter((_, i) => moved[i]), stuck: [] }
  } catch (error) {
    return { spans: [], stuck: spans.map(span => ({ span, error })) }
  }
}

/**
 * Calculates days up to tomorrow and writes the rows that differ. Notes the difference for locked days, which stay
 * unchanged. Saves with conditions, and recalculates if an input changed meanwhile. Returns the number of rows written
 * and the spans that failed.
 */
export const calculateDays = async (
  table: Table,
  spans: Span[],
  cause: Cause,
): Promise<{ rows: number; stuck: Stuck[] }> => {
  let rows = 0
  const stuck: Stuck[] = []
  // Months planned ahead have no rows in any zone, so skip their spans.
  const utcDay = new Date().toISOString().slice(0, 10)
  const lastDay = addDays(utcDay, 1 + zoneSlackDays + weekSlackDays)
  let open = spans.filter(({ from }) => from <= lastDay)
  /**
   * Spans with a note on a locked day. The next calculation removes the note if a manager unlocks the day meanwhile.
   */
  const noted = new Set<string>()
  for (let tries = 1; open.length > 0; tries++) {
    const looked = await lookAt(table, open)
    stuck.push(...looked.stuck)
    const slower: Span[] = []
    const written = await atOnce(employeesAtOnce, looked.walked, async walked => {
      const { span, changes } = walked
      try {
        const isNoted = await noteLocked(table, walked, cause, noted.has(span.employee))
        if (isNoted) noted.add(span.employee)
        await atOnce(
          rowsAtOnce,
          changes.map(change => writesOf(table, walked, change, causeOf(cause, change))),
          async writes => {
            await save(...writes)
            rows++
          },
        )
        return isNoted || changes.length > 0 ? [walked] : []
      } catch (error) {
        if (error instanceof Problem && tries < mostTries) slower.push(span)
        else stuck.push({ span, error })
        return []
      }
    })
    const moved = await movedSince(table, written.flat())
    stuck.push(...moved.stuck)
    open = [...slower, ...moved.spans]
  }
  return { rows, stuck }
}
