import { accountKey } from '../shared/account.ts'
import { defaultParameters } from '../shared/attendance/input.ts'
import { authPaths } from '../shared/auth.ts'
import { companyKey, dateFormatOf, defaultPrevention, nameFormats, timeFormatOf } from '../shared/company.ts'
import { Problem } from '../shared/errors.ts'
import { defaultPayPeriod } from '../shared/pay-period.ts'
import { permissions } from '../shared/permissions.ts'
import { defaultCorrectionRule } from '../shared/record/rule.ts'
import { lambda } from './kit/lambda.ts'
import { directory } from './kit/table.ts'

export const handler = lambda(authPaths, {
  'auth/get': async (_, { table, session, employee, type, permissions: granted, departments }) => {
    const [company, account] = await Promise.all([
      table.get(companyKey()),
      directory().get(accountKey(session.account)),
    ])
    if (!company) throw new Problem(502)
    return {
      uuid: type === 'management' && account?.email ? account.email : `${company.company_num}-${employee.workno}`,
      type,
      role: employee.role,
      managesAll: departments === undefined,
      auth_item: [...granted].map(id => ({ id, name: permissions[id].name })),
      employee: {
        id: employee.id,
        first_name: employee.first_name,
        last_name: employee.last_name,
        role: employee.role,
      },
      company: {
        id: company.id,
        name: company.name,
        company_num: company.company_num,
        timezone: company.timezone,
      },
      timeUnit: company.timeUnit,
      minutesAs: company.minutesAs ?? ('minutes' as const),
      dateformat: dateFormatOf(company.dateformat_id),
      timeformat: timeFormatOf(company.timeformat_id),
      isFamilyFirst: company.nameformat_id === nameFormats.familyFirst,
      firstWeekday: (company.parameters ?? defaultParameters).firstWeekday,
      leaveYearMonth: company.leaveYearMonth ?? 1,
      payPeriod: company.payPeriod ?? defaultPayPeriod,
      correctionRule: company.correctionRule ?? defaultCorrectionRule,
      temp_unit: (company.prevention ?? defaultPrevention).temp_unit,
    }
  },
})
