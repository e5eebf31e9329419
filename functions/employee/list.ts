import {
  departmentMemberPk,
  type Employee,
  type EmployeeFilters,
  type EmployeeSort,
  employeeKey,
  type RareMember,
  rareMemberPk,
  rareStates,
} from '../../shared/employee.ts'
import { localDay } from '../../shared/local-day.ts'
import { roles } from '../../shared/permissions.ts'
import { searchQuery } from '../../shared/search.ts'
import { tableSchema } from '../../shared/table.ts'
import { readCompany } from '../company/store.ts'
import { countEmployees, knownHeadcount, mostSideBySide } from '../department/headcount.ts'
import { type Caller, manages, managesEmployee } from '../kit/caller.ts'
import { type Listed, readList } from '../kit/table/list.ts'
import type { Item, Page, Range, Where } from '../kit/table.ts'

// The employees a caller manages, in order and page by page, for lists, exports and the schedule.

/** The table and the departments that the caller sees. */
type Viewer = Pick<Caller, 'table' | 'departments'>

const whereOf = async (viewer: Viewer, { search, role, roleId, state }: EmployeeFilters): Promise<Where[]> => {
  const where: Where[] = []
  const words = searchQuery(search ?? '')
  if (words) where.push([tableSchema.search, 'contains', words])
  if (role !== undefined) where.push(['role', '=', role])
  if (roleId !== undefined) where.push(['roleId', '=', roleId])
  if (state === undefined) return where
  const today = localDay((await readCompany(viewer)).timezone, Date.now())
  if (state === 'left') return [...where, ['endDay', 'below', today]]
  return [...where, ['endDay', 'not below', today], ['role', state === 'waiting' ? '=' : '<>', roles.none]]
}

/**
 * The member rows to read, and which of them belong to the list. Undefined if the list reads all employees of the
 * company.
 */
interface Members {
  partitions: string[]
  where: Where[]
  keep: (member: RareMember) => boolean
}

const membersOf = (viewer: Viewer, { department, state }: EmployeeFilters): Members | undefined => {
  const { departments } = viewer
  const whole = { where: [], keep: () => true }
  if (department !== undefined && !manages(viewer, department)) return { ...whole, partitions: [] }
  const rare = rareStates.find(rareState => rareState === state)
  // A row of a rare list contains all departments of its person.
  if (rare)
    return department === undefined
      ? {
          ...whole,
          partitions: [rareMemberPk(rare)],
          keep: of => of.departments.some(department => manages(viewer, department)),
        }
      : { ...whole, partitions: [rareMemberPk(rare)], where: [['departments', 'contains', department]] }
  if (department !== undefined) return { ...whole, partitions: [departmentMemberPk(department)] }
  // With many departments, read all people of the company and keep the caller's people.
  return departments && departments.size <= mostSideBySide
    ? { ...whole, partitions: [...departments].map(departmentMemberPk) }
    : undefined
}

interface EmployeeList {
  name?: string
  filters: EmployeeFilters
  sort: EmployeeSort
  size: number
  page?: string | undefined
  /** Restricts the list to these employees. */
  among?: ReadonlySet<string> | undefined
}

/**
 * One page of the employees a caller manages: main and additional members of the managed departments, as in
 * `managesEmployee`. Every caller sees the same order by name or employee ID. `name` distinguishes lists of the same
 * people.
 */
export const listEmployees = async (
  caller: Viewer,
  { name = 'employee', filters, sort, size, page, among }: EmployeeList,
): Promise<Listed<Employee>> => {
  const { table } = caller
  const members = membersOf(caller, filters)
  const common = { where: await whereOf(caller, filters), reverse: sort.descending }
  const wanted = { name: `${name} ${JSON.stringify([filters, sort])}`, size, page }
  const index = sort.by === 'workno' ? 'byNumber' : 'byName'
  if (!members)
    return readList<Employee>(table, {
      ...wanted,
      ranges: [{ ...common, pk: employeeKey('').pk, index }],
      keep: employee => managesEmployee(caller, employee) && (among?.has(employee.id) ?? true),
    })
  const { partitions, where, keep } = members
  const {
    list: rows,
    count,
    next,
  } = await readList<RareMember>(table, {
    ...wanted,
    keep: row => keep(row) && (among?.has(row.employee) ?? true),
    ranges: partitions.map(
      (pk): Range<RareMember> => ({
        ...common,
        where: [...common.where, ...where],
        pk,
        // Without an index, the member rows are in name order.
        ...(index === 'byNumber' && { index }),
      }),
    ),
  })
  const employees = await table.getMany(rows.map(({ employee }) => employeeKey(employee)))
  const list = employees.filter(
    (employee): employee is Item<Employee> => !!employee && managesEmployee(caller, employee),
  )
  return { list, ...(count !== undefined && { count: list.length }), ...(next && { next }) }
}

/**
 * All employees of a list, page after page. With `ids`, only these employees, without those whom the caller does not
 * manage.
 */
export async function* eachEmployee(
  caller: Viewer,
  {
    filters: { ids, ...filters },
    sort,
  }: { filters: EmployeeFilters & { ids?: string[] | undefined }; sort: EmployeeSort },
): AsyncGenerator<Item<Employee>> {
  if (ids) {
    const employees = await caller.table.getMany(ids.map(employeeKey))
    yield* employees.filter((employee): employee is Item<Employee> => !!employee && managesEmployee(caller, employee))
    return
  }
  let page: string | undefined
  do {
    const part: Page<Employee> = await listEmployees(caller, { filters, sort, size: 500, page })
    yield* part.list
    page = part.next
  } while (page)
}

/** The number of employees in a list, if a counter stores this number. */
export const countListed = async (
  caller: Viewer,
  { department, ...narrower }: EmployeeFilters,
): Promise<number | undefined> => {
  if (Object.values(narrower).some(filter => filter !== undefined && filter !== '')) return undefined
  if (department === undefined) return knownHeadcount(caller)
  return manages(caller, department) ? countEmployees(caller, department) : 0
}
