import { reportPaths } from '../shared/report.ts'
import { readCompany } from './kit/company.ts'
import { pageOfRows, readNames } from './kit/day-rows.ts'
import { lambda } from './kit/lambda.ts'

const instant = (at: number | null) => (at === null ? undefined : new Date(at).toISOString())

export const handler = lambda(reportPaths, {
  'report/grid': async ({ filters, size, page }, caller) => {
    const { dayShards } = await readCompany(caller)
    const { list, next } = await pageOfRows(caller, dayShards, filters, { size, page })
    const names = await readNames(caller.table, list)
    return {
      list: list.map(row => {
        const { first_name, last_name, workno } = names.employee(row.employee)
        const shift = names.shift(row.shift)
        return {
          employee: row.employee,
          first_name,
          last_name,
          workno,
          department: row.department,
          day: row.day,
          timezone: row.zone,
          shift: shift?.name,
          shiftColor: shift?.color,
          state: row.state,
          firstIn: instant(row.firstIn),
          lastOut: instant(row.lastOut),
          dutyMinutes: row.dutyMinutes,
          workMinutes: row.workMinutes,
          breakMinutes: row.breakMinutes,
          lateMinutes: row.lateMinutes,
          earlyLeaveMinutes: row.earlyLeaveMinutes,
          absentMinutes: row.absentMinutes,
          leaveMinutes: row.leaveMinutes,
          overtimeMinutes: row.overtimeMinutes,
          exceptions: row.exceptions,
        }
      }),
      ...(next && { next }),
    }
  },
})
