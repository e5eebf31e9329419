import { addDays } from '../../shared/local-day.ts'
import { mostLeaveDays, type RequestStatus, requestListPk, requestTypes } from '../../shared/request.ts'
import type { Where } from '../kit/table.ts'

/** The range of a company's leave in one state that touches some days. Requests are in order of their last day. */
export const leaveRange = (status: RequestStatus, from: string, to: string) => {
  const where: Where[] = [
    ['type', '=', requestTypes.leave],
    ['day', 'below', addDays(to, 1)],
  ]
  return { index: 'byDay' as const, pk: requestListPk(status), from, to: `${addDays(to, mostLeaveDays)}~`, where }
}
