import { companyKey, leaveTypesOf } from '../shared/company.ts'
import { type Employee, employeeKey } from '../shared/employee.ts'
import { Problem } from '../shared/errors.ts'
import { leaveRuleOn } from '../shared/leave/rule.ts'
import { type LeaveBook, leaveBookKey, leavePaths, type OwnLeave, ownLeaveName } from '../shared/leave.ts'
import { roles } from '../shared/permissions.ts'
import { enterLeave, previewLeaves } from './approve/behalf.ts'
import { readCompany } from './company/store.ts'
import { listEmployees } from './employee/list.ts'
import { readManaged } from './employee/store.ts'
import { lambda } from './kit/lambda.ts'
import { save } from './kit/table.ts'
import { addEntry, changeRule, counterEntry, getAccount, listAccounts, tellRule } from './leave/account.ts'
import { balancesOf, readLeave, showLeaves } from './leave/balance.ts'
import { countCalendar, listCalendar } from './leave/calendar.ts'

const named = ({ id, first_name, last_name, workno, department }: Employee) => ({
  ...{ employee: id, first_name, last_name, workno, department },
})

export const handler = lambda(leavePaths, {
  'leave/params': async (_, caller) => {
    const company = await readCompany(caller)
    const { leaveRules: rules = [], leaveYearMonth: yearStart = 1, showsColleaguesAway = false, version } = company
    return { types: leaveTypesOf(company), rules, yearStart, showsColleaguesAway, version }
  },

  'leave/params/update': async ({ version, rules, ...form }, caller) => {
    const { showsColleaguesAway: before = false, leaveYearMonth = 1, ...company } = await readCompany(caller)
    const { showsColleaguesAway = before, yearStart = leaveYearMonth } = form
    const leaveRules = rules.toSorted((a, b) => a.leaveType - b.leaveType || a.since - b.since)
    await save(
      caller.table.replace(companyKey(), {
        ...{ ...company, leaveRules, version },
        ...(yearStart > 1 && { leaveYearMonth: yearStart }),
        ...(showsColleaguesAway && { showsColleaguesAway: true as const }),
      }),
    )
    return {}
  },

  'leave/add': (form, caller) => enterLeave(caller, form),

  'leave/preview': (form, caller) => previewLeaves(caller, form),

  'leave/calendar': (form, caller) => listCalendar(caller, form),

  'leave/calendar/total': (form, caller) => countCalendar(caller, form),

  'leave/account/params': (_, caller) => tellRule(caller),
  'leave/account/params/update': (form, caller) => changeRule(caller, form),
  'leave/account/grid': (form, caller) => listAccounts(caller, form),
  'leave/account/get': (form, caller) => getAccount(caller, form),
  'leave/account/entry/add': (form, caller) => addEntry(caller, form),
  'leave/account/entry/counter': (form, caller) => counterEntry(caller, form),

  'leave/balance/grid': async ({ filters: { year, ...filters }, sort, size, page }, caller) => {
    const company = await readCompany(caller)
    const { list, ...rest } = await listEmployees(caller, { name: 'leave', filters, sort, size, page })
    const held = await readLeave(caller.table, company, list, year)
    return {
      list: held.map((leave, i) => ({ ...named(list[i] as Employee), balances: balancesOf(company, leave, year) })),
      ...rest,
    }
  },

  'leave/balance/get': async ({ employee: id, year }, caller) => {
    const [company, employee, book] = await Promise.all([
      readCompany(caller),
      readManaged(caller, id),
      caller.table.get(leaveBookKey(id)),
    ])
    const [held] = await readLeave(caller.table, company, [employee], year)
    if (!held) throw new Problem(60004, { employee: 60004 })
    const { hireDay, endDay } = employee
    return {
      ...{ ...named(employee), hireDay, endDay, version: book?.version },
      balances: balancesOf(company, held, year),
      list: showLeaves(held, year),
    }
  },

  'leave/balance/update': async ({ employee: id, year, leaveType, version, ...own }, caller) => {
    const { table, employee: me } = caller
    const [company] = await Promise.all([readCompany(caller), readManaged(caller, id)])
    if (id === me.id && me.role !== roles.administrator) throw new Problem(60005, { employee: 60005 })
    if (!leaveRuleOn(company.leaveRules ?? [], leaveType, year)) throw new Problem(60004, { leaveType: 60004 })
    const key = leaveBookKey(id)
    const book = await table.get(key)
    if (book?.version !== version) throw new Problem(60006)
    const given: OwnLeave = own
    const next: LeaveBook = { employee: id, entries: { ...book?.entries, [ownLeaveName(year, leaveType)]: given } }
    await save(
      table.require(employeeKey(id), { code: 60004, fields: { employee: 60004 } }),
      book ? table.replace(key, { ...next, version: book.version }) : table.insert(key, next, { code: 60006 }),
    )
    return { version: (book?.version ?? 0) + 1 }
  },
})
