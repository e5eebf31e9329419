import {
  type ApiKey,
  type ApiKeyPointer,
  apiKeyKey,
  apiKeyPointerKey,
  apiKeyPrefix,
  callsPerMinute,
} from '../../../shared/apikey.ts'
import { type Declaration, opensToKeys } from '../../../shared/contract.ts'
import type { Employee } from '../../../shared/employee.ts'
import { Problem } from '../../../shared/errors.ts'
import { isPermission, roles } from '../../../shared/permissions.ts'
import type { Caller, Rights, Visitor } from '../caller.ts'
import { needDeveloperMode } from '../developer-mode.ts'
import { hashSecret } from '../id.ts'
import { limit } from '../rate.ts'
import { directory, type Item, openTable, save, type Table } from '../table.ts'

// Reads the caller behind an API key. Every call reads the key again, like a session.

const usedMilliseconds = 3600_000

export const isApiKey = (token: string | undefined): token is string => token?.startsWith(apiKeyPrefix) ?? false

const standInFor = ({ id, name }: ApiKey): Item<Employee> => ({
  ...{ id, first_name: name, last_name: '', workno: '', department: '', role: roles.manager, version: 1 },
})

const rightsOfKey = ({ permissions, departments }: ApiKey): Rights => ({
  permissions: new Set(permissions.filter(isPermission)),
  departments: departments && new Set(departments),
})

const hasEnded = ({ endsAt }: ApiKey) => Date.parse(endsAt) <= Date.now()

/**
 * The actor of an API key and its current rights. All fields are missing if the key has expired or no longer exists.
 */
export const readKeyCaller = async (
  table: Table,
  id: string,
): Promise<{ employee?: Item<Employee>; rights?: Rights; canWrite?: boolean }> => {
  const key = await table.get(apiKeyKey(id))
  if (!key || hasEnded(key)) return {}
  return { employee: standInFor(key), rights: rightsOfKey(key), canWrite: key.canWrite }
}

/** Throws 101 for an unknown key, 60008 over the rate limit, 60005 for a path closed to keys. */
export const recogniseKey = async (visitor: Visitor, token: string, declaration: Declaration): Promise<Caller> => {
  needDeveloperMode()
  const hash = hashSecret(token)
  const pointer = await directory().get(apiKeyPointerKey(hash))
  if (!pointer) throw new Problem(101)
  const { company, id, usedAt } = pointer
  await limit({ scope: 'api-key', key: id, times: callsPerMinute, minutes: 1 })
  const { employee, rights, canWrite } = await readKeyCaller(openTable(company), id)
  if (!employee || !rights) throw new Problem(101)
  if (!opensToKeys(declaration) || (declaration.writes && !canWrite)) throw new Problem(60005)
  const now = Date.now()
  if (usedAt === undefined || now - Date.parse(usedAt) > usedMilliseconds)
    await touch(hash, { ...pointer, usedAt: new Date(now).toISOString() })
  const apiKey = { id, name: employee.first_name }
  const { ip, path, requestId } = visitor
  return {
    ...visitor,
    ...{ company, employee, apiKey, type: 'management', ...rights },
    table: openTable(company, { apiKey, ip, path, requestId }),
  }
}

const touch = async (hash: string, pointer: Item<ApiKeyPointer>) => {
  try {
    await save(directory().replace(apiKeyPointerKey(hash), pointer))
  } catch (error) {
    // A parallel call already saved the use, or a manager deleted the key. In both cases the stored state stays.
    if (!(error instanceof Problem)) throw error
  }
}
