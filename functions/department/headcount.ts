import { type DepartmentMember, departmentMemberPk, departmentsOf, type Employee } from '../../shared/employee.ts'
import { type Headcount, headcountKey, wholeCompany } from '../../shared/headcount.ts'
import { tallyParts } from '../../shared/table.ts'
import type { Caller } from '../kit/caller.ts'
import type { Table, Write } from '../kit/table.ts'

// How many people a company and each of its departments has.

type Counts = Pick<Headcount, 'people' | 'guests'>

const placesOf = (employee: Employee | undefined): [of: string, isGuest: boolean][] =>
  employee
    ? [
        [wholeCompany, false],
        ...departmentsOf(employee).map((id): [string, boolean] => [id, id !== employee.department]),
      ]
    : []

/** What it changes in the counts that somebody becomes somebody else, comes or goes; belongs into the save of the person. */
export const countChange = (table: Table, before: Employee | undefined, now: Employee | undefined): Write[] => {
  const changes = new Map<string, Counts>()
  const count = (employee: Employee | undefined, by: 1 | -1) => {
    for (const [of, isGuest] of placesOf(employee)) {
      const { people, guests } = changes.get(of) ?? { people: 0, guests: 0 }
      changes.set(of, { people: people + by, guests: isGuest ? guests + by : guests })
    }
  }
  count(before, -1)
  count(now, 1)
  return [...changes]
    .filter(([, { people, guests }]) => people !== 0 || guests !== 0)
    .map(([of, counts]) => table.tally(headcountKey(of), { ...counts }))
}

/** What is left of the counts of a department that is deleted. */
export const removeHeadcount = (table: Table, department: string): Write[] => {
  const { pk, sk } = headcountKey(department)
  return Array.from({ length: tallyParts }, (_, part) => table.remove({ pk, sk: `${sk}#${part}` }))
}

const none: Counts = { people: 0, guests: 0 }
const sum = (parts: Counts[]): Counts =>
  parts.reduce((one, other) => ({ people: one.people + other.people, guests: one.guests + other.guests }), none)

const readOne = async (table: Table, of: string): Promise<Counts> => {
  const { pk, sk } = headcountKey(of)
  return sum(await table.all<Headcount>({ pk, prefix: `${sk}#` }))
}

/** Of every department. */
export const readHeadcounts = async (table: Table): Promise<(department: string) => Counts> => {
  const parts = await table.all<Headcount>({ pk: headcountKey('').pk })
  const counts = new Map([...Map.groupBy(parts, ({ of }) => of)].map(([of, list]) => [of, sum(list)]))
  return department => counts.get(department) ?? none
}

/** Departments that are read side by side; of more than these what all have is read. */
export const mostSideBySide = 32
const readSome = async (table: Table, departments: string[]): Promise<Counts[]> =>
  departments.length <= mostSideBySide
    ? Promise.all(departments.map(of => readOne(table, of)))
    : departments.map(await readHeadcounts(table))

/** How many people are in a department, as their main one or another. */
export const countEmployees = async ({ table }: Pick<Caller, 'table'>, department: string): Promise<number> =>
  (await readOne(table, department)).people

/**
 * How many people a caller manages, where that takes no reading of people: undefined where some work in several departments, one
 * of which is the caller's, and who are not to be counted twice.
 */
export const knownHeadcount = async ({
  table,
  departments,
}: Pick<Caller, 'table' | 'departments'>): Promise<number | undefined> => {
  if (!departments) return (await readOne(table, wholeCompany)).people
  const [only] = departments
  if (departments.size <= 1) return only === undefined ? 0 : (await readOne(table, only)).people
  const { people, guests } = sum(await readSome(table, [...departments]))
  return guests === 0 ? people : undefined
}

/** How many people a caller manages, each once. */
export const countManaged = async (caller: Pick<Caller, 'table' | 'departments'>): Promise<number> => {
  const known = await knownHeadcount(caller)
  if (known !== undefined) return known
  const found = new Set<string>()
  const read = async (department: string) => {
    const range = { pk: departmentMemberPk(department), only: ['employee' as const] }
    for await (const { employee } of caller.table.each<DepartmentMember>(range)) found.add(employee)
  }
  await Promise.all([...(caller.departments ?? [])].map(read))
  return found.size
}
