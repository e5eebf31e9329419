import { companyKey } from '../shared/company.ts'
import { fullName } from '../shared/employee.ts'
import { Problem } from '../shared/errors.ts'
import { localDay } from '../shared/local-day.ts'
import { reportPaths } from '../shared/report.ts'
import { again, wasSlower } from './kit/again.ts'
import { manages } from './kit/caller.ts'
import { readCompany } from './kit/company.ts'
import { pageOfRows, readNames, rowsOfEmployee } from './kit/day-rows.ts'
import { findEmployee } from './kit/employee.ts'
import { explainDays } from './kit/explanation.ts'
import { lambda } from './kit/lambda.ts'
import { save } from './kit/table.ts'

const instant = (at: number | null) => (at === null ? undefined : new Date(at).toISOString())

export const handler = lambda(reportPaths, {
  'report/grid': async ({ filters, size, page }, caller) => {
    const { list, next } = await pageOfRows(caller, await readCompany(caller), filters, { size, page })
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
          week: row.week,
        }
      }),
      ...(next && { next }),
    }
  },

  'report/lock': async (_, caller) => {
    const { lockedTo, lockedBy, lockedAt, version } = await readCompany(caller)
    const person = lockedBy === undefined ? undefined : await findEmployee(caller.table, lockedBy)
    return { lockedTo, by: person && fullName(person), at: lockedAt, version }
  },

  'report/lock/update': async ({ version, lockedTo }, caller) => {
    const company = await readCompany(caller)
    // Today is still being worked.
    if (lockedTo !== null && lockedTo >= localDay(company.timezone, Date.now()))
      throw new Problem(10002, { lockedTo: 10002 })
    const lock = { lockedBy: caller.employee.id, lockedAt: new Date().toISOString() }
    await again(
      async () => {
        const { lockedTo: _, ...settings } = await readCompany(caller)
        const next = { ...settings, ...lock, ...(lockedTo !== null && { lockedTo }) }
        await save(caller.table.replace(companyKey(), { ...next, version: version ?? settings.version }))
      },
      error => version === undefined && wasSlower(error),
    )
    return {}
  },

  'report/day': async ({ employee: id, day }, caller) => {
    const [company, person, rows] = await Promise.all([
      readCompany(caller),
      findEmployee(caller.table, id),
      rowsOfEmployee(caller, id, day, day),
    ])
    // Days that were worked in a department of the caller's stay theirs to look at, wherever the person is now.
    if (!person || (rows.length === 0 && !manages(caller, person.department)))
      throw new Problem(60004, { employee: 60004 })
    const { first_name, last_name, workno } = person
    return { first_name, last_name, workno, list: await explainDays(caller.table, company, rows) }
  },
})
