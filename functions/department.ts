import { type Company, companyKey } from '../shared/company.ts'
import {
  type Department,
  departmentKey,
  departmentNameKey,
  departmentPaths,
  departmentTreeKey,
  ownZone,
  withAllBelow,
} from '../shared/department.ts'
import { deviceKey } from '../shared/device/key.ts'
import { Problem } from '../shared/errors.ts'
import { addDays, firstDay, localDay } from '../shared/local-day.ts'
import { roleKey } from '../shared/role.ts'
import { searchQuery, searchText } from '../shared/search.ts'
import { readCompany } from './company/store.ts'
import { readHeadcounts } from './department/headcount.ts'
import {
  addDepartment,
  addToRole,
  nameTaken,
  parentGone,
  readDepartments,
  removeDepartments,
} from './department/store.ts'
import { withZone, type ZoneChange } from './department/zone.ts'
import { type Caller, manages } from './kit/caller.ts'
import { newId } from './kit/id.ts'
import { lambda } from './kit/lambda.ts'
import { again, wasSlower } from './kit/table/change.ts'
import { type Item, save, type Table, type Write } from './kit/table.ts'
import { beginTask, owe } from './kit/task.ts'
import { inOrder } from './kit/words.ts'
import { beginImport } from './sheet/begin.ts'

const countBy = <T>(list: T[], keyOf: (item: T) => string | undefined) => {
  const counts = new Map<string, number>()
  for (const item of list) {
    const key = keyOf(item)
    if (key !== undefined) counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  return (key: string) => counts.get(key) ?? 0
}

const readPlaces = (table: Table, pk: string) => table.all<{ department: string }>({ pk, only: ['department'] })

const findManaged = async (caller: Caller, id: string): Promise<Item<Department>> => {
  const department = manages(caller, id) ? await caller.table.get(departmentKey(id)) : undefined
  if (!department) throw new Problem(60004, { id: 60004 })
  return department
}

/** Throws 10002 for a parent that is the department itself or one of its sub-departments, at any depth. */
const checkParent = async (table: Table, id: string | undefined, parent: string | undefined) => {
  if (parent === undefined) return
  const departments = await readDepartments(table)
  if (!departments.some(department => department.id === parent)) throw new Problem(60004, { parent: 60004 })
  if (id !== undefined && withAllBelow(departments, [id]).has(parent)) throw new Problem(10002, { parent: 10002 })
}

const movedMeanwhile = { code: 60006, fields: { parent: 60006 } } as const
const isMovedMeanwhile = (error: unknown) => wasSlower(error) && error.fields?.parent === 60006

/**
 * Checks a move and returns the writes to save with it. The save fails after a concurrent move, because two valid moves
 * can make a circle together. A move to the top is always valid.
 */
const prepareMove = async (table: Table, id: string, parent: string | undefined): Promise<Write[]> => {
  if (parent === undefined) return []
  const tree = await table.get(departmentTreeKey())
  await checkParent(table, id, parent)
  const key = departmentTreeKey()
  return [tree ? table.replace(key, tree, movedMeanwhile) : table.insert(key, {}, movedMeanwhile)]
}

/** Marks a company of which a department has a zone, so that its calculations read them. */
const markZones = (table: Table, company: Item<Company>): Write[] =>
  company.hasZones ? [] : [table.replace(companyKey(), { ...company, hasZones: true })]

/** The zones of a changed department, and the task that recalculates the days with another zone. */
const oweZone = async (caller: Caller, company: Item<Company>, change: ZoneChange) => {
  if (!change.timezone && !company.hasZones) return { stored: {}, writes: [], owed: {} }
  const { table } = caller
  const before = await readDepartments(table)
  const { departments, changedFrom } = withZone(company, before, change)
  const zones = departments.find(({ id }) => id === change.id)?.zones
  const to = addDays(localDay(company.timezone, Date.now()), 1)
  const touched = { departments: [...withAllBelow(departments, [change.id])], days: [{ from: changedFrom ?? to, to }] }
  const { writes, ...owed } = owe(
    caller,
    'department/update',
    changedFrom === undefined ? undefined : { touched: [touched] },
  )
  return { stored: zones && { zones }, writes: [...markZones(table, company), ...writes], owed }
}

export const handler = lambda(departmentPaths, {
  'department/grid': async ({ filters, sort, size, page }, caller) => {
    const { table } = caller
    const [departments, devices, headcounts] = await Promise.all([
      readDepartments(table),
      readPlaces(table, deviceKey('').pk),
      readHeadcounts(table),
    ])
    const counts = {
      employeeCount: (id: string) => headcounts(id).people,
      deviceCount: countBy(devices, ({ department }) => department),
      subdepartmentCount: countBy(departments, ({ parent }) => parent),
    }
    const search = searchQuery(filters.search ?? '')
    const matching = departments.filter(({ id, name }) => manages(caller, id) && searchText(name).includes(search))
    const sizeOf = (id: string) => (sort.by === 'name' ? 0 : counts[sort.by](id))
    matching.sort((a, b) => sizeOf(a.id) - sizeOf(b.id) || inOrder(a.name, b.name))
    if (sort.descending) matching.reverse()
    const { list, next } = await table.slice(matching, {
      name: `department ${JSON.stringify([search, sort])}`,
      size,
      page,
    })
    return {
      count: matching.length,
      list: list.map(({ zones, ...department }) => ({
        ...department,
        ...(ownZone({ zones }) && { timezone: ownZone({ zones }) }),
        employeeCount: counts.employeeCount(department.id),
        mainEmployeeCount: headcounts(department.id).people - headcounts(department.id).guests,
        deviceCount: counts.deviceCount(department.id),
        subdepartmentCount: counts.subdepartmentCount(department.id),
      })),
      ...(next && { next }),
    }
  },

  'department/all': async (_, caller) => ({
    list: (await readDepartments(caller.table))
      .filter(({ id }) => manages(caller, id))
      .sort((a, b) => inOrder(a.name, b.name))
      .map(({ id, name, parent }) => ({ id, name, ...(parent && { parent }) })),
  }),

  'department/add': async ({ timezone, ...form }, caller) => {
    const { table, departments, employee } = caller
    // A manager of some departments may add only below one of them, and then also manages the new department.
    if (departments && !departments.has(form.parent ?? '')) throw new Problem(60005, { parent: 60005 })
    await checkParent(table, undefined, form.parent)
    const id = newId()
    // Another manager with this role may change the role concurrently, so retry with the new role.
    await again(async () => {
      const role = departments && employee.roleId ? await table.get(roleKey(employee.roleId)) : undefined
      if (role && !role.departments.includes(form.parent ?? '')) throw new Problem(60005, { parent: 60005 })
      const zones = timezone === undefined ? undefined : [{ from: firstDay, zone: timezone }]
      await save(
        ...addDepartment(table, { id, ...form, ...(zones && { zones }) }),
        ...(zones ? markZones(table, await readCompany(caller)) : []),
        ...(role ? [addToRole(table, role, [id])] : []),
      )
    })
    return { id }
  },

  'department/preview': async (input, caller) => {
    const department = await findManaged(caller, input.id)
    if (department.version !== input.version) throw new Problem(60006)
    await checkParent(caller.table, input.id, input.parent)
    withZone(await readCompany(caller), await readDepartments(caller.table), input)
    return beginTask(caller, 'department/preview', input)
  },

  'department/update': async ({ version, timezone, timezoneFrom, ...form }, caller) => {
    const { table } = caller
    const department = await findManaged(caller, form.id)
    // A manager of some departments cannot move one below a foreign department. The top level counts as foreign, too.
    if (form.parent !== department.parent && caller.departments && !caller.departments.has(form.parent ?? ''))
      throw new Problem(60005, { parent: 60005 })
    if (department.isDefault && form.parent !== undefined) throw new Problem(60053, { parent: 60053 })
    const isRenamed = departmentNameKey(form.name).sk !== departmentNameKey(department.name).sk
    return again(async () => {
      const moveWrites = form.parent === department.parent ? [] : await prepareMove(table, form.id, form.parent)
      const company = await readCompany(caller)
      const zone = await oweZone(caller, company, { ...form, timezone, timezoneFrom })
      await save(
        table.replace(departmentKey(form.id), {
          ...form,
          ...zone.stored,
          ...(department.isDefault && { isDefault: true }),
          version,
        }),
        ...(isRenamed
          ? [
              table.remove(departmentNameKey(department.name)),
              table.insert(departmentNameKey(form.name), { department: form.id }, nameTaken),
            ]
          : []),
        ...(form.parent ? [table.require(departmentKey(form.parent), parentGone)] : []),
        ...moveWrites,
        ...zone.writes,
      )
      return zone.owed
    }, isMovedMeanwhile)
  },

  'department/import': (input, caller) => beginImport(caller, 'department/import', input),
  'department/export': (input, caller) => beginTask(caller, 'department/export', input),

  'department/delete': async ({ id }, caller) => {
    const { table } = caller
    const { isDefault } = await findManaged(caller, id)
    if (isDefault) throw new Problem(59003)
    const occupied = (await removeDepartments(table, [id])).get(id)
    if (occupied) throw new Problem(occupied)
    return {}
  },
})
