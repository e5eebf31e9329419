import { companyKey, companyPaths } from '../shared/company.ts'
import { Problem } from '../shared/errors.ts'
import { readCompany } from './kit/company.ts'
import { lambda } from './kit/lambda.ts'
import { seal } from './kit/secrets.ts'
import { continueSession } from './kit/session.ts'
import { accountOf, mayManage, membershipsOf } from './kit/sign-in.ts'
import { save } from './kit/table.ts'

const manageable = async (account: string) => {
  const stored = await accountOf(account)
  return stored ? (await membershipsOf(stored)).filter(({ employee }) => mayManage(employee)) : []
}

export const handler = lambda(companyPaths, {
  'company/get': async (_, caller) => {
    const { id, name, company_num, timezone, dateformat_id, timeformat_id } = await readCompany(caller)
    return { id, name, company_num, timezone, dateformat_id, timeformat_id }
  },

  'company/list': async (_, { session }) => ({
    list: (await manageable(session.account)).map(({ company, name, company_num }) => ({
      id: company,
      name,
      company_num,
    })),
  }),

  'company/password': async ({ comm_pwd }, caller) => {
    const { company, table } = caller
    const sealed = await seal(comm_pwd, { company, purpose: 'comm_pwd' })
    await save(table.replace(companyKey(), { ...(await readCompany(caller)), comm_pwd: sealed }))
    return {}
  },

  'company/select': async ({ id }, caller) => {
    const membership = (await manageable(caller.session.account)).find(({ company }) => company === id)
    if (!membership) throw new Problem(21022)
    return { token: await continueSession(caller, { company: id, employee: membership.employee.id }) }
  },
})
