import { type Department, departmentKey, departmentNameKey } from '../../shared/department.ts'
import { deviceKey } from '../../shared/device.ts'
import { departmentMemberPk } from '../../shared/employee.ts'
import { type Code, Problem } from '../../shared/errors.ts'
import { type CustomRole, mostRoleDepartments, roleKey } from '../../shared/role.ts'
import { change } from '../kit/table/change.ts'
import { type Item, inSaves, save, type Table, type Write } from '../kit/table.ts'
import { removeHeadcount } from './headcount.ts'

/** All departments: there are few, and names, trees and counts need them together. */
export const readDepartments = (table: Table): Promise<Item<Department>[]> =>
  table.all<Department>({ pk: departmentKey('').pk })

/** Of each of some departments, whether it is there and not on its way out. */
export const areThere = async (table: Table, departments: string[]): Promise<boolean[]> => {
  const found = await table.getMany(departments.map(departmentKey))
  return found.map(department => department !== undefined && !department.leavingAt)
}

/** Throws 60004 at the place of the first department of a list that is not there. */
export const checkDepartments = async (table: Table, departments: string[]): Promise<void> => {
  const gone = (await areThere(table, departments)).indexOf(false)
  if (gone >= 0) throw new Problem(60004, { [`departments.${gone}`]: 60004 })
}

/** Lets a role name some more departments; throws 60002 where it would name more than a role may. */
export const addToRole = (table: Table, role: Item<CustomRole>, departments: string[]): Write => {
  const all = [...role.departments, ...departments]
  if (all.length > mostRoleDepartments) throw new Problem(60002)
  return table.replace(roleKey(role.id), { ...role, departments: all })
}

/** Why departments cannot be removed together: what is below them and stays (59004), people (59005) or terminals (59006). */
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
  // What stays keeps what it is a part of; that is looked at in its turn.
  for (const id of occupied.keys()) {
    const parent = parents.get(id) ?? ''
    if (ids.has(parent)) occupied.set(parent, 59004)
  }
  return occupied
}

/** Takes departments out of the roles that name them; whoever names one meanwhile looks again whether it is there. */
const dropFromRoles = async (table: Table, gone: ReadonlySet<string>) => {
  const roles = await table.all<CustomRole>({ pk: roleKey('').pk })
  for (const { id } of roles.filter(({ departments }) => departments.some(id => gone.has(id))))
    await change(table, roleKey(id), role => ({
      ...role,
      departments: role.departments.filter(id => !gone.has(id)),
    }))
}

/**
 * Removes those of some departments, parents before what is below them, which nothing and nobody is in, and answers why the
 * others stay. What is left in the middle is done by calling it again.
 */
export const removeDepartments = async (table: Table, ids: string[]): Promise<Map<string, Code>> => {
  const departments = (await table.getMany(ids.map(departmentKey))).filter(department => department !== undefined)
  const replaceAll = async (list: Item<Department>[]) => {
    const write = (one: Item<Department>) => [table.replace(departmentKey(one.id), one)]
    for (const together of inSaves(list, write)) await save(...together.flatMap(write))
  }
  const stay = await readOccupied(table, new Set(departments.map(({ id }) => id)))
  // Marked first and looked at again: whoever is put into one requires, in the same write, that it is not marked.
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
  for (const together of inSaves(empty.toReversed(), remove)) await save(...together.flatMap(remove))
  for (const [id, code] of occupied) stay.set(id, code)
  // Only now that they are gone: who changes one while it is being removed keeps it, and the roles that name it.
  await dropFromRoles(table, new Set(ids.filter(id => !stay.has(id))))
  return stay
}
