import { employeeKey } from '../../shared/employee.ts'
import { addDays, addMonths, daysBetween, laterDay, localDay } from '../../shared/local-day.ts'
import { newConflicts, type ShiftConflict, withNeighbours } from '../../shared/schedule/conflict.ts'
import { monthOf } from '../../shared/schedule.ts'
import { type Shift, shiftUseKey } from '../../shared/shift.ts'
import { mostProblemsShown, type SheetProblem } from '../../shared/task.ts'
import { readCompany } from '../company/store.ts'
import { managesEmployee } from '../kit/caller.ts'
import type { Item } from '../kit/table.ts'
import type { TaskOutcome, Work } from '../kit/task.ts'
import { type Months, readMonths, readShifts, shiftsOn } from '../schedule/store.ts'

// Whom an edit of a shift would have on two duties at once. It may be saved so: the schedule is mended after it, and not before.

const peopleRead = 50

interface Use {
  month: string
  employee: string
}

/** Uses as they are kept, by month and person, in portions of one month; read as they are asked for. */
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

/** The same two duties, whichever begins first. */
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

/** The conflicts the edit brings to somebody's month; one that reaches into another month is told in that of its first edited day. */
const conflictsOf = (months: Months, month: string, { zone, today, shifts, before, after }: Grounds) => {
  const { id } = after
  const last = addDays(addMonths(`${month}-01`, 1), -1)
  // Yesterday's night may end in a duty of today.
  const days = daysBetween(laterDay(`${month}-01`, addDays(today, -1)), last)
  const around = withNeighbours(days.filter(day => shiftsOn(months, day).includes(id)))
  const conflictsWith = (shift: Item<Shift>) =>
    newConflicts<Shift>(zone, new Map([...shifts, [id, shift]]), around, {
      before: day => shiftsOn(months, day).filter(other => other !== id),
      after: day => shiftsOn(months, day),
    })
  const known = new Set(conflictsWith(before).map(pairOf))
  return conflictsWith(after).filter(conflict => {
    const { day, shift, withDay } = conflict
    const isOfMonth = monthOf(shift.id === id ? day : withDay) === month
    return isOfMonth && laterDay(day, withDay) >= today && !known.has(pairOf(conflict))
  })
}

interface Found {
  /** Behind which use to go on. */
  after: string
  problemCount: number
  problems: SheetProblem[]
}

/**
 * The conflicts (59031) an edit would bring to whoever is scheduled in the shift from today on, and the first of them. Those of
 * people one does not manage are counted, and never named.
 */
export const findShiftConflicts = async (
  work: Pick<Work<'shift/preview'>, 'table' | 'asker' | 'memory' | 'remember' | 'tell' | 'pause'>,
  edit: Edit,
): Promise<Pick<TaskOutcome, 'problemCount' | 'problems'>> => {
  const { table, asker } = work
  const { timezone: zone } = await readCompany({ table })
  const today = localDay(zone, Date.now())
  let found = (work.memory.conflicts as Found | undefined) ?? { after: '', problemCount: 0, problems: [] }
  const { pk } = shiftUseKey(edit.after.id, '', '')
  const uses = { pk, from: monthOf(addDays(today, -1)) }
  const left = { ...uses, ...(found.after !== '' && { after: found.after }) }
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
    const next = { ...found, problems: [...found.problems], after: placeOf(portion.at(-1) as Use) }
    for (const person of people) {
      // Who has left is on no duty.
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
    found = next
    done += portion.length
    await work.remember({ conflicts: found })
    if (done < total) work.pause()
  }
  return { problemCount: found.problemCount, problems: found.problems }
}
