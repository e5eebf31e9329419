import { Problem } from '../../shared/errors.ts'
import { addDays, addMonths } from '../../shared/local-day.ts'
import { type Shift, type ShiftForm, shiftKey, shiftUseKey } from '../../shared/shift.ts'
import type { Span } from './days.ts'
import { previewDays } from './preview.ts'
import { recalculation } from './recalculation.ts'
import { countsOtherwise, shiftOf } from './shift.ts'
import { findShiftConflicts } from './shift-conflict.ts'
import { type Item, openTable, type Table } from './table.ts'
import type { Kind } from './task.ts'

// Whose days an edit of a shift touches, and what it would do to them.

/** The months of everybody who is scheduled in the shift. */
const daysOfShift = async (table: Table, shift: string): Promise<Span[]> => {
  const uses = await table.all<{ month: string; employee: string }>({ pk: shiftUseKey(shift, '', '').pk })
  return uses.map(({ month, employee }) => ({
    employee,
    from: `${month}-01`,
    to: addDays(addMonths(`${month}-01`, 1), -1),
  }))
}

/** The shift as a form would make it; the next version, as saving it would. */
const editedShift = async (table: Table, { id, version, ...form }: ShiftForm & { id: string; version: number }) => {
  const before = await table.get(shiftKey(id))
  if (!before) throw new Problem(60004, { id: 60004 })
  const after: Item<Shift> = { ...shiftOf(id, form), version: version + 1 }
  return { before, after }
}

export const recalculateShift = recalculation<'shift/update'>(({ company, input: { id } }) =>
  daysOfShift(openTable(company), id),
)

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
