import type { Assigned } from './assign.ts'
import { dayName } from './calendar.ts'
import { judgeDay } from './day.ts'
import { freedOf } from './freed.ts'
import { continueHash, hashText, mixNumber, mixText } from './hash.ts'
import { judgeHoliday } from './holiday.ts'
import { mixGroups, mixHash, mixLeave, mixSpans, stateCodes } from './input-hash.ts'
import { instanceOf } from './instance.ts'
import { leaveOf, noLeave } from './leave.ts'
import { openDay } from './open-day.ts'
import type { Row } from './row.ts'
import type { Entry, Run } from './run.ts'
import { zoneOn } from './run.ts'
import { lengthOf, nothing, without } from './span.ts'
import { listPunches } from './used-punch.ts'

/**
 * A fixed shift on its work day; null if the zone skipped the date. Approved overtime that touches the punch period
 * extends it.
 */
export const toAssigned = (run: Run, { id, day, shift }: Entry): Assigned | null => {
  const instance = instanceOf(zoneOn(run, dayName(day)), day, shift)
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
  const from = Math.min(opens, groups[0]?.first ?? opens)
  const to = Math.max(closes, groups.at(-1)?.last ?? closes)
  const isHoliday = run.holidays.has(name) && run.choices.holidayBy !== 'clock'
  const freed = isHoliday ? nothing : freedOf(run, zoneOn(run, name), instance, from, to)
  const duty = without(instance.duty, freed)
  const isFreed = duty.length === 0 && instance.duty.length > 0
  const kind = isHoliday || isFreed ? 'holiday' : 'work'
  const day = openDay(run, name, kind, closes, groups, { id, version: shift.version, on, off })
  const { row, uses } = day
  const leave = leaveOf(run.leaves, instance.day, on, off, duty)
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
  if (freed.length > 0) mixSpans(hash, freed)
  if (row.zone !== run.zone) mixText(hash, row.zone)
  row.inputHash = hashText(hash)

  if (isHoliday || (isFreed && groups.length < 2)) judgeHoliday(day, instance)
  else if (freed.length === 0) judgeDay(day, instance, leave, requested)
  else {
    const owed = { ...instance, duty, dutyMinutes: lengthOf(duty) }
    judgeDay(day, owed, isFreed ? noLeave : leave, requested, freed)
  }
  if (run.withReasons === true) row.punches = listPunches(groups, uses, assigned)
  return row
}
