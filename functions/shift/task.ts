import { weekSlackDays } from '../../shared/attendance/weekly.ts'
import { Problem } from '../../shared/errors.ts'
import { addDays, addMonths, localDay } from '../../shared/local-day.ts'
import { monthOf } from '../../shared/schedule/month.ts'
import { type Shift, type ShiftForm, shiftKey, shiftUseKey } from '../../shared/shift.ts'
import { readCompany } from '../company/store.ts'
import { previewDays } from '../day/preview.ts'
import { recalculation } from '../day/recalculation.ts'
import type { Span } from '../day/walk.ts'
import { type Item, openTable, type Table } from '../kit/table.ts'
import type { Kind } from '../kit/task.ts'
import { findShiftConflicts } from './conflict.ts'
import { countsOtherwise, shiftOf } from './version.ts'

// The days that an edit of a shift affects, and their preview.

/**
 * The months in which people have the shift, up to `until`, in order. Consecutive months of a person form one span, so
 * memory grows with the people, not with the years.
 */
const daysOfShift = async (table: Table, shift: string, until?: string): Promise<Span[]> => {
  const spans: Span[] = []
  const last = new Map<string, Span>()
  const range = { pk: shiftUseKey(shift, '', '').pk, ...(until !== undefined && { to: `${until}#~` }) }
  for await (const { month, employee } of table.each<{ month: string; employee: string }>(range)) {
    const [from, to] = [`${month}-01`, addDays(addMonths(`${month}-01`, 1), -1)]
    const before = last.get(employee)
    if (before && addDays(before.to, 1) === from) before.to = to
    else {
      const span = { employee, from, to }
      spans.push(span)
      last.set(employee, span)
    }
  }
  return spans
}

/** The shift before the edit, and after the edit with the next version number. */
const editedShift = async (table: Table, { id, version, ...form }: ShiftForm & { id: string; version: number }) => {
  const before = await table.get(shiftKey(id))
  if (!before) throw new Problem(60004, { id: 60004 })
  const after: Item<Shift> = { ...shiftOf(id, form), version: version + 1 }
  return { before, after }
}

export const recalculateShift = recalculation<'shift/update'>(async ({ company, input: { id } }) => {
  const table = openTable(company)
  const { timezone } = await readCompany({ table })
  // Later months have no calculated days or weeks yet.
  return daysOfShift(table, id, monthOf(addDays(localDay(timezone, Date.now()), 2 * (weekSlackDays + 1))))
})

export const previewShift: Kind<'shift/preview'> = {
  async run(work) {
    const { company, input } = work
    const table = openTable(company)
    const { before, after } = await editedShift(table, input)
    const isOtherwise = countsOtherwise(before, after)
    const conflicts = isOtherwise ? await findShiftConflicts(work, { before, after }) : {}
    const spans = isOtherwise ? await daysOfShift(table, input.id) : []
    return { ...conflicts, preview: await previewDays(work, spans, { shifts: { [input.id]: after } }) }
  },
}
