import { employeeKey } from '../../shared/employee.ts'
import { addDays, addMonths, daysBetween, laterDay, localDay } from '../../shared/local-day.ts'
import { newConflicts, type ShiftConflict, withNeighbours } from '../../shared/schedule/conflict.ts'
import { monthOf } from '../../shared/schedule/month.ts'
import { type Shift, shiftUseKey } from '../../shared/shift.ts'
import { mostProblemsShown, type SheetProblem } from '../../shared/task.ts'
import { readCompany } from '../company/store.ts'
import { managesEmployee } from '../kit/caller.ts'
import type { Item } from '../kit/table.ts'
import type { TaskOutcome, Work } from '../kit/task.ts'
import { type Months, readMonths, readShifts, shiftsOn } from '../schedule/store.ts'

// Finds people for whom an edit of a shift would overlap another shift. A manager may save the edit anyway and correct
// the schedule later.

const peopleRead = 50

interface Use {
  month: string
  employee: string
}

/** Uses in stored order, by month and person, in portions of one month. Reads them on demand. */
async function* portionsOf(uses: AsyncIterable<Use>): AsyncGenerator<[Use, ...Use[]]> {
  let portion: [Use, ...Use[]] | undefined
  for await (const use of uses) {
    if (portion && portion[0].month === use.month && portion.length < peopleRead) portion.push(use)
    else {
      if (portion) yield portion
      portion = [use]
    }
  }
  if (portion) yield portion
}

const placeOf = ({ month, employee }: Use) => `${month}#${employee}`

/** The key of two overlapping shifts, in either order. */
const pairOf = ({ day, shift, withDay, withShift }: ShiftConflict<Shift>) =>
  [`${day} ${shift.id}`, `${withDay} ${withShift.id}`].sort().join()

interface Edit {
  before: Item<Shift>
  after: Item<Shift>
}

interface Grounds extends Edit {
  zone: string
  today: string
  shifts: ReadonlyMap<string, Item<Shift>>
}

/**
 * The new conflicts of the edit in a person's month. A conflict across two months belongs to the month of its first
 * edited day.
 */
const conflictsOf = (months: Months, month: string, { zone, today, shifts, before, after }: Grounds) => {
  const { id } = after
  const last = addDays(addMonths(`${month}-01`, 1), -1)
  // Begin with yesterday, because yesterday's night shift may overlap a shift of today.
  const days = daysBetween(laterDay(`${month}-01`, addDays(today, -1)), last)
  const around = withNeighbours(days.filter(day => shiftsOn(months, day).includes(id)))
  const conflictsWith = (shift: Item<Shift>) =>
    newConflicts<Shift>(zone, new Map([...shifts, [id, shift]]), around, {
      before: day => shiftsOn(months, day).filter(other => other !== id),
      after: day => shiftsOn(months, day),
    })
  const existing = new Set(conflictsWith(before).map(pairOf))
  return conflictsWith(after).filter(conflict => {
    const { day, shift, withDay } = conflict
    const isOfMonth = monthOf(shift.id === id ? day : withDay) === month
    return isOfMonth && laterDay(day, withDay) >= today && !existing.has(pairOf(conflict))
  })
}

interface Progress {
  /** The use after which to continue. */
  after: string
  problemCount: number
  problems: SheetProblem[]
}

/**
 * Counts the conflicts (59031) that an edit would cause from today on, and lists the first of them. Counts but never
 * lists conflicts of people whom the asker does not manage.
 */
export const findShiftConflicts = async (
  work: Pick<Work<'shift/preview'>, 'table' | 'asker' | 'memory' | 'remember' | 'tell' | 'pause'>,
  edit: Edit,
): Promise<Pick<TaskOutcome, 'problemCount' | 'problems'>> => {
  const { table, asker } = work
  const { timezone: zone } = await readCompany({ table })
  const today = localDay(zone, Date.now())
  let progress = (work.memory.conflicts as Progress | undefined) ?? { after: '', problemCount: 0, problems: [] }
  const { pk } = shiftUseKey(edit.after.id, '', '')
  const uses = { pk, from: monthOf(addDays(today, -1)) }
  const left = { ...uses, ...(progress.after !== '' && { after: progress.after }) }
  const total = await table.count<Use>(uses)
  let shifts: Awaited<ReturnType<typeof readShifts>> = new Map()
  let done = total - (await table.count<Use>(left))
  for await (const portion of portionsOf(table.each<Use>(left))) {
    await work.tell('check', done, total)
    const [{ month }] = portion
    const ids = portion.map(({ employee }) => employee)
    const around = withNeighbours([`${month}-01`, addDays(addMonths(`${month}-01`, 1), -1)])
    const [people, byEmployee] = await Promise.all([
      table.getMany(ids.map(employeeKey)),
      readMonths(table, ids, around),
    ])
    shifts = await readShifts(table, byEmployee.values(), shifts)
    const next = { ...progress, problems: [...progress.problems], after: placeOf(portion.at(-1) as Use) }
    for (const person of people) {
      // A deleted employee has no conflicts.
      const conflicts =
        person && conflictsOf(byEmployee.get(person.id) ?? new Map(), month, { ...edit, zone, today, shifts })
      if (!conflicts) continue
      next.problemCount += conflicts.length
      if (!managesEmployee(asker, person)) continue
      const room = mostProblemsShown - next.problems.length
      for (const { day, shift, withDay, withShift } of conflicts.slice(0, room))
        next.problems.push({
          ...{ row: 1, field: 'employee', code: 59031 },
          about: { employee: person.id, day, shift: shift.name, withDay, withShift: withShift.name },
        })
    }
    progress = next
    done += portion.length
    await work.remember({ conflicts: progress })
    if (done < total) work.pause()
  }
  return { problemCount: progress.problemCount, problems: progress.problems }
}
