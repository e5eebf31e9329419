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

// The people a caller manages, in order, page by page: whoever lists, exports or schedules people reads them here.

/** Who looks: at what, and in which departments. */
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

/** The rows that stand for people, and which of them are meant; undefined where all people of the whole company are read themselves. */
interface Members {
  partitions: string[]
  where: Where[]
  keep: (member: RareMember) => boolean
}

const membersOf = (viewer: Viewer, { department, state }: EmployeeFilters): Members | undefined => {
  const { departments } = viewer
  const whole = { where: [], keep: () => true }
  if (department !== undefined && !manages(viewer, department)) return { ...whole, partitions: [] }
  const rare = rareStates.find(one => one === state)
  // A row of the few names all departments of theirs.
  if (rare)
    return department === undefined
      ? { ...whole, partitions: [rareMemberPk(rare)], keep: of => of.departments.some(one => manages(viewer, one)) }
      : { ...whole, partitions: [rareMemberPk(rare)], where: [['departments', 'contains', department]] }
  if (department !== undefined) return { ...whole, partitions: [departmentMemberPk(department)] }
  // Who manages more is shown those of the whole company's people that are theirs.
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
  /** These and nobody else. */
  among?: ReadonlySet<string> | undefined
}

/**
 * One page of the people a caller manages: those of the departments one manages, main or other, as `managesEmployee` has it.
 * The order is that of names or of numbers, and the same whoever looks. `name` tells this list from others of the same people.
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
        // The members themselves lie in the order of names.
        ...(index === 'byNumber' && { index }),
      }),
    ),
  })
  const found = await table.getMany(rows.map(({ employee }) => employeeKey(employee)))
  const list = found.filter((employee): employee is Item<Employee> => !!employee && managesEmployee(caller, employee))
  return { list, ...(count !== undefined && { count: list.length }), ...(next && { next }) }
}

/** All of them, page after page; or those of `ids` alone, without whom the caller does not manage. */
export async function* eachEmployee(
  caller: Viewer,
  {
    filters: { ids, ...filters },
    sort,
  }: { filters: EmployeeFilters & { ids?: string[] | undefined }; sort: EmployeeSort },
): AsyncGenerator<Item<Employee>> {
  if (ids) {
    const found = await caller.table.getMany(ids.map(employeeKey))
    yield* found.filter((employee): employee is Item<Employee> => !!employee && managesEmployee(caller, employee))
    return
  }
  let page: string | undefined
  do {
    const part: Page<Employee> = await listEmployees(caller, { filters, sort, size: 500, page })
    yield* part.list
    page = part.next
  } while (page)
}

/** How many people such a list has, where that is known without reading them. */
export const countListed = async (
  caller: Viewer,
  { department, ...narrower }: EmployeeFilters,
): Promise<number | undefined> => {
  if (Object.values(narrower).some(filter => filter !== undefined && filter !== '')) return undefined
  if (department === undefined) return knownHeadcount(caller)
  return manages(caller, department) ? countEmployees(caller, department) : 0
}
