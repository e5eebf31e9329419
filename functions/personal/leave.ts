import type { PathInput, PathOutput } from '../../shared/api.ts'
import { figuresOf } from '../../shared/figure.ts'
import { addDays } from '../../shared/local-day.ts'
import { printedRequested, reportParamsOf } from '../../shared/measure.ts'
import { type OvertimeRequest, requestPk, requestTypes } from '../../shared/request.ts'
import { readCompany } from '../company/store.ts'
import { tellDays } from '../day/explanation.ts'
import { checkRange, rowsBetween } from '../day/rows.ts'
import type { Caller } from '../kit/caller.ts'
import { balancesOf, readLeave, showLeaves } from '../leave/balance.ts'

// The caller's own leave and overtime.

export const tellOwnLeave = async (
  { year }: PathInput<'personal/report/leave'>,
  caller: Caller,
): Promise<PathOutput<'personal/report/leave'>> => {
  const company = await readCompany(caller)
  const [leave] = await readLeave(caller.table, company, [caller.employee], year)
  return leave
    ? { balances: balancesOf(company, leave, year), list: showLeaves(leave, year) }
    : { balances: [], list: [] }
}

export const tellOwnOvertime = async (
  { from, to }: PathInput<'personal/report/overtime'>,
  caller: Caller,
): Promise<PathOutput<'personal/report/overtime'>> => {
  checkRange(from, to, 'to')
  const { table, employee } = caller
  const [company, rows, requests] = await Promise.all([
    readCompany(caller),
    rowsBetween(table, employee.id, from, to),
    table.all<OvertimeRequest>({
      ...{ pk: requestPk(employee.id), from, to: addDays(to, 1) },
      where: [['type', '=', requestTypes.overtime]],
    }),
  ])
  const params = reportParamsOf(company)
  const worked = rows.filter(row => figuresOf(row).overtimeMinutes > 0)
  const list = (await tellDays(table, company, worked)).map((day, i) => {
    const row = worked[i]
    return { ...day, requestedOvertimeMinutes: row ? printedRequested(row, params) : 0 }
  })
  const sum = (of: 'overtimeMinutes' | 'requestedOvertimeMinutes') => list.reduce((sum, day) => sum + day[of], 0)
  return {
    list: list.reverse(),
    total: {
      overtimeMinutes: sum('overtimeMinutes'),
      requestedOvertimeMinutes: sum('requestedOvertimeMinutes'),
    },
    requests: requests
      .filter(({ day }) => day <= to)
      .map(({ id, status, day, zone, from, to }) => ({ id, status, date: day, timezone: zone, from, to })),
  }
}
