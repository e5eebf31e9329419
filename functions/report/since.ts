import { companyKey } from '../../shared/company.ts'
import { dayRowKey } from '../../shared/day.ts'
import { Problem } from '../../shared/errors.ts'
import { addDays, iso } from '../../shared/local-day.ts'
import { noteDays, noteParts, type RowChangeNote, rowChangePk } from '../../shared/report/since.ts'
import { readCompany } from '../company/store.ts'
import { type Caller, manages } from '../kit/caller.ts'
import { isDefined } from '../kit/defined.ts'
import { again, wasSlower } from '../kit/table/change.ts'
import { openCursor, save, sealCursor } from '../kit/table.ts'
import { openReport, rowPrinter } from './read.ts'

// Rows that changed since a cursor. A pass goes through the notes of a fixed stretch of time, part by part, so that its
// pages are stable. The next pass begins a little before the end of the last one.

/**
 * A note gets its time before its transaction, so a slow transaction may appear after a pass. Much longer than any
 * transaction takes.
 */
const overlapMilliseconds = 60_000
/** The most queries for one answer, full or not. */
const mostQuestions = 40

interface Position {
  from: string
  /** The end of the pass; absent between two passes. */
  to?: string
  part: number
  after?: string
}

const bindingOf = ({ table }: Caller) => `${table.prefix}report/since`
const beginNow = (caller: Caller) => sealCursor({ from: iso(Date.now()), part: 0 }, bindingOf(caller))

/** From now on, every change of a row leaves a note. */
export const startChanges = async (caller: Caller) => {
  await again(async () => {
    const company = await readCompany(caller)
    if (company.notesRowChanges) return
    await save(caller.table.replace(companyKey(), { ...company, notesRowChanges: true }))
  }, wasSlower)
  return { cursor: await beginNow(caller) }
}

/** Throws 10002 at `cursor` for a cursor of another list or one that is too old. */
const openPosition = async (cursor: string, binding: string, now: number): Promise<Position> => {
  const invalid = new Problem(10002, { cursor: 10002 })
  const position = (await openCursor(cursor, binding).catch(() => {
    throw invalid
  })) as unknown as Position
  if (position.from.slice(0, 10) < addDays(iso(now).slice(0, 10), -noteDays)) throw invalid
  return position
}

const nameOf = ({ employee, day, shift }: Pick<RowChangeNote, 'employee' | 'day' | 'shift'>) =>
  `${employee} ${day} ${shift ?? '-'}`

/** The rows of notes as they are now, each once, as far as the caller may see them. */
const readChanged = async (caller: Caller, notes: RowChangeNote[]) => {
  const latest = [...new Map(notes.map(note => [nameOf(note), note])).values()]
  const stored = await caller.table.getMany(
    latest.map(({ employee, day, shift }) => dayRowKey(employee, day, shift, 1)),
  )
  const seen = latest.flatMap((note, i) => {
    const row = stored[i]
    return manages(caller, (row ?? note).department) ? [{ note, row }] : []
  })
  const days = seen.map(({ note }) => note.day).sort()
  const [first] = days
  if (first === undefined) return []
  const report = await openReport(caller, { from: first, to: first })
  const rows = await rowPrinter(report)(seen.map(({ row }) => row).filter(isDefined))
  let next = 0
  return seen.map(({ note: { employee, day, shift, at }, row }) => ({
    ...{ employee, day, shift, changedAt: at },
    row: row ? (rows[next++] ?? null) : null,
  }))
}

export const listChanges = async (caller: Caller, { cursor, size }: { cursor?: string | undefined; size: number }) => {
  const { table } = caller
  const binding = bindingOf(caller)
  const now = Date.now()
  const company = await readCompany(caller)
  if (!company.notesRowChanges) throw new Problem(60073)
  if (cursor === undefined) return { list: [], cursor: await beginNow(caller), hasMore: false }
  let position = await openPosition(cursor, binding, now)
  const to = position.to ?? iso(now)
  const notes: RowChangeNote[] = []
  for (let queries = 0; position.part < noteParts && notes.length < size && queries < mostQuestions; queries++) {
    const { from, part, after } = position
    // The range includes the note at `after`, which `part` removes.
    const most = size - notes.length + (after === undefined ? 0 : 1)
    const slice = await table.part<RowChangeNote>({
      ...{ pk: rowChangePk(part), from, to, after, size: most },
    })
    notes.push(...slice.rows.map(({ item }) => item))
    position = { from, to, ...(slice.reached === undefined ? { part: part + 1 } : { part, after: slice.reached }) }
  }
  const isOver = position.part === noteParts
  const begin = iso(Date.parse(to) - overlapMilliseconds)
  const next: Position = isOver ? { from: begin > position.from ? begin : position.from, part: 0 } : position
  return { list: await readChanged(caller, notes), cursor: await sealCursor({ ...next }, binding), hasMore: !isOver }
}
