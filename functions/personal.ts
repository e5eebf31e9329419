import { companyNumberKey } from '../shared/company.ts'
import { employeeKey, worknoKey } from '../shared/employee.ts'
import { Problem } from '../shared/errors.ts'
import { roles } from '../shared/permissions.ts'
import { personalPaths } from '../shared/personal.ts'
import { isGone } from './kit/caller.ts'
import { alterEmployee } from './kit/employee.ts'
import { lambda } from './kit/lambda.ts'
import { continueSession } from './kit/session.ts'
import { accountOf, checkPassword, enter, isDisabled } from './kit/sign-in.ts'
import { directory, openTable } from './kit/table.ts'

/** What is looked for behind a number nobody has: it costs the same looks, so that its time tells nobody which there are. */
const nobody = 'nobody'

/** The employee behind a company number and an employee number with their account, or nobody; by four looks in any case. */
const find = async (companyNumber: string, workno: string) => {
  const company = (await directory().get(companyNumberKey(companyNumber)))?.company ?? nobody
  const table = openTable(company)
  const number = await table.get(worknoKey(workno))
  const employee = await table.get(employeeKey(number?.employee ?? nobody))
  const account = await accountOf(employee?.account ?? nobody)
  return { found: employee && { company, employee }, account }
}

export const handler = lambda(personalPaths, {
  'personal/login': async ({ code, workno, password, redirect }, { ip }) => {
    const { found, account: known } = await find(code, workno)
    const account = await checkPassword({ name: `${code}-${workno}`, ip }, known, password)
    if (!found) throw new Problem(21014)
    const { company, employee } = found
    if (employee.role === roles.none) throw new Problem(isDisabled(employee) ? 21021 : 21023)
    if (await isGone(openTable(company), employee)) throw new Problem(21021)
    return enter({ company, employee: employee.id, type: 'user' }, account, redirect)
  },

  'personal/login/switch': async (_, caller) => ({ token: await continueSession(caller, { type: 'user' }) }),

  'personal/update': async (form, { table, employee }) => {
    const changed = await alterEmployee(table, employee.id, ({ language: _l, tel: _t, ...rest }) => ({
      ...rest,
      ...form,
    }))
    if (!changed) throw new Problem(502)
    return {}
  },
})
