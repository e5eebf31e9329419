import { companyKey } from '../shared/company.ts'
import type { Employee } from '../shared/employee.ts'
import { Problem } from '../shared/errors.ts'
import { addDays } from '../shared/local-day.ts'
import { type LockedChange, lockedChangeKey } from '../shared/lock.ts'
import { reportParamsOf } from '../shared/measure.ts'
import { roles } from '../shared/permissions.ts'
import { fullName } from '../shared/person-name.ts'
import { mostReportMails, nextMailAt, type ReportMail, reportMailKey } from '../shared/report/mail.ts'
import { reportPaths } from '../shared/report.ts'
import { calculatingKinds, type OpenTask, openTaskKey } from '../shared/task.ts'
import { readCompany } from './company/store.ts'
import { explainDays, rowsToExplain } from './day/explanation.ts'
import { settledTo } from './day/lock.ts'
import { checkRange, readNames, rowsOfEmployee } from './day/rows.ts'
import { readManagedSummaries } from './day/summary.ts'
import { eachEmployee } from './employee/list.ts'
import { findEmployee, readNamesFor } from './employee/store.ts'
import { listKinds } from './hours/store.ts'
import { type Caller, manages } from './kit/caller.ts'
import { newId } from './kit/id.ts'
import { lambda } from './kit/lambda.ts'
import { again, wasSlower } from './kit/table/change.ts'
import { readList } from './kit/table/list.ts'
import { type Item, save } from './kit/table.ts'
import { beginTask, owe } from './kit/task.ts'
import { keepBalances } from './leave/account-store.ts'
import { readDayNote } from './record/day-note.ts'
import { tellCorrecting } from './record/reach.ts'
import { checkPeriod, closePeriod, listPeriods, markReopened } from './report/close.ts'
import { checkColumns } from './report/columns.ts'
import { readLeftOut } from './report/left-out.ts'
import { checkMail, checkMailSize, mayGetMail, removeMail, sendingOf, writeMail } from './report/mail.ts'
import {
  departmentsOf,
  openReport,
  pageOfReport,
  pageOfSummary,
  paramsOnWire,
  rowPrinter,
  rowsOfDepartments,
  totalOf,
} from './report/read.ts'
import { listChanges, startChanges } from './report/since.ts'
import {
  addTemplate,
  checkTemplateKinds,
  deleteTemplate,
  listTemplates,
  readTemplate,
  updateTemplate,
} from './report/template.ts'
import { previewTemplate } from './report/template-file.ts'

/** Whether the caller may change a mailed report: its creator and the administrators may. */
const mayChange = ({ employee }: Caller, { by }: ReportMail) =>
  by === employee.id || employee.role === roles.administrator

const readMail = async (caller: Caller, id: string): Promise<Item<ReportMail>> => {
  const mail = await caller.table.get(reportMailKey(id))
  if (!mail || !mayChange(caller, mail)) throw new Problem(60004, { id: 60004 })
  return mail
}

export const handler = lambda(reportPaths, {
  'report/grid': async ({ filters, size, page }, caller) => {
    const report = await openReport(caller, filters)
    const { list, next } = await pageOfReport(report, { size, page })
    return { list: await rowPrinter(report)(list), ...(next && { next }) }
  },

  'report/summary': async ({ filters, ...paging }, caller) => pageOfSummary(await openReport(caller, filters), paging),

  'report/department': async ({ filters, size, page }, caller) => {
    const report = await openReport(caller, filters)
    const name = `report/department ${JSON.stringify(filters)}`
    const { list, next } = await caller.table.slice(departmentsOf(report), { name, size, page })
    return { list: await rowsOfDepartments(report, list), ...(next && { next }) }
  },

  'report/total': async ({ filters }, caller) => {
    const total = await totalOf(await openReport(caller, filters))
    return total ?? {}
  },

  'report/since/start': (_, caller) => startChanges(caller),

  'report/since': (input, caller) => listChanges(caller, input),

  'report/kind': async (_, { table }) => ({ list: await listKinds(table) }),

  'report/export': async (file, caller) => {
    await checkColumns(caller.table, file)
    checkRange(file.filters.from, file.filters.to)
    if (file.template !== undefined) await readTemplate(caller.table, file.template)
    return beginTask(caller, 'report/export', file)
  },

  'report/close/check': (range, caller) => checkPeriod(caller, range),
  'report/close/add': (form, caller) => closePeriod(caller, form),
  'report/close/grid': (input, caller) => listPeriods(caller, input),

  'report/mail/grid': async ({ size, page }, caller) => {
    const { table } = caller
    const all = await table.all<ReportMail>({ pk: reportMailKey('').pk })
    const { list, next } = await table.slice(
      all.filter(mail => mayChange(caller, mail)).sort((one, other) => (one.name < other.name ? -1 : 1)),
      { name: 'report/mail', size, page },
    )
    const ids = [...new Set(list.flatMap(({ employees, by }) => [...employees, by]))]
    const names = await readNamesFor(caller, ids)
    return {
      list: list.map(({ by, ...mail }) => ({
        ...mail,
        people: mail.employees.map(employee => ({ employee, name: names.get(employee) ?? '–' })),
        by: names.get(by) ?? '–',
      })),
      ...(next && { next }),
    }
  },

  'report/mail/people': async (_, caller) => {
    const sort = { by: 'name' as const, descending: false }
    const lists = await Promise.all(
      [roles.administrator, roles.manager].map(async role => {
        const employees: Employee[] = []
        for await (const employee of eachEmployee(caller, { filters: { role }, sort })) employees.push(employee)
        return employees
      }),
    )
    const all = lists.flat().filter(mayGetMail)
    // Callers who can get mail may always choose themselves.
    const mine =
      all.some(({ id }) => id === caller.employee.id) || !mayGetMail(caller.employee) ? [] : [caller.employee]
    return { list: [...mine, ...all].map(person => ({ employee: person.id, name: fullName(person) })) }
  },

  'report/mail/add': async (form, caller) => {
    await checkColumns(caller.table, form)
    await checkMail(caller, form)
    await checkMailSize(caller, form)
    const { timezone } = await readCompany(caller)
    const all = await caller.table.all<ReportMail>({ pk: reportMailKey('').pk, only: ['id'] })
    if (all.length >= mostReportMails) throw new Problem(60002)
    const id = newId()
    const nextAt = new Date(nextMailAt(form, timezone, Date.now())).toISOString()
    await save(...writeMail(caller.table, caller.company, { id, by: caller.employee.id, ...form, nextAt }))
    return { id }
  },

  'report/mail/update': async ({ version, ...form }, caller) => {
    await checkColumns(caller.table, form)
    const before = await readMail(caller, form.id)
    await checkMail(caller, form)
    await checkMailSize(caller, form)
    const { timezone } = await readCompany(caller)
    const nextAt = new Date(nextMailAt(form, timezone, Date.now())).toISOString()
    const { by, lastAt } = before
    const mail = { by, ...form, ...(lastAt && { lastAt }), nextAt }
    await save(...writeMail(caller.table, caller.company, mail, { ...before, version }))
    return {}
  },

  'report/mail/delete': async ({ id }, caller) => {
    await save(...removeMail(caller.table, caller.company, await readMail(caller, id)))
    return {}
  },

  'report/mail/send': async ({ id }, caller) => {
    const mail = await readMail(caller, id)
    if (!mayGetMail(caller.employee)) throw new Problem(21001)
    const { timezone } = await readCompany(caller)
    return beginTask(caller, 'report/mail/send', sendingOf(mail, timezone, Date.now()))
  },

  'report/template/grid': async ({ size, page }, { table }) =>
    table.slice(await listTemplates(table), { name: 'report/template', size, page }),

  'report/template/add': async (form, caller) => ({ id: await addTemplate(caller, form) }),

  'report/template/update': async (form, caller) => {
    await updateTemplate(caller, form)
    return {}
  },

  'report/template/delete': async ({ id }, caller) => {
    await deleteTemplate(caller, id)
    return {}
  },

  'report/template/preview': async ({ from, to, ...template }, caller) => {
    checkRange(from, to, 'to')
    await checkTemplateKinds(caller.table, template)
    const [lines, days] = await Promise.all([
      previewTemplate(caller, template, { from, to }, caller.language),
      readManagedSummaries(caller, from, to),
    ])
    const leftOut = await readLeftOut(caller, template, { from, to }, days)
    return { lines, ...(leftOut && { leftOut }) }
  },

  'report/params': async (_, caller) => {
    const company = await readCompany(caller)
    return {
      ...{ ...paramsOnWire(reportParamsOf(company)), version: company.version },
      minutesAs: company.minutesAs ?? ('minutes' as const),
    }
  },

  'report/params/update': async ({ version, timeUnit, rounding, minimumUnit, ...form }, caller) => {
    const { minutesAs: before = 'minutes', ...company } = await readCompany(caller)
    const { minutesAs = before } = form
    await save(
      caller.table.replace(companyKey(), {
        ...{ ...company, timeUnit, rounding, minimumUnit, version },
        ...(minutesAs === 'clock' && { minutesAs }),
      }),
    )
    return {}
  },

  'report/lock': async (_, caller) => {
    const company = await readCompany(caller)
    const { lockedTo, lockedBy, lockedAt, version } = company
    const names = await readNamesFor(caller, lockedBy === undefined ? [] : [lockedBy])
    return {
      lockedTo,
      by: names.get(lockedBy ?? ''),
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
        if ((lockedTo ?? undefined) === before) return {}
        const isMore = lockedTo !== null && (before === undefined || lockedTo > before)
        if (isMore && lockedTo > (await settledTo(caller, settings, before)))
          throw new Problem(60064, { lockedTo: 60064 })
        const tasks = await table.all<OpenTask>({ pk: openTaskKey('').pk, only: ['kind', 'expiresAt'] })
        if (tasks.some(({ kind }) => calculatingKinds.has(kind))) throw new Problem(60065)
        const isOpened = before !== undefined && (lockedTo === null || lockedTo < before)
        const opened = isOpened ? { to: before, ...(lockedTo !== null && { from: addDays(lockedTo, 1) }) } : undefined
        const { writes, ...owed } = owe(caller, 'report/lock/update', opened)
        const lock = { lockedBy: caller.employee.id, lockedAt: new Date().toISOString() }
        const next = { ...settings, ...lock, ...(lockedTo !== null && { lockedTo }) }
        await save(table.replace(companyKey(), { ...next, version: version ?? settings.version }), ...writes)
        if (isOpened) await markReopened(caller, lockedTo)
        await keepBalances(table, next, before)
        return owed
      },
      error => version === undefined && wasSlower(error),
    )
  },

  'report/lock/preview': async (input, caller) => beginTask(caller, 'report/lock/preview', input),

  'report/lock/change/grid': async ({ size, page }, caller) => {
    const { pk } = lockedChangeKey({ employee: '', day: '', shift: null })
    const { list, next } = await readList<LockedChange>(caller.table, {
      ...{ ranges: [{ pk }], name: 'report/lock/change/grid', size, page },
      keep: ({ department }) => manages(caller, department),
    })
    const names = await readNames(caller.table, list)
    return {
      list: list.map(({ employee, day, shift, before, after, at, cause }) => {
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
    // The caller still sees days in departments they manage, even if the person moved elsewhere.
    if (!person || (rows.length === 0 && !manages(caller, person.department)))
      throw new Problem(60004, { employee: 60004 })
    const { first_name, last_name, workno } = person
    const [shown, correcting, note] = await Promise.all([
      rowsToExplain(caller.table, company, { employee: id, day }, rows),
      tellCorrecting(caller.table, company, person, day),
      readDayNote(caller.table, id, day),
    ])
    return { first_name, last_name, workno, correcting, note, list: await explainDays(caller, company, shown) }
  },
})
