import { type Company, companyNumberKey } from '../shared/company.ts'
import type { DayRow } from '../shared/day.ts'
import { employeeKey, worknoKey } from '../shared/employee.ts'
import { Problem } from '../shared/errors.ts'
import { addFigures, type Figures, figuresOf, noFigures } from '../shared/figure.ts'
import { addDays, daysBetween, laterDay, localDay } from '../shared/local-day.ts'
import { roles } from '../shared/permissions.ts'
import { calendarKey } from '../shared/personal/calendar.ts'
import { personalPaths } from '../shared/personal.ts'
import { eachOnce, rowsOfNow } from '../shared/presence.ts'
import { attachmentUploadKey, mostAttachmentBytes, requestKey } from '../shared/request.ts'
import { renewCalendar, stopCalendar } from './calendar/store.ts'
import { readCompany } from './company/store.ts'
import { explainDays, printedOf, rowsToExplain, tellDays, tellPunches } from './day/explanation.ts'
import { checkRange, rowsBetween } from './day/rows.ts'
import { withReading } from './employee/reading.ts'
import { alterEmployee } from './employee/store.ts'
import { type Caller, isGone } from './kit/caller.ts'
import { openFiles } from './kit/files.ts'
import { newId } from './kit/id.ts'
import { lambda } from './kit/lambda.ts'
import { continueSession } from './kit/session.ts'
import { directory, openTable, save } from './kit/table.ts'
import { tap, tellTaps } from './personal/browser-punch.ts'
import { lastDayOf, presenceOf, readFreeDays, readPlanned } from './personal/day.ts'
import {
  ask,
  cancelRequest,
  countLeave,
  leaveRequest,
  listRequests,
  mayCancel,
  overtimeRequest,
  previewLeave,
  shiftRequest,
} from './personal/request.ts'
import { explainDay, explainedDays, readDayNote } from './record/day-note.ts'
import { addComment, readAround, showRequest } from './request/store.ts'
import { accountOf, checkPassword, enter, isDisabled, openMembershipsOf } from './user/sign-in.ts'

/**
 * The key to look up for an unknown number. Each lookup takes equally many reads, so that its time does not reveal
 * which numbers exist.
 */
const unknownId = 'nobody'

/** The employee of a company number and an employee ID, and the employee's account. Always takes four reads. */
const findEmployee = async (companyNumber: string, workno: string) => {
  const company = (await directory().get(companyNumberKey(companyNumber)))?.company ?? unknownId
  const table = openTable(company)
  const workNumber = await table.get(worknoKey(workno))
  const employee = await table.get(employeeKey(workNumber?.employee ?? unknownId))
  const account = await accountOf(employee?.account ?? unknownId)
  return { found: employee && { company, employee }, account }
}

/** The companies that a person may choose on the employee side. */
const readCompanies = async (account: string) => {
  const stored = await accountOf(account)
  return stored ? openMembershipsOf(stored) : []
}

/** The caller's own rows of a range, the oldest day first. */
const ownRows = ({ table, employee }: Caller, from: string, to: string) => rowsBetween(table, employee.id, from, to)

/** The rows of this month up to today. */
const readMonth = async (caller: Caller) => {
  const company = await readCompany(caller)
  const to = localDay(company.timezone, Date.now())
  const from = `${to.slice(0, 7)}-01`
  return { company, range: { from, to }, rows: await ownRows(caller, from, to) }
}

const historyDays = 30

/** The times in seconds. Leave reduces `dutytime`. */
const timesOf = (figures: Figures) => ({
  dutytime: (figures.dutyMinutes - figures.leaveMinutes) * 60,
  worktime: (figures.workMinutes + figures.unscheduledMinutes) * 60,
  overtime: figures.overtimeMinutes * 60,
})
/** Adds the printed, rounded figures of each day. */
const sumOf = (company: Company, rows: DayRow[]) => rows.map(printedOf(company)).reduce(addFigures, noFigures())

type Counted = Figures & { exceptions: readonly string[] }
/** Which days belong to each list, judged by unrounded figures, like the dashboard's counts. */
const belongsTo = {
  all: () => true,
  lateearly: ({ lateMinutes, earlyLeaveMinutes }: Counted) => lateMinutes + earlyLeaveMinutes > 0,
  absent: ({ absentMinutes }: Counted) => absentMinutes > 0,
  overtime: ({ overtimeMinutes }: Counted) => overtimeMinutes > 0,
  exception: ({ exceptions }: Counted) => exceptions.length > 0,
}

const ownDays =
  (isWanted: (day: Counted) => boolean) => async (range: { from: string; to: string }, caller: Caller) => {
    checkRange(range.from, range.to, 'to')
    const [company, rows, explained] = await Promise.all([
      readCompany(caller),
      ownRows(caller, range.from, range.to),
      explainedDays(caller.table, caller.employee.id, range.from, range.to),
    ])
    const wanted = rows.filter(row => isWanted({ ...figuresOf(row), exceptions: row.exceptions }))
    return { list: (await tellDays(caller.table, company, wanted)).reverse(), explained }
  }

export const handler = lambda(personalPaths, {
  'personal/login': async ({ code, workno, password, redirect }, { ip }) => {
    const { found, account: foundAccount } = await findEmployee(code, workno)
    const account = await checkPassword({ name: `${code}-${workno}`, ip }, foundAccount, password)
    if (!found) throw new Problem(21014)
    const { company, employee } = found
    if (employee.role === roles.none) throw new Problem(isDisabled(employee) ? 21021 : 21023)
    if (await isGone(openTable(company), employee)) throw new Problem(21021)
    return enter({ company, employee: employee.id, type: 'user' }, account, redirect)
  },

  'personal/login/switch': async (_, caller) => ({ token: await continueSession(caller, { type: 'user' }) }),

  'personal/company/list': async (_, { session }) => ({
    list: (await readCompanies(session.account)).map(({ company, name, company_num }) => ({
      id: company,
      name,
      company_num,
    })),
  }),

  'personal/company/select': async ({ id }, caller) => {
    const membership = (await readCompanies(caller.session.account)).find(({ company }) => company === id)
    if (!membership) throw new Problem(21022)
    return { token: await continueSession(caller, { company: id, employee: membership.employee.id }) }
  },

  'personal/dashboard/work': async (_, caller) => {
    const { company, rows, range } = await readMonth(caller)
    const { dutytime, worktime, overtime } = timesOf(sumOf(company, rows))
    const longest = Math.max(dutytime, worktime + overtime)
    const percentage = (part: number) => (longest === 0 ? 0 : Math.round((part / longest) * 100))
    return {
      ...range,
      ...{ dutytime, worktime, overtime },
      duty_percentage: percentage(dutytime),
      work_percentage: percentage(worktime),
      overtime_percentage: percentage(overtime),
    }
  },

  'personal/dashboard/info': async (_, caller) => {
    const { rows, range } = await readMonth(caller)
    /** Counts a day with two shifts once. */
    const days = (isWanted: (day: Counted) => boolean) =>
      new Set(rows.flatMap(row => (isWanted({ ...figuresOf(row), exceptions: row.exceptions }) ? [row.day] : []))).size
    return {
      ...range,
      month_early_late: days(belongsTo.lateearly),
      month_over: days(belongsTo.overtime),
      month_absent: days(belongsTo.absent),
      month_exception: days(belongsTo.exception),
    }
  },

  'personal/dashboard/record': async (_, caller) => {
    const company = await readCompany(caller)
    const now = Date.now()
    const day = localDay(company.timezone, now)
    const rows = rowsOfNow(await ownRows(caller, addDays(day, -1), addDays(day, 1)), day, now)
    const [list, [punches = []]] = await Promise.all([
      tellDays(caller.table, company, rows),
      tellPunches(caller.table, [{ punches: eachOnce(rows) }]),
    ])
    return { day, ...presenceOf(rows, now), list, punches }
  },

  'personal/dashboard/history': async (_, caller) => {
    const company = await readCompany(caller)
    const to = localDay(company.timezone, Date.now())
    const from = addDays(to, 1 - historyDays)
    const byDay = Map.groupBy(await ownRows(caller, from, to), ({ day }) => day)
    return { list: daysBetween(from, to).map(day => ({ day, ...timesOf(sumOf(company, byDay.get(day) ?? [])) })) }
  },

  'personal/record/all': ownDays(belongsTo.all),
  'personal/record/lateearly': ownDays(belongsTo.lateearly),
  'personal/record/absent': ownDays(belongsTo.absent),
  'personal/record/overtime': ownDays(belongsTo.overtime),
  'personal/record/exception': ownDays(belongsTo.exception),

  'personal/report/timecard': async ({ month }, caller) => {
    const company = await readCompany(caller)
    const today = localDay(company.timezone, Date.now())
    const [from, to] = [`${month}-01`, lastDayOf(month)]
    const rows = await ownRows(caller, from, to)
    const [list, planned, holidays] = await Promise.all([
      tellDays(caller.table, company, rows),
      readPlanned(caller, company, month, laterDay(rows.at(-1)?.day ?? today, today)),
      readFreeDays(caller, rows, from, to),
    ])
    return {
      today,
      lockedTo: company.lockedTo,
      list,
      // Leave out later days, which do not count yet.
      total: sumOf(
        company,
        rows.filter(({ day }) => day <= today),
      ),
      planned,
      holidays,
    }
  },

  'personal/calendar/get': async (_, { table, employee }) => {
    const address = await table.get(calendarKey(employee.id))
    return address ? { createdAt: address.createdAt } : {}
  },

  'personal/calendar/add': async (_, { table, company, employee }) => ({
    url: await renewCalendar(table, company, employee.id),
  }),

  'personal/calendar/delete': async (_, { table, employee }) => {
    const writes = await stopCalendar(table, employee.id)
    if (writes.length > 0) await save(...writes)
    return {}
  },

  'personal/report/record': async ({ day }, caller) => {
    const [company, rows, note] = await Promise.all([
      readCompany(caller),
      ownRows(caller, day, day),
      readDayNote(caller.table, caller.employee.id, day),
    ])
    const named = { employee: caller.employee.id, day }
    return { note, list: await explainDays(caller, company, await rowsToExplain(caller.table, company, named, rows)) }
  },

  'personal/record/explain': (form, caller) => explainDay(caller, form),
  'personal/record/agree': async (form, caller) => (await import('./record/answer.ts')).agree(caller, form),
  'personal/record/object': async (form, caller) => (await import('./record/answer.ts')).objectTo(caller, form),

  'personal/report/leave': async (form, caller) => (await import('./personal/leave.ts')).tellOwnLeave(form, caller),
  'personal/report/overtime': async (form, caller) =>
    (await import('./personal/leave.ts')).tellOwnOvertime(form, caller),

  'personal/account': async (_, caller) => {
    const account = await (await import('./leave/account.ts')).tellAccount(caller, caller.employee.id)
    return account ? { account } : {}
  },

  'personal/team': async (_, caller) => (await import('./personal/team.ts')).tellTeam(caller),

  'personal/punch/get': (_, caller) => tellTaps(caller),
  'personal/punch/add': (located, caller) => tap(caller, located),

  'personal/request/grid': async (input, caller) => listRequests(caller, input, await readAround(caller.table)),

  'personal/request/get': async ({ id }, caller) => {
    const { table, employee } = caller
    const [around, request] = await Promise.all([
      readAround(table),
      table.get(requestKey({ employee: employee.id, id })),
    ])
    if (!request) throw new Problem(60004, { id: 60004 })
    return { ...(await showRequest(caller, request)), mayCancel: mayCancel(request, around) }
  },

  'personal/request/shift/add': (form, caller) => ask(caller, form, around => shiftRequest(caller, form, around)),
  'personal/request/leave/add': (form, caller) =>
    ask(
      caller,
      form,
      around => leaveRequest(caller, form, around),
      (leave, around) => countLeave(caller, leave, around),
    ),
  'personal/request/overtime/add': (form, caller) => ask(caller, form, around => overtimeRequest(caller, form, around)),

  'personal/request/leave/preview': (form, caller) => previewLeave(caller, form),

  'personal/request/cancel': async ({ id }, caller) => {
    await cancelRequest(caller, id)
    return {}
  },

  'personal/request/comment/add': async ({ id, text }, caller) => ({
    comment: await addComment(caller, { employee: caller.employee.id, id }, text),
  }),

  'personal/request/upload': async ({ type }, caller) => {
    const upload = newId()
    const key = attachmentUploadKey(caller.employee.id, upload)
    return { upload, ...(await openFiles(caller.company).form(key, { type, mostBytes: mostAttachmentBytes })) }
  },

  'personal/update': async (form, { table, employee }) => {
    const names = await withReading(form)
    const changed = await alterEmployee(table, employee.id, ({ language: _l, tel: _t, reading: _r, ...unchanged }) => ({
      ...unchanged,
      ...names,
    }))
    if (!changed) throw new Problem(502)
    return {}
  },
})
