import { addKinds, type KindMinutes } from '../../shared/attendance/hours/round.ts'
import { companyKey } from '../../shared/company.ts'
import type { CalculatedRow } from '../../shared/day.ts'
import { addFigures, type FiguredRow, type Figures, figuresOf, noFigures } from '../../shared/figure.ts'
import { kindsOfRow } from '../../shared/hours/row.ts'
import { addDays, laterDay, localDay } from '../../shared/local-day.ts'
import { type KeptPreview, type ListedDay, mostDaysListed, saysTheSame, toldOf } from '../../shared/preview.ts'
import { shiftKey } from '../../shared/shift.ts'
import type { TaskKind } from '../../shared/task.ts'
import { manages } from '../kit/caller.ts'
import { isDefined } from '../kit/defined.ts'
import { log } from '../kit/log.ts'
import { openTable, type Table } from '../kit/table.ts'
import type { Kind, Work } from '../kit/task.ts'
import { counts, goThrough, type Piece, widen } from './span.ts'
import { type RowChange, type Span, type Supposed, type Walked, walkDays } from './walk.ts'

// Previews the effect of a change on days. Uses the walk that calculates the days, assumes the change and writes
// nothing.
//
// To add a kind, list its path in `taskKinds`, call `beginTask` in its handler, and add to events/perform.ts:
//   'noun/preview': previewing(async work => ({ spans, supposed }))
// `spans` are the days that the change would recalculate, future days included. `supposed` is the assumed change
// (`Supposed`, walk.ts). A kind that must read more first calls `previewDays(work, spans, supposed)`.

/** A change of a row. `before` is what the row would say now without the assumed change. */
interface Change extends Pick<RowChange, 'day' | 'after'> {
  before?: RowChange['before'] | CalculatedRow | undefined
}

const differs = ({ before, after }: Change) => !before || !after || !saysTheSame(before, after)
const daysIn = (changes: Change[]) => new Set(changes.map(({ day }) => day)).size
const sumOf = (rows: (FiguredRow | undefined)[], start: Figures) =>
  rows.reduce<Figures>((sum, row) => (row ? addFigures(sum, figuresOf(row)) : sum), start)
const sumKinds = (rows: Change['before'][], start: KindMinutes | undefined) => {
  const all = rows.map(row => row && kindsOfRow(row)).filter(isDefined)
  if (all.length === 0) return start
  const sum = { ...start }
  for (const kinds of all) addKinds(sum, kinds)
  return sum
}
const departmentOf = ({ before, after }: Change) => (after ?? before)?.department ?? ''

const listedOf = ({ employee, shifts }: Walked, change: Change): ListedDay => {
  const { day, before, after } = change
  const shift = (after ?? before)?.shift ?? null
  return {
    ...{ employee: employee.id, department: departmentOf(change), day, shift },
    shiftName: (shift && shifts[shift]?.name) ?? '',
    before: before ? toldOf(before) : null,
    after: after ? toldOf(after) : null,
  }
}

interface Totals extends KeptPreview {
  lastEmployee: string
  lastUnknown: string
}

const emptyTotals = (lockedTo: string | undefined): Totals => ({
  ...{ employees: 0, days: 0, lockedDays: 0, ...(lockedTo && { lockedTo }) },
  ...{ before: noFigures(), after: noFigures() },
  toCome: { days: 0, dutyMinutesBefore: 0, dutyMinutesAfter: 0 },
  ...{ unknownEmployees: 0, hiddenDays: 0, list: [], lastEmployee: '', lastUnknown: '' },
})

/** Time changes the rows of so many last days: a shift ends, or a punch goes missing. */
const movingDays = 3

type Standing = ReadonlyMap<string, RowChange>

const placeOf = ({ employee }: Pick<Span, 'employee'>, { day, before, after }: RowChange) =>
  `${employee} ${day} ${(after ?? before)?.shift ?? '-'}`

/** The rows of the last days that change without the assumed change as well, because time passed. */
const readStanding = async (table: Table, spans: readonly Span[], now: number): Promise<Standing> => {
  const first = addDays(localDay('UTC', now), -movingDays)
  const recent = spans.filter(({ to }) => to >= first).map(span => ({ ...span, from: laterDay(span.from, first) }))
  if (recent.length === 0) return new Map()
  const { walked } = await walkDays(table, recent, {})
  return new Map(walked.flatMap(days => days.changes.map(change => [placeOf(days.span, change), change])))
}

/** Adds the changes of one piece of an employee's days. */
const add = (
  sum: Totals,
  { walked, piece, standing }: { walked: Walked; piece: Piece; standing: Standing },
  mayName: (department: string) => boolean,
): Totals => {
  const isCounted = ({ day }: { day: string }) => counts(piece, day)
  const standingOf = (change: RowChange): Change => {
    const moved = standing.get(placeOf(piece, change))
    return moved ? { ...change, before: moved.after } : change
  }
  const changes = walked.changes.filter(isCounted).map(standingOf).filter(differs)
  const [before, after] = [walked.toCome.before.filter(isCounted), walked.toCome.after.filter(isCounted)]
  const dutyOf = (rows: { dutyMinutes: number }[]) => rows.reduce((duty, { dutyMinutes }) => duty + dutyMinutes, 0)
  const isNextEmployee = changes.length > 0 && walked.span.employee !== sum.lastEmployee
  const named = changes.filter(change => mayName(departmentOf(change)))
  const hidden = changes.filter(change => !mayName(departmentOf(change)))
  const kindsBefore = sumKinds(
    changes.map(({ before }) => before),
    sum.kindsBefore,
  )
  const kindsAfter = sumKinds(
    changes.map(({ after }) => after),
    sum.kindsAfter,
  )
  return {
    ...sum,
    ...(kindsBefore && { kindsBefore }),
    ...(kindsAfter && { kindsAfter }),
    employees: sum.employees + (isNextEmployee ? 1 : 0),
    lastEmployee: isNextEmployee ? walked.span.employee : sum.lastEmployee,
    days: sum.days + daysIn(changes),
    lockedDays: sum.lockedDays + daysIn(walked.locked.filter(change => isCounted(change) && differs(change))),
    before: sumOf(
      changes.map(({ before }) => before),
      sum.before,
    ),
    after: sumOf(
      changes.map(({ after }) => after),
      sum.after,
    ),
    toCome: {
      days: sum.toCome.days + new Set([...before, ...after].map(({ day }) => day)).size,
      dutyMinutesBefore: sum.toCome.dutyMinutesBefore + dutyOf(before),
      dutyMinutesAfter: sum.toCome.dutyMinutesAfter + dutyOf(after),
    },
    hiddenDays: sum.hiddenDays + daysIn(hidden),
    list: [...sum.list, ...named.slice(0, mostDaysListed - sum.list.length).map(change => listedOf(walked, change))],
  }
}

export const previewDays = async (
  work: Pick<Work<TaskKind>, 'company' | 'task' | 'asker' | 'memory' | 'remember' | 'tell' | 'pause'>,
  spans: Span[],
  supposed: Supposed,
): Promise<KeptPreview> => {
  // A preview changes nothing, so the table needs no actor.
  const table = openTable(work.company)
  const settings = await table.get(companyKey())
  const mayName = (department: string) => manages(work.asker, department)
  const total = await goThrough(work, widen(spans), emptyTotals(settings?.lockedTo), async (portion, soFar) => {
    const { walked, stuck } = await walkDays(table, portion, supposed)
    const standing = await readStanding(table, portion, Date.now())
    const pieces = new Map(portion.map(piece => [piece as Span, piece]))
    let sum = soFar
    for (const days of walked) {
      const piece = pieces.get(days.span)
      if (piece) sum = add(sum, { walked: days, piece, standing }, mayName)
    }
    for (const { span, error } of stuck) {
      log({ job: 'task', task: work.task, ...span, fault: error instanceof Error ? error.stack : String(error) })
      if (span.employee === sum.lastUnknown) continue
      sum = { ...sum, unknownEmployees: sum.unknownEmployees + 1, lastUnknown: span.employee }
    }
    return sum
  })
  const { lastEmployee: _, lastUnknown: __, ...preview } = total
  const unnamedShifts = [
    ...new Set(preview.list.flatMap(({ shift, shiftName }) => (shift && !shiftName ? [shift] : []))),
  ]
  const names = new Map(
    (await table.getMany(unnamedShifts.map(shiftKey))).map((shift, i) => [unnamedShifts[i], shift?.name]),
  )
  const list = preview.list.map(row => ({ ...row, shiftName: row.shiftName || (names.get(row.shift ?? '') ?? '') }))
  return { ...preview, list }
}

/** A kind of task that only previews. `read` gives the days and the assumed change. */
export const previewing = <K extends TaskKind>(
  read: (work: Work<K>) => Promise<{ spans: Span[]; supposed: Supposed }>,
): Kind<K> => ({
  async run(work) {
    const { spans, supposed } = await read(work)
    return { preview: await previewDays(work, spans, supposed) }
  },
})
