import { companyNumberKey } from '../shared/company.ts'
import { employeeKey, worknoKey } from '../shared/employee.ts'
import { Problem } from '../shared/errors.ts'
import { roles } from '../shared/permissions.ts'
import { personalPaths } from '../shared/personal.ts'
import { lambda } from './kit/lambda.ts'
import { continueSession, startSession } from './kit/session.ts'
import { accountOf, checkPassword } from './kit/sign-in.ts'
import { directory, openTable } from './kit/table.ts'

/** The employee behind a company number and an employee number, or nobody. */
const find = async (companyNumber: string, workno: string) => {
  const pointer = await directory().get(companyNumberKey(companyNumber))
  if (!pointer) return undefined
  const table = openTable(pointer.company)
  const number = await table.get(worknoKey(workno))
  const employee = number && (await table.get(employeeKey(number.employee)))
  return employee && { company: pointer.company, employee }
}

export const handler = lambda(personalPaths, {
  'personal/login': async ({ code, workno, password }, { ip }) => {
    const found = await find(code, workno)
    const account = await checkPassword(
      { name: `${code}-${workno}`, ip },
      await accountOf(found?.employee.account),
      password,
    )
    if (!found) throw new Problem(21014)
    if (found.employee.role === roles.none) throw new Problem(21021)
    const { company, employee } = found
    const token = await startSession({ company, employee: employee.id, type: 'user' }, account)
    return { token, redirect: 0, company_id: company }
  },

  'personal/login/switch': async (_, caller) => ({ token: await continueSession(caller, { type: 'user' }) }),
})
