import { type approvePaths, mostColleagues, mostJudgedDays } from '../../shared/approve.ts'
import type { Output } from '../../shared/contract.ts'
import type { DayRow } from '../../shared/day.ts'
import { departmentsOf, type Employee } from '../../shared/employee.ts'
import { addDays } from '../../shared/local-day.ts'
import { toldOf } from '../../shared/preview.ts'
import {
  isAllDay,
  type LeaveRequest,
  mostLeaveDays,
  type Request,
  requestListPk,
  requestStatus,
  requestTypes,
} from '../../shared/request.ts'
import { readShiftsById } from '../day/explanation.ts'
import { rowsBetween } from '../day/rows.ts'
import { walkDays } from '../day/walk.ts'
import { findEmployees } from '../employee/store.ts'
import type { Item, Table } from '../kit/table.ts'

// What somebody needs to know to decide about a request: what it does to the days, and who else is away.

type Judged = Output<(typeof approvePaths)['approve/get']>
/** As much of a row as is shown, stored or only supposed. */
type Told = Pick<DayRow, 'day' | 'shift' | 'zone' | 'dutyFrom' | 'dutyTo' | 'firstIn' | 'lastOut'> &
  Parameters<typeof toldOf>[0]

const instant = (at: number | null) => (at === null ? undefined : new Date(at).toISOString())
const face = (row: Told) => ({ ...toldOf(row), firstIn: instant(row.firstIn), lastOut: instant(row.lastOut) })
const placeOf = ({ day, shift }: Told) => `${day} ${shift ?? '-'}`

interface Beside {
  before?: Told | undefined
  after?: Told | undefined
}

/** The rows of a request's days as they are and as they would be; alike where nothing is to come of it. */
const readBeside = async (table: Table, request: Request): Promise<{ rows: Beside[]; isOpen: boolean }> => {
  const { id, employee, status, day: from, toDay: to } = request
  const stored = await rowsBetween(table, employee, from, to)
  const found = new Map<string, Beside>(stored.map(row => [placeOf(row), { before: row, after: row }]))
  const isPending = status === requestStatus.pending
  if (!isPending && status !== requestStatus.approved) return { rows: [...found.values()], isOpen: false }
  const {
    walked: [walked],
  } = await walkDays(table, [{ employee, from, to }], {
    requests: (_, approved) => (isPending ? [...approved, request] : approved.filter(one => one.id !== id)),
  })
  for (const { before, after } of walked?.changes ?? []) {
    const row = after ?? before
    if (row) found.set(placeOf(row), { before, after })
  }
  for (const row of walked?.toCome.before ?? []) found.set(placeOf(row), { before: row })
  for (const row of walked?.toCome.after ?? [])
    found.set(placeOf(row), { before: found.get(placeOf(row))?.before, after: row })
  return { rows: [...found.values()], isOpen: walked !== undefined }
}

/** The days of a request, one row after the other. */
export const judgeDays = async (table: Table, request: Request): Promise<Pick<Judged, 'days' | 'dayCount'>> => {
  const { rows, isOpen } = await readBeside(table, request)
  const list = rows
    .flatMap(({ before, after }) => {
      const row = after ?? before
      return row ? [{ row, before, after }] : []
    })
    .sort(({ row: one }, { row: other }) =>
      one.day === other.day ? (one.dutyFrom ?? 0) - (other.dutyFrom ?? 0) : one.day < other.day ? -1 : 1,
    )
  const shown = list.slice(0, mostJudgedDays)
  const shifts = await readShiftsById(
    table,
    shown.map(({ row }) => row.shift),
  )
  return {
    dayCount: list.length,
    days: shown.map(({ row, before, after }) => {
      const { day, zone, shift, dutyFrom, dutyTo } = row
      return {
        ...{ day, timezone: zone, shift: shifts.get(shift)?.name, shiftColor: shifts.get(shift)?.color },
        ...{ dutyFrom: instant(dutyFrom), dutyTo: instant(dutyTo) },
        before: before ? face(before) : null,
        ...(isOpen && { after: after ? face(after) : null }),
      }
    }),
  }
}

/** Of all that is asked for around these days no more than this is looked at. */
const mostRead = 1000

/** Who else of a department is or asks to be on leave on the days of a leave. */
export const readColleagues = async (
  table: Table,
  { employee, day, toDay }: LeaveRequest,
  department: string,
): Promise<Judged['colleagues']> => {
  const read = async (status: 0 | 1) => {
    const { rows } = await table.part<LeaveRequest>({
      ...{ index: 'byDay', pk: requestListPk(status), from: day, to: `${addDays(toDay, mostLeaveDays)}~` },
      where: [
        ['type', '=', requestTypes.leave],
        ['day', 'below', addDays(toDay, 1)],
        ['employee', '<>', employee],
      ],
      size: mostRead,
    })
    return rows.map(({ item }) => item)
  }
  const leaves = (await Promise.all([read(requestStatus.approved), read(requestStatus.pending)])).flat()
  const found = await findEmployees(
    table,
    leaves.map(leave => leave.employee),
  )
  const people = new Map(found.map((person): [string, Item<Employee>] => [person.id, person]))
  return leaves
    .flatMap(leave => {
      const person = people.get(leave.employee)
      if (!person || !departmentsOf(person).includes(department)) return []
      const { first_name, last_name } = person
      return {
        ...{ employee: leave.employee, first_name, last_name, leaveType: leave.leaveType, status: leave.status },
        ...{ date: leave.day, toDate: leave.toDay, isAllDay: isAllDay(leave) },
      }
    })
    .sort((one, other) => (one.date < other.date ? -1 : 1))
    .slice(0, mostColleagues)
}
