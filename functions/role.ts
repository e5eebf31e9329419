import { type Employee, employeeKey, roleMemberPk } from '../shared/employee.ts'
import { Problem } from '../shared/errors.ts'
import { roles } from '../shared/permissions.ts'
import { type CustomRole, roleKey, roleNameKey, rolePaths, systemRole, systemRoles } from '../shared/role.ts'
import { searchQuery, searchText } from '../shared/search.ts'
import { tableSchema } from '../shared/table.ts'
import { areThere, checkDepartments } from './department/store.ts'
import { alterEmployee, changeEmployee } from './employee/store.ts'
import { type Caller, manages } from './kit/caller.ts'
import { isDefined } from './kit/defined.ts'
import { atOnce, settleEach } from './kit/each.ts'
import { newId } from './kit/id.ts'
import { lambda } from './kit/lambda.ts'
import { endSessionsOf } from './kit/session.ts'
import { again, change } from './kit/table/change.ts'
import { type Item, save, type Table, type Where } from './kit/table.ts'
import { roleOf, wordsIn } from './sheet/words.ts'
import { settleRaise } from './user/account.ts'

const atTheSameTime = 8
const nameTaken = { code: 60052, fields: { name: 60052 } } as const

const containing = (search: string): Where => [tableSchema.search, 'contains', search]
/** The system's roles, then the company's own by name. A company has only a few, so the list has no pages. */
const listRoles = async ({ table, language }: Caller) => {
  const words: Record<string, string> = wordsIn(language).roles
  const compare = new Intl.Collator(language, { numeric: true }).compare
  const own = (await table.all<CustomRole>({ pk: roleKey('').pk })).map(({ leavingAt: _, ...role }) => ({
    ...role,
    reach: 'assigned' as const,
    isSystem: false,
  }))
  return [
    ...systemRoles.map(({ id, permissions, reach }) => ({
      id,
      name: words[id] ?? id,
      permissions: [...permissions],
      departments: [],
      reach,
      isSystem: true,
      version: 1,
    })),
    ...own.sort((one, other) => compare(one.name, other.name)),
  ]
}

/**
 * A custom role to change, without the mark of an interrupted deletion. Throws 60051 for a system role, 60004 if
 * missing.
 */
const readChangeable = async (table: Table, id: string): Promise<Item<CustomRole>> => {
  if (systemRole(id)) throw new Problem(60051)
  const stored = await table.get(roleKey(id))
  if (!stored) throw new Problem(60004, { id: 60004 })
  const { leavingAt: _, ...role } = stored
  return role
}

const withoutDuplicates = ({ permissions, departments }: Pick<CustomRole, 'permissions' | 'departments'>) => ({
  permissions: [...new Set(permissions)],
  departments: [...new Set(departments)],
})

/**
 * Removes deleted departments from a role. The deletion of a department misses a role that got the department
 * meanwhile.
 */
const dropDeleted = async (table: Table, id: string, departments: string[]) => {
  const exist = await areThere(table, departments)
  if (exist.includes(false))
    await change(table, roleKey(id), role => ({
      ...role,
      departments: role.departments.filter(department => exist[departments.indexOf(department)] ?? true),
    }))
}

/** Throws 60052 for the name of a system role in any language. */
const checkName = (name: string) => {
  if (roleOf(name) !== undefined) throw new Problem(nameTaken.code, nameTaken.fields)
}

const hasUsers = async (table: Table, id: string) =>
  (await table.page({ pk: roleMemberPk(id), size: 1 })).list.length > 0

/** The employees of these ids. Throws 60004 at the index of a missing employee. */
const readEmployees = async (table: Table, ids: string[], field: string): Promise<Item<Employee>[]> =>
  (await table.getMany(ids.map(employeeKey))).map((employee, i) => {
    if (!employee) throw new Problem(60004, { [`${field}.${i}`]: 60004 })
    return employee
  })

/** Replaces the role of an employee. Returns whether the employee must join again. */
const giveRole = async (caller: Caller, id: string, roleId: string): Promise<boolean> => {
  const { table, company } = caller
  const mustJoinAnew = await again(async () => {
    const before = await table.get(employeeKey(id))
    if (!before || before.isOwner || (before.role === roles.manager && before.roleId === roleId)) return false
    const { isWaiting: _, ...unchanged } = before
    const { employee, writes, mustJoin } = await settleRaise(caller, before, {
      ...unchanged,
      role: roles.manager,
      roleId,
    })
    await save(...changeEmployee(table, before, employee), ...writes)
    return mustJoin
  })
  if (mustJoinAnew) await endSessionsOf(company, id)
  return mustJoinAnew
}

export const handler = lambda(rolePaths, {
  'role/all': async (_, caller) => {
    // Show names only, and only of roles that concern the departments of the caller.
    const concerns = (departments: string[]) =>
      caller.departments === undefined || departments.some(department => manages(caller, department))
    return {
      list: (await listRoles(caller))
        .filter(({ id, departments }) => id === caller.employee.roleId || concerns(departments))
        .map(({ id, name, isSystem }) => ({ id, name, isSystem })),
    }
  },

  'role/grid': async ({ filters, size, page }, caller) => {
    const { table, language } = caller
    const search = searchQuery(filters.search ?? '')
    const matching = (await listRoles(caller)).filter(({ name }) => searchText(name).includes(search))
    const { list, next } = await table.slice(matching, { name: `role ${language} ${search}`, size, page })
    const counts = await atOnce(atTheSameTime, list, ({ id }) => table.count({ pk: roleMemberPk(id) }))
    return {
      count: matching.length,
      list: list.map((role, i) => ({ ...role, userCount: counts[i] ?? 0 })),
      ...(next && { next }),
    }
  },

  'role/add': async (form, { table }) => {
    checkName(form.name)
    await checkDepartments(table, form.departments)
    const id = newId()
    await save(
      table.insert(roleNameKey(form.name), { role: id }, nameTaken),
      table.insert(roleKey(id), { id, ...form, ...withoutDuplicates(form), createdAt: new Date().toISOString() }),
    )
    await dropDeleted(table, id, form.departments)
    return { id }
  },

  'role/update': async ({ version, ...form }, { table }) => {
    const { notes: _, ...role } = await readChangeable(table, form.id)
    checkName(form.name)
    const [oldKey, newKey] = [roleNameKey(role.name), roleNameKey(form.name)]
    await save(
      table.replace(roleKey(form.id), { ...role, ...form, version }),
      ...(newKey.sk === oldKey.sk ? [] : [table.remove(oldKey), table.insert(newKey, { role: form.id }, nameTaken)]),
    )
    return {}
  },

  'role/update/item': async ({ id, version, ...items }, { table }) => {
    const role = await readChangeable(table, id)
    await checkDepartments(table, items.departments)
    await save(table.replace(roleKey(id), { ...role, ...withoutDuplicates(items), version }))
    await dropDeleted(table, id, items.departments)
    return {}
  },

  'role/get/user': async ({ filters, size, page }, { table }) => {
    const search = searchQuery(filters.search ?? '')
    const range = {
      pk: roleMemberPk(filters.role),
      ...(search && { where: [containing(search)] }),
    }
    const [count, { list, next }] = await Promise.all([
      table.count(range),
      table.page<{ employee: string }>({ ...range, size, page }),
    ])
    const people = (await table.getMany(list.map(({ employee }) => employeeKey(employee)))).filter(isDefined)
    return {
      count,
      list: people.map(({ id, first_name, last_name, workno, department, email }) => ({
        id,
        first_name,
        last_name,
        workno,
        department,
        email,
      })),
      ...(next && { next }),
    }
  },

  'role/update/user': async ({ id, add, remove }, caller) => {
    const { table } = caller
    const role = systemRole(id) ?? (await table.get(roleKey(id)))
    if (!role) throw new Problem(60004, { id: 60004 })
    const twice = remove.findIndex(employee => add.includes(employee))
    if (twice >= 0) throw new Problem(10002, { [`remove.${twice}`]: 10002 })
    // Do all checks before any change.
    const [added, removed] = await Promise.all([
      readEmployees(table, add, 'add'),
      readEmployees(table, remove, 'remove'),
    ])
    const owner = added.findIndex(({ isOwner }) => isOwner)
    if (owner >= 0) throw new Problem(60054, { [`add.${owner}`]: 60054 })
    const stranger = removed.findIndex(({ role, roleId }) => role !== roles.manager || roleId !== id)
    if (stranger >= 0) throw new Problem(60004, { [`remove.${stranger}`]: 60004 })
    const mustJoin: string[] = []
    // Collect refusals. One refusal must not hide the other people, who lost their passwords and must join again.
    const { refused } = await settleEach(atTheSameTime, [...added, ...removed], async ({ id: person }) => {
      if (add.includes(person)) {
        if (await giveRole(caller, person, id)) mustJoin.push(person)
        return
      }
      await alterEmployee(table, person, ({ roleId, ...current }) =>
        current.role === roles.manager && roleId === id ? { ...current, role: roles.employee } : undefined,
      )
    })
    return { mustJoin, refused: refused.map(({ one }) => one.id) }
  },

  'role/delete': async ({ id }, { table }) => {
    const role = await readChangeable(table, id)
    if (await hasUsers(table, id)) throw new Problem(60050)
    // Mark as leaving, then re-check: a write that assigns the role requires an unmarked role.
    await save(table.replace(roleKey(id), { ...role, leavingAt: new Date().toISOString() }))
    if (await hasUsers(table, id)) {
      await save(table.replace(roleKey(id), { ...role, version: role.version + 1 }))
      throw new Problem(60050)
    }
    await save(table.remove(roleKey(id), role.version + 1), table.remove(roleNameKey(role.name)))
    return {}
  },
})
