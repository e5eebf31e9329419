import * as z from 'zod'
import { type Exception, exceptionTypes } from './attendance/row.ts'
import { day, id } from './contract.ts'
import { type FiguredRow, figureNames, figuresOf } from './figure.ts'
import { areSameKinds, kindsOfRow, type StoredHours } from './hours/row.ts'

// Previews the effect of a change on worked days before the save. A preview walks over the days that the save would
// recalculate, and writes nothing.

type VisibleRow = FiguredRow & { exceptions: Exception[]; hours?: StoredHours }

/** Whether two rows look the same to a reader: figures, hour kinds, kind of day and exceptions. */
export const saysTheSame = (a: VisibleRow, b: VisibleRow): boolean => {
  const [first, second] = [figuresOf(a), figuresOf(b)]
  return (
    figureNames.every(name => first[name] === second[name]) &&
    a.kind === b.kind &&
    areSameKinds(kindsOfRow(a), kindsOfRow(b)) &&
    a.exceptions.toSorted().join() === b.exceptions.toSorted().join()
  )
}

/** The most days that a preview lists. */
export const mostDaysListed = 50

const minutes = z.int().min(0)
export const figures = z.object({
  dutyMinutes: minutes,
  workMinutes: minutes,
  lateMinutes: minutes,
  earlyLeaveMinutes: minutes,
  absentMinutes: minutes.describe('includes the shortfall of a weekly-flexible week'),
  leaveMinutes: minutes,
  overtimeMinutes: minutes.describe('includes the overtime of such a week'),
  unresolvedMinutes: minutes.describe('scheduled minutes without a figure, because of a missing punch or a long break'),
  unscheduledMinutes: minutes.describe('work without scheduled minutes'),
})

export const dayKind = z.enum(['work', 'leave', 'holiday', 'rest', 'flexible'])
export const exception = z.enum(exceptionTypes)

/** Minutes by the code of a kind. */
export const kinds = z
  .record(z.string(), minutes)
  .describe('minutes by hour kind; extra kinds come in addition to the base kinds; absent without an hour set')

/** A row as shown to readers. */
export const toldRow = figures.extend({ kind: dayKind, exceptions: z.array(exception), kinds: kinds.optional() })
export type ToldRow = z.output<typeof toldRow>
export const toldOf = (row: VisibleRow): ToldRow => {
  const kinds = kindsOfRow(row)
  return { ...figuresOf(row), kind: row.kind, exceptions: row.exceptions, ...(kinds && { kinds }) }
}

const listed = z.object({
  employee: id,
  name: z.string(),
  day,
  shift: id.nullable().describe('null: work on a day without a shift'),
  shiftName: z.string(),
  before: toldRow.nullable().describe('null: no row yet'),
  after: toldRow.nullable().describe('null: the row would be removed'),
})

export const preview = z.object({
  employees: z.int().describe('people with at least one changed day'),
  days: z.int().describe('calculated employee-days that would change a figure, an exception or their kind'),
  lockedDays: z.int().describe('further employee-days that would change, but are locked'),
  lockedTo: day.optional().describe('last locked day'),
  before: figures.describe('sums over the changed days'),
  after: figures,
  kindsBefore: kinds.optional().describe('sums over the changed days by hour kind; absent without hour sets'),
  kindsAfter: kinds.optional(),
  toCome: z
    .object({ days: z.int(), dutyMinutesBefore: minutes, dutyMinutesAfter: minutes })
    .describe('affected scheduled employee-days after tomorrow'),
  unknownEmployees: z.int().describe('people whose days could not be calculated'),
  hiddenDays: z.int().describe('of `days`, those of people whom the caller does not manage; counted but not listed'),
  list: z.array(listed).describe(`the first ${mostDaysListed} rows that would change`),
})
export type Preview = z.output<typeof preview>
/**
 * A listed day as a task stores it. The department limits it to its managers. The name is read when the day is shown,
 * because a task may outlive the name of an erased person.
 */
export type ListedDay = Omit<z.output<typeof listed>, 'name'> & { department: string }
export interface KeptPreview extends Omit<Preview, 'list'> {
  list: ListedDay[]
}

/** The result of a recalculation. */
export const recalculated = z.object({
  employees: z.int(),
  days: z.int().describe('checked employee-days'),
  rows: z.int().describe('rows written or removed'),
  handedOn: z.int().describe('employees whose days could not be calculated; the server retries them'),
})
export type Recalculated = z.output<typeof recalculated>
