import { addDays } from '../../shared/local-day.ts'
import {
  mostLeaveDays,
  type RequestStatus,
  requestListPk,
  requestPk,
  requestStatus,
  requestTypes,
} from '../../shared/request.ts'
import type { Where } from '../kit/table.ts'

// Requests are in order of their last day.

const touching = (from: string, to: string): { from: string; to: string; where: Where[] } => ({
  ...{ from, to: `${addDays(to, mostLeaveDays)}~` },
  where: [
    ['type', '=', requestTypes.leave],
    ['day', 'below', addDays(to, 1)],
  ],
})

/** The range of a company's leave in one state that touches some days. */
export const leaveRange = (status: RequestStatus, from: string, to: string) => ({
  ...{ index: 'byDay' as const, pk: requestListPk(status) },
  ...touching(from, to),
})

/** The range of a person's approved leave that touches some days. */
export const leaveOfPerson = (employee: string, from: string, to: string) => {
  const { where, ...range } = touching(from, to)
  const approved: Where = ['status', '=', requestStatus.approved]
  return { pk: requestPk(employee), ...range, where: [...where, approved] }
}
