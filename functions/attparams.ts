import { readyNames, readySets } from '../shared/attendance/hours/ready.ts'
import { attparamsHistory, attparamsOf, attparamsPaths } from '../shared/attparams.ts'
import { companyKey } from '../shared/company.ts'
import { Problem } from '../shared/errors.ts'
import { withRules } from './attparams/rule.ts'
import { readCompany } from './company/store.ts'
import { beginHourPreview, changeHourSet, listHourSets, readHourSet } from './hours/set.ts'
import { lambda } from './kit/lambda.ts'
import { save } from './kit/table.ts'
import { beginTask, owe } from './kit/task.ts'

export const handler = lambda(attparamsPaths, {
  'attparams/hours/grid': async ({ size, page }, caller) => listHourSets(caller, { size, page }),
  'attparams/hours/index': async ({ id }, caller) => readHourSet(caller, id),
  'attparams/hours/ready': async () => ({ list: readyNames.map(name => ({ name, set: readySets[name] })) }),
  'attparams/hours/update': (form, caller) => changeHourSet(caller, form),
  'attparams/hours/preview': (form, caller) => beginHourPreview(caller, form),

  'attparams/index': async (_, caller) => {
    const company = await readCompany(caller)
    const [current, ...former] = attparamsHistory(company)
    if (!current) throw new Problem(60004)
    const { until: _until, ...shown } = current
    return { ...shown, former, version: company.version }
  },

  'attparams/update': async (form, caller) => {
    const company = await readCompany(caller)
    const { book, changedFrom } = withRules(company, attparamsOf(form), form.from)
    const { writes, ...started } = owe(
      caller,
      'attparams/update',
      changedFrom === undefined ? undefined : { ...form, from: changedFrom },
    )
    await save(caller.table.replace(companyKey(), { ...company, ...book, version: form.version }), ...writes)
    return started
  },

  'attparams/preview': async (form, caller) => {
    const company = await readCompany(caller)
    withRules(company, attparamsOf(form), form.from)
    if (company.version !== form.version) throw new Problem(60006)
    return beginTask(caller, 'attparams/preview', form)
  },
})
