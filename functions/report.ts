import { companyKey } from '../shared/company.ts'
import { fullName } from '../shared/employee.ts'
import { Problem } from '../shared/errors.ts'
import { addDays } from '../shared/local-day.ts'
import { type LockedChange, lockedChangeKey } from '../shared/lock.ts'
import { reportParamsOf } from '../shared/measure.ts'
import { reportPaths } from '../shared/report.ts'
import { calculationKey } from '../shared/task.ts'
import { again, wasSlower } from './kit/again.ts'
import { manages } from './kit/caller.ts'
import { readCompany } from './kit/company.ts'
import { readNames, rowsOfEmployee } from './kit/day-rows.ts'
import { findEmployee } from './kit/employee.ts'
import { explainDays } from './kit/explanation.ts'
import { lambda } from './kit/lambda.ts'
import { settledTo } from './kit/lock.ts'
import {
  departmentsOf,
  openReport,
  pageOfReport,
  pageOfSummary,
  paramsOnWire,
  rowPrinter,
  rowsOfDepartments,
  totalOf,
} from './kit/report.ts'
import { save } from './kit/table.ts'
import { beginTask, owe } from './kit/task.ts'

export const handler = lambda(reportPaths, {
  'report/grid': async ({ filters, size, page }, caller) => {
    const report = await openReport(caller, filters)
    const { list, next } = await pageOfReport(report, { size, page })
    return { list: await rowPrinter(report)(list), ...(next && { next }) }
  },

  'report/summary': async ({ filters, ...asked }, caller) => pageOfSummary(await openReport(caller, filters), asked),

  'report/department': async ({ filters, size, page }, caller) => {
    const report = await openReport(caller, filters)
    const name = `report/department ${JSON.stringify(filters)}`
    const { list, next } = await caller.table.slice(departmentsOf(report), { name, size, page })
    return { list: await rowsOfDepartments(report, list), ...(next && { next }) }
  },

  'report/total': async ({ filters }, caller) => {
    const figures = await totalOf(await openReport(caller, filters))
    return figures ? { figures } : {}
  },

  'report/params': async (_, caller) => {
    const company = await readCompany(caller)
    return { ...paramsOnWire(reportParamsOf(company)), version: company.version }
  },

  'report/params/update': async ({ version, timeUnit, rounding, minimumUnit }, caller) => {
    const company = await readCompany(caller)
    await save(caller.table.replace(companyKey(), { ...company, timeUnit, rounding, minimumUnit, version }))
    return {}
  },

  'report/lock': async (_, caller) => {
    const company = await readCompany(caller)
    const { lockedTo, lockedBy, lockedAt, version } = company
    const person = lockedBy === undefined ? undefined : await findEmployee(caller.table, lockedBy)
    return {
      lockedTo,
      by: person && fullName(person),
      at: lockedAt,
      settledTo: await settledTo(caller, company, lockedTo),
      version,
    }
  },

  'report/lock/update': async ({ version, lockedTo }, caller) => {
    const { table } = caller
    return again(
      async () => {
        const { lockedTo: before, ...settings } = await readCompany(caller)
        const isMore = lockedTo !== null && (before === undefined || lockedTo > before)
        if (isMore && lockedTo > (await settledTo(caller, settings, before)))
          throw new Problem(60064, { lockedTo: 60064 })
        if ((await table.page({ pk: calculationKey('').pk, size: 1 })).list.length > 0) throw new Problem(60065)
        const isOpened = before !== undefined && (lockedTo === null || lockedTo < before)
        const opened = isOpened ? { to: before, ...(lockedTo !== null && { from: addDays(lockedTo, 1) }) } : undefined
        const { writes, ...owed } = owe(caller, 'report/lock/update', opened)
        const lock = { lockedBy: caller.employee.id, lockedAt: new Date().toISOString() }
        const next = { ...settings, ...lock, ...(lockedTo !== null && { lockedTo }) }
        await save(table.replace(companyKey(), { ...next, version: version ?? settings.version }), ...writes)
        return owed
      },
      error => version === undefined && wasSlower(error),
    )
  },

  'report/lock/preview': async (input, caller) => beginTask(caller, 'report/lock/preview', input),

  'report/lock/change/grid': async ({ size, page }, caller) => {
    const { pk } = lockedChangeKey({ employee: '', day: '', shift: null })
    const { list, next } = await caller.table.page<LockedChange>({ pk, size, page })
    const mine = list.filter(({ department }) => manages(caller, department))
    const names = await readNames(caller.table, mine)
    return {
      list: mine.map(({ employee, day, shift, before, after, at, cause }) => {
        const { first_name, last_name, workno } = names.employee(employee)
        return {
          ...{ employee, first_name, last_name, workno, day, shift: names.shift(shift)?.name },
          ...{ before, after, at, cause: cause.kind },
        }
      }),
      ...(next && { next }),
    }
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
