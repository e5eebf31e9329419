import { type approvePaths, mostColleagues, mostJudgedDays } from '../../shared/approve.ts'
import type { Output } from '../../shared/contract.ts'
import type { DayRow } from '../../shared/day.ts'
import { departmentsOf, type Employee } from '../../shared/employee.ts'
import { toldOf } from '../../shared/preview.ts'
import { isAllDay, type LeaveRequest, type Request, requestStatus } from '../../shared/request.ts'
import { readShiftsById } from '../day/explanation.ts'
import { rowsBetween } from '../day/rows.ts'
import { walkDays } from '../day/walk.ts'
import { findEmployees } from '../employee/store.ts'
import type { Item, Table } from '../kit/table.ts'
import { leaveRange } from '../request/leave-range.ts'

// Collects the data for an approver's decision: the effect of a request on the days, and the colleagues on leave.

type Judged = Output<(typeof approvePaths)['approve/get']>
/** The part of a row that an approver sees, from a stored or a simulated row. */
type ShownRow = Pick<DayRow, 'day' | 'shift' | 'zone' | 'dutyFrom' | 'dutyTo' | 'firstIn' | 'lastOut'> &
  Parameters<typeof toldOf>[0]

const instant = (at: number | null) => (at === null ? undefined : new Date(at).toISOString())
const showRow = (row: ShownRow) => ({ ...toldOf(row), firstIn: instant(row.firstIn), lastOut: instant(row.lastOut) })
const rowIdOf = ({ day, shift }: ShownRow) => `${day} ${shift ?? '-'}`

interface RowPair {
  before?: ShownRow | undefined
  after?: ShownRow | undefined
}

/**
 * The rows of a request's days before and after its next step. The next step approves a pending request or cancels an
 * approved request. Without a next step, the rows are equal.
 */
const readRowPairs = async (table: Table, request: Request): Promise<{ rows: RowPair[]; isOpen: boolean }> => {
  const { id, employee, status, day: from, toDay: to } = request
  const stored = await rowsBetween(table, employee, from, to)
  const rows = new Map<string, RowPair>(stored.map(row => [rowIdOf(row), { before: row, after: row }]))
  const isPending = status === requestStatus.pending
  if (!isPending && status !== requestStatus.approved) return { rows: [...rows.values()], isOpen: false }
  const {
    walked: [walked],
  } = await walkDays(table, [{ employee, from, to }], {
    requests: (_, approved) => (isPending ? [...approved, request] : approved.filter(other => other.id !== id)),
  })
  for (const { before, after } of walked?.changes ?? []) {
    const row = after ?? before
    if (row) rows.set(rowIdOf(row), { before, after })
  }
  for (const row of walked?.toCome.before ?? []) rows.set(rowIdOf(row), { before: row })
  for (const row of walked?.toCome.after ?? [])
    rows.set(rowIdOf(row), { before: rows.get(rowIdOf(row))?.before, after: row })
  return { rows: [...rows.values()], isOpen: walked !== undefined }
}

/** The rows of a request's days, in order, with their total number. */
export const judgeDays = async (table: Table, request: Request): Promise<Pick<Judged, 'days' | 'dayCount'>> => {
  const { rows, isOpen } = await readRowPairs(table, request)
  const list = rows
    .flatMap(({ before, after }) => {
      const row = after ?? before
      return row ? [{ row, before, after }] : []
    })
    .sort(({ row: a }, { row: b }) =>
      a.day === b.day ? (a.dutyFrom ?? 0) - (b.dutyFrom ?? 0) : a.day < b.day ? -1 : 1,
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
        before: before ? showRow(before) : null,
        ...(isOpen && { after: after ? showRow(after) : null }),
      }
    }),
  }
}

/** The most approved leaves, and the most pending leaves, to read around the days. */
const mostLeaves = 1000

/** The colleagues of a department with approved or pending leave on the days of a leave. */
export const readColleagues = async (
  table: Table,
  { employee, day, toDay }: LeaveRequest,
  department: string,
): Promise<Judged['colleagues']> => {
  const read = async (status: 0 | 1) => {
    const range = leaveRange(status, day, toDay)
    const { rows } = await table.part<LeaveRequest>({
      ...range,
      where: [...range.where, ['employee', '<>', employee]],
      size: mostLeaves,
    })
    return rows.map(({ item }) => item)
  }
  const leaves = (await Promise.all([read(requestStatus.approved), read(requestStatus.pending)])).flat()
  const employees = await findEmployees(
    table,
    leaves.map(leave => leave.employee),
  )
  const people = new Map(employees.map((person): [string, Item<Employee>] => [person.id, person]))
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
    .sort((a, b) => (a.date < b.date ? -1 : 1))
    .slice(0, mostColleagues)
}
