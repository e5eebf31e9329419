import type { Assigned } from './assign.ts'
import { judgeDay } from './day.ts'
import { continueHash, hashText, mixNumber, mixText } from './hash.ts'
import { judgeHoliday } from './holiday.ts'
import { mixGroups, mixHash, mixLeave, mixSpans, stateCodes } from './input-hash.ts'
import { instanceOf } from './instance.ts'
import { leaveOf } from './leave.ts'
import { openDay } from './open-day.ts'
import type { Row } from './row.ts'
import type { Entry, Run } from './run.ts'
import { nothing } from './span.ts'
import { listPunches } from './used-punch.ts'

/**
 * A fixed shift on its work day; null if the zone skipped the date. Approved overtime that touches the punch period
 * extends it.
 */
export const toAssigned = (run: Run, { id, day, shift }: Entry): Assigned | null => {
  const instance = instanceOf(run.zone, day, shift)
  if (!instance) return null
  let { punchStart: opens, punchEnd: closes } = instance
  for (const { from, to } of run.overtime) {
    if (from > instance.punchEnd || to < instance.punchStart) continue
    opens = Math.min(opens, from)
    closes = Math.max(closes, to)
  }
  return { id, instance, opens, closes, groups: [], handedOver: false, elsewhere: [], outside: [] }
}

/** The row of a fixed shift on a work day. */
export const fixedRow = (run: Run, assigned: Assigned): Row => {
  const { id, instance, opens, closes, groups, handedOver, elsewhere, outside } = assigned
  const { on, off, shift, dayName: name } = instance
  const kind = run.holidays.has(name) ? 'holiday' : 'work'
  const day = openDay(run, name, kind, closes, groups, { id, version: shift.version, on, off })
  const { row, uses } = day
  const leave = leaveOf(run.leaves, instance.day, on, off, instance.duty)
  const from = Math.min(opens, groups[0]?.first ?? opens)
  const to = Math.max(closes, groups.at(-1)?.last ?? closes)
  const requested =
    run.overtime.length === 0 ? nothing : run.overtime.filter(span => span.to >= from && span.from <= to)

  const hash = continueHash(run.hash)
  mixText(hash, id)
  mixHash(hash, instance.hash)
  mixNumber(hash, stateCodes[row.state] * 4 + (kind === 'holiday' ? 2 : 0) + (handedOver ? 1 : 0))
  mixGroups(hash, groups)
  mixGroups(hash, elsewhere)
  mixGroups(hash, outside)
  mixLeave(hash, leave)
  mixSpans(hash, requested)
  row.inputHash = hashText(hash)

  if (kind === 'holiday') judgeHoliday(day, instance)
  else judgeDay(day, instance, leave, requested)
  if (run.withReasons) row.punches = listPunches(groups, uses, assigned)
  return row
}
