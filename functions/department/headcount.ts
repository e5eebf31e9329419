import { type DepartmentMember, departmentMemberPk, departmentsOf, type Employee } from '../../shared/employee.ts'
import { type Headcount, headcountKey, wholeCompany } from '../../shared/headcount.ts'
import { tallyParts } from '../../shared/table.ts'
import type { Caller } from '../kit/caller.ts'
import type { Table, Write } from '../kit/table.ts'

// Counts the people of a company and of each department.

type Counts = Pick<Headcount, 'people' | 'guests'>

const placesOf = (employee: Employee | undefined): [of: string, isGuest: boolean][] =>
  employee
    ? [
        [wholeCompany, false],
        ...departmentsOf(employee).map((id): [string, boolean] => [id, id !== employee.department]),
      ]
    : []

/** The writes to the counts for an added, changed or removed employee. Save them together with the employee. */
export const countChange = (table: Table, before: Employee | undefined, after: Employee | undefined): Write[] => {
  const changes = new Map<string, Counts>()
  const count = (employee: Employee | undefined, by: 1 | -1) => {
    for (const [of, isGuest] of placesOf(employee)) {
      const { people, guests } = changes.get(of) ?? { people: 0, guests: 0 }
      changes.set(of, { people: people + by, guests: isGuest ? guests + by : guests })
    }
  }
  count(before, -1)
  count(after, 1)
  return [...changes]
    .filter(([, { people, guests }]) => people !== 0 || guests !== 0)
    .map(([of, counts]) => table.tally(headcountKey(of), { ...counts }))
}

/** Removes the counts of a deleted department. */
export const removeHeadcount = (table: Table, department: string): Write[] => {
  const { pk, sk } = headcountKey(department)
  return Array.from({ length: tallyParts }, (_, part) => table.remove({ pk, sk: `${sk}#${part}` }))
}

const none: Counts = { people: 0, guests: 0 }
const sum = (parts: Counts[]): Counts =>
  parts.reduce((total, part) => ({ people: total.people + part.people, guests: total.guests + part.guests }), none)

const readCounts = async (table: Table, of: string): Promise<Counts> => {
  const { pk, sk } = headcountKey(of)
  return sum(await table.all<Headcount>({ pk, prefix: `${sk}#` }))
}

/** The counts of every department. */
export const readHeadcounts = async (table: Table): Promise<(department: string) => Counts> => {
  const parts = await table.all<Headcount>({ pk: headcountKey('').pk })
  const counts = new Map([...Map.groupBy(parts, ({ of }) => of)].map(([of, list]) => [of, sum(list)]))
  return department => counts.get(department) ?? none
}

/** The most departments to read one by one, in parallel. For more departments, one query reads the counts of all. */
export const mostSideBySide = 32
const readSeveral = async (table: Table, departments: string[]): Promise<Counts[]> =>
  departments.length <= mostSideBySide
    ? Promise.all(departments.map(of => readCounts(table, of)))
    : departments.map(await readHeadcounts(table))

/** The number of people in a department, main or additional. */
export const countEmployees = async ({ table }: Pick<Caller, 'table'>, department: string): Promise<number> =>
  (await readCounts(table, department)).people

/**
 * The number of people that a caller manages, from the counts alone. Undefined if the counts may include people with
 * several departments twice.
 */
export const knownHeadcount = async ({
  table,
  departments,
}: Pick<Caller, 'table' | 'departments'>): Promise<number | undefined> => {
  if (!departments) return (await readCounts(table, wholeCompany)).people
  const [only] = departments
  if (departments.size <= 1) return only === undefined ? 0 : (await readCounts(table, only)).people
  const { people, guests } = sum(await readSeveral(table, [...departments]))
  return guests === 0 ? people : undefined
}

/** The number of people that a caller manages. Counts each person once. */
export const countManaged = async (caller: Pick<Caller, 'table' | 'departments'>): Promise<number> => {
  const known = await knownHeadcount(caller)
  if (known !== undefined) return known
  const employees = new Set<string>()
  const read = async (department: string) => {
    const range = { pk: departmentMemberPk(department), only: ['employee' as const] }
    for await (const { employee } of caller.table.each<DepartmentMember>(range)) employees.add(employee)
  }
  await Promise.all([...(caller.departments ?? [])].map(read))
  return employees.size
}
