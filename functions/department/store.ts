import { type Department, departmentKey, departmentNameKey } from '../../shared/department.ts'
import { deviceKey } from '../../shared/device/key.ts'
import { departmentMemberPk } from '../../shared/employee.ts'
import { type Code, Problem } from '../../shared/errors.ts'
import { type CustomRole, mostRoleDepartments, roleKey } from '../../shared/role.ts'
import { type Caller, manages } from '../kit/caller.ts'
import { change } from '../kit/table/change.ts'
import { type Item, inSaves, save, type Table, type Write } from '../kit/table.ts'
import { removeHeadcount } from './headcount.ts'

/** All departments. A company has few, and names, trees and counts need all of them. */
export const readDepartments = (table: Table): Promise<Item<Department>[]> =>
  table.all<Department>({ pk: departmentKey('').pk })

export const nameTaken = { code: 59002, fields: { name: 59002 } } as const
export const parentGone = { code: 60004, fields: { parent: 60004 } } as const

/** The writes of a new department. */
export const addDepartment = (table: Table, department: Department): Write[] => [
  table.insert(departmentNameKey(department.name), { department: department.id }, nameTaken),
  table.insert(departmentKey(department.id), department),
  ...(department.parent ? [table.require(departmentKey(department.parent), parentGone)] : []),
]

/** For each department, whether it exists without a deletion mark. */
export const areThere = async (table: Table, departments: string[]): Promise<boolean[]> => {
  const stored = await table.getMany(departments.map(departmentKey))
  return stored.map(department => department !== undefined && !department.leavingAt)
}

/** Throws 60004 for a department that does not exist or that the caller does not manage. */
export const checkManaged = async (
  caller: Pick<Caller, 'table' | 'departments'>,
  department: string | undefined,
): Promise<void> => {
  if (department === undefined) return
  if (!manages(caller, department) || !(await caller.table.get(departmentKey(department))))
    throw new Problem(60004, { department: 60004 })
}

/** Throws 60004 at the first department that does not exist. */
export const checkDepartments = async (table: Table, departments: string[]): Promise<void> => {
  const gone = (await areThere(table, departments)).indexOf(false)
  if (gone >= 0) throw new Problem(60004, { [`departments.${gone}`]: 60004 })
}

/** Adds departments to a role. Throws 60002 if the role would have too many. */
export const addToRole = (table: Table, role: Item<CustomRole>, departments: string[]): Write => {
  const all = [...role.departments, ...departments]
  if (all.length > mostRoleDepartments) throw new Problem(60002)
  return table.replace(roleKey(role.id), { ...role, departments: all })
}

/**
 * The departments that must stay, with the reason: a remaining sub-department (59004), people (59005) or terminals
 * (59006).
 */
const readOccupied = async (table: Table, ids: ReadonlySet<string>): Promise<Map<string, Code>> => {
  const [departments, devices, members] = await Promise.all([
    readDepartments(table),
    table.all<{ department: string }>({ pk: deviceKey('').pk, only: ['department'] }),
    Promise.all([...ids].map(async id => ({ id, ...(await table.page({ pk: departmentMemberPk(id), size: 1 })) }))),
  ])
  const occupied = new Map<string, Code>()
  for (const { department } of devices) if (ids.has(department)) occupied.set(department, 59006)
  for (const { id, list } of members) if (list.length > 0) occupied.set(id, 59005)
  const parents = new Map(departments.map(({ id, parent = '' }) => [id, parent]))
  for (const [id, parent] of parents) if (!ids.has(id) && ids.has(parent)) occupied.set(parent, 59004)
  // The parent of a remaining department stays, too. The iteration includes parents added meanwhile.
  for (const id of occupied.keys()) {
    const parent = parents.get(id) ?? ''
    if (ids.has(parent)) occupied.set(parent, 59004)
  }
  return occupied
}

/** Removes departments from roles. A concurrent change that adds one of them to a role checks that it still exists. */
const dropFromRoles = async (table: Table, gone: ReadonlySet<string>) => {
  const roles = await table.all<CustomRole>({ pk: roleKey('').pk })
  for (const { id } of roles.filter(({ departments }) => departments.some(id => gone.has(id))))
    await change(table, roleKey(id), role => ({
      ...role,
      departments: role.departments.filter(id => !gone.has(id)),
    }))
}

/**
 * Removes those of the given departments that are empty. Expects parents before children. Returns a code for each
 * department that stays. A repeated call completes an interrupted call.
 */
export const removeDepartments = async (table: Table, ids: string[]): Promise<Map<string, Code>> => {
  const departments = (await table.getMany(ids.map(departmentKey))).filter(department => department !== undefined)
  const replaceAll = async (list: Item<Department>[]) => {
    const write = (department: Item<Department>) => [table.replace(departmentKey(department.id), department)]
    for (const batch of inSaves(list, write)) await save(...batch.flatMap(write))
  }
  const stay = await readOccupied(table, new Set(departments.map(({ id }) => id)))
  // Mark as deleting, then re-check: writes that fill a department require an unmarked department.
  const leaving = departments.filter(({ id }) => !stay.has(id))
  const leavingAt = new Date().toISOString()
  await replaceAll(leaving.map(department => ({ ...department, leavingAt })))
  const marked = leaving.map(department => ({ ...department, version: department.version + 1 }))
  const occupied = await readOccupied(table, new Set(marked.map(({ id }) => id)))
  await replaceAll(
    marked.filter(({ id }) => occupied.has(id)).map(({ leavingAt: _, ...department }): Item<Department> => department),
  )
  const remove = ({ id, name, version }: Item<Department>) => [
    table.remove(departmentKey(id), version),
    table.remove(departmentNameKey(name)),
    ...removeHeadcount(table, id),
  ]
  const empty = marked.filter(({ id }) => !occupied.has(id))
  for (const batch of inSaves(empty.toReversed(), remove)) await save(...batch.flatMap(remove))
  for (const [id, code] of occupied) stay.set(id, code)
  // Update the roles only after the removal: a department that changed meanwhile stays, and so do its places in roles.
  await dropFromRoles(table, new Set(ids.filter(id => !stay.has(id))))
  return stay
}
