import type { BoardRow } from './row.ts'

// The board plans on top of the draft: a drafted day shows and changes its drafted shifts.

type Stored = Omit<BoardRow, 'published'> & { draft?: Record<string, string[]> | undefined }

/** Keeps the same row for the same answer, so that React does not render unchanged rows again. */
const known = new WeakMap<Stored, BoardRow>()

/** A row with its draft in place of the published days. */
export const withDraft = (row: Stored): BoardRow => {
  const { draft, ...rest } = row
  if (!draft) return row
  const before = known.get(row)
  if (before) return before
  const published = Object.fromEntries(Object.keys(draft).map(day => [day, row.days[day] ?? []]))
  const drafted: BoardRow = { ...rest, days: { ...row.days, ...draft }, published }
  known.set(row, drafted)
  return drafted
}
