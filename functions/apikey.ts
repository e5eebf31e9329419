import { type ApiKey, apiKeyKey, apiKeyPointerKey, apiKeyPrefix, apikeyPaths, mostApiKeys } from '../shared/apikey.ts'
import { type Employee, employeeKey, hasLeft } from '../shared/employee.ts'
import { Problem } from '../shared/errors.ts'
import { localDay } from '../shared/local-day.ts'
import { roles } from '../shared/permissions.ts'
import { fullName } from '../shared/person-name.ts'
import { readCompany } from './company/store.ts'
import { readNames } from './day/rows.ts'
import { areThere, checkDepartments } from './department/store.ts'
import { needDeveloperMode } from './kit/developer-mode.ts'
import { hashSecret, newId, newSecret } from './kit/id.ts'
import { lambda } from './kit/lambda.ts'
import { addAtMost } from './kit/table/change.ts'
import { directory, type Item, save, type Table } from './kit/table.ts'

const dayMilliseconds = 24 * 3600_000
/** The prefix and 4 characters: enough to recognise a key, too few to guess it. */
const shownCharacters = apiKeyPrefix.length + 4

const readKeys = (table: Table): Promise<Item<ApiKey>[]> => table.all<ApiKey>({ pk: apiKeyKey('').pk })

const findKey = async (table: Table, id: string): Promise<Item<ApiKey>> => {
  needDeveloperMode()
  const key = await table.get(apiKeyKey(id))
  if (!key) throw new Problem(60004, { id: 60004 })
  return key
}

type Form = Pick<ApiKey, 'name' | 'permissions' | 'canWrite' | 'departments'>

/** The fields of a form without duplicates. Throws 60004 if a department does not exist. */
const readForm = async (table: Table, { name, permissions, canWrite, departments }: Form): Promise<Form> => {
  await checkDepartments(table, departments ?? [])
  return {
    ...{ name, permissions: [...new Set(permissions)], canWrite },
    ...(departments && { departments: [...new Set(departments)] }),
  }
}

export const handler = lambda(apikeyPaths, {
  'apikey/grid': async ({ size, page }, caller) => {
    needDeveloperMode()
    const { table } = caller
    const keys = await readKeys(table)
    const { list, ...paging } = await table.slice(keys, { name: 'apikey', size, page })
    const departmentIds = list.flatMap(({ departments = [] }) => departments)
    const makerIds = list.map(({ createdBy }) => createdBy)
    const [names, makers, { timezone }, pointers, isThere] = await Promise.all([
      readNames(
        table,
        makerIds.map(employee => ({ employee, shift: null })),
      ),
      table.getMany(makerIds.map(employeeKey)),
      readCompany(caller),
      directory().getMany(list.map(({ hash }) => apiKeyPointerKey(hash))),
      areThere(table, departmentIds),
    ])
    const today = localDay(timezone, Date.now())
    const isGone = (maker: Employee | undefined) => maker?.role !== roles.administrator || hasLeft(maker, today)
    const existing = new Set(departmentIds.filter((_, i) => isThere[i]))
    return {
      list: list.map(({ hash: _, createdBy, departments, ...key }, i) => {
        const usedAt = pointers[i]?.usedAt
        return {
          ...key,
          ...(departments && { departments: departments.filter(id => existing.has(id)) }),
          createdBy: fullName(names.employee(createdBy)),
          isMakerGone: isGone(makers[i]),
          ...(usedAt !== undefined && { usedAt }),
        }
      }),
      count: keys.length,
      ...paging,
    }
  },

  'apikey/add': async ({ days, ...form }, { table, company, employee }) => {
    needDeveloperMode()
    const fields = await readForm(table, form)
    const [id, key, now] = [newId(), apiKeyPrefix + newSecret(), Date.now()]
    const [hash, end] = [hashSecret(key), now + days * dayMilliseconds]
    const endsAt = new Date(end).toISOString()
    const stored: ApiKey = {
      ...{ id, ...fields, start: key.slice(0, shownCharacters), hash },
      ...{ createdBy: employee.id, createdAt: new Date(now).toISOString(), endsAt },
    }
    await addAtMost(table, 'apiKey', async () => {
      if ((await readKeys(table)).length >= mostApiKeys) throw new Problem(60072, { name: 60072 })
      return [
        table.insert(apiKeyKey(id), stored),
        directory().insert(apiKeyPointerKey(hash), { company, id, expiresAt: Math.ceil(end / 1000) }),
      ]
    })
    return { id, key, endsAt }
  },

  'apikey/update': async ({ id, version, ...form }, { table }) => {
    const { departments: _, ...key } = await findKey(table, id)
    await save(table.replace(apiKeyKey(id), { ...key, ...(await readForm(table, form)), version }))
    return { version: version + 1 }
  },

  'apikey/delete': async ({ id }, { table }) => {
    const { hash, version } = await findKey(table, id)
    await save(table.remove(apiKeyKey(id), version), directory().remove(apiKeyPointerKey(hash)))
    return {}
  },
})
