import { dayName } from './calendar.ts'
import { continueHash, hashText, mixNumber, mixText } from './hash.ts'
import { hashShift, mixGroups, mixHash, mixLeave, stateCodes } from './input-hash.ts'
import { leaveOf } from './leave.ts'
import { localDayEnd, localDayStart } from './local-day.ts'
import { openDay } from './open-day.ts'
import type { Group } from './punch.ts'
import { judgeRestDay } from './rest-day.ts'
import type { Row } from './row.ts'
import type { Entry, Run } from './run.ts'
import { spanOf } from './span.ts'
import { stateOf } from './state.ts'
import { listPunches } from './used-punch.ts'
import type { FlexibleWeek } from './weekly.ts'
import { countPresence, judgeFlexibleDay, judgeWeek, shareOf } from './weekly.ts'

/** The row of a day without a fixed shift: of a weekly-flexible one, or of work on a day without any. */
export const localRow = (
  run: Run,
  number: number,
  groups: readonly Group[],
  entry: Entry | undefined,
  week: FlexibleWeek | undefined,
): Row => {
  const name = dayName(number)
  const from = localDayStart(run, number)
  const closes = localDayEnd(run, number)
  // A holiday is one for everybody, scheduled or not.
  const kind = run.holidays.has(name) ? 'holiday' : week ? 'flexible' : 'rest'
  const day = openDay(run, name, kind, closes, groups)
  const { row, uses } = day
  const hash = continueHash(run.hash)
  mixNumber(hash, number)
  mixNumber(hash, from)
  mixNumber(hash, closes)
  mixNumber(hash, stateCodes[row.state] * 4 + (kind === 'holiday' ? 2 : 0) + (week ? 1 : 0))
  mixGroups(hash, groups)
  if (entry && week) {
    row.shift = entry.id
    row.shiftVersion = entry.shift.version
    const share = shareOf(week, entry)
    const leave = leaveOf(run.leaves, number, from, closes + 1, spanOf(from, closes + 1))
    mixText(hash, entry.id)
    mixHash(hash, hashShift(entry.shift))
    mixNumber(hash, share)
    mixLeave(hash, leave)
    judgeFlexibleDay(day, entry.shift, share, leave)
  } else if (week) {
    mixHash(hash, hashShift(week.last.shift))
    countPresence(day, week.last.shift)
  } else judgeRestDay(day)
  row.inputHash = hashText(hash)
  if (run.withReasons) row.punches = listPunches(groups, uses)
  return row
}

/** Puts a week's figures on the row of its last weekly-flexible day. `rows` and `entries` are those of the week. */
export const addWeek = (run: Run, week: FlexibleWeek, rows: readonly Row[], entries: readonly Entry[]): void => {
  const local = rows.filter(row => row.dutyFrom === null)
  const carrier = local.findLast(row => row.shift !== null)
  if (!carrier) return
  const isSettled = stateOf(localDayEnd(run, week.to), run.asOf, run.uploadedTo) === 'final'
  carrier.week = judgeWeek(week, local, entries, isSettled)
  const hash = continueHash(run.hash)
  mixText(hash, carrier.inputHash)
  mixText(hash, Object.values(carrier.week).join())
  carrier.inputHash = hashText(hash)
}
