import { daysBetween } from '../../shared/local-day.ts'
import { joinNames } from '../../shared/name-list.ts'
import { type Shift, shiftKey } from '../../shared/shift.ts'
import { readDepartments } from '../department/store.ts'
import { eachEmployee } from '../employee/list.ts'
import { manages } from '../kit/caller.ts'
import type { Kind, Work } from '../kit/task.ts'
import { exported } from '../sheet/export.ts'
import { type Column, type DayColumn, wordsIn } from '../sheet/words.ts'
import type { Cell } from '../sheet/write.ts'
import { type Months, readMonths, shiftsOn } from './store.ts'

// The schedule as a sheet: a row per person, a column per day, shift names in the cells.

/** The columns that identify a person. The import reads only the employee ID. */
export const scheduleColumns = ['workno', 'first_name', 'last_name', 'department'] as const satisfies Column[]

const peopleRead = 200

const readRows = async (work: Work<'schedule/export'>, days: string[]): Promise<Cell[][]> => {
  const { table, asker, input, tell } = work
  const { from, department, search, shift } = input.filters
  const names = new Map((await table.all<Shift>({ pk: shiftKey('').pk })).map(({ id, name }) => [id, name]))
  const departments = new Map((await readDepartments(table)).map(({ id, name }) => [id, name]))
  const rows: Cell[][] = []
  const read = async (people: { id: string; cells: Cell[] }[]) => {
    const byEmployee = await readMonths(
      table,
      people.map(({ id }) => id),
      days,
    )
    for (const { id, cells } of people) {
      const months: Months = byEmployee.get(id) ?? new Map()
      const shiftsByDay = days.map(day => shiftsOn(months, day))
      if (shift !== undefined && !shiftsByDay.some(shifts => shifts.includes(shift))) continue
      rows.push([
        ...cells,
        ...shiftsByDay.map(shifts =>
          joinNames(
            shifts.flatMap(id => names.get(id) ?? []),
            '+',
          ),
        ),
      ])
    }
    await tell('write', rows.length, rows.length)
  }
  let people: { id: string; cells: Cell[] }[] = []
  const viewer = { table, departments: asker.departments }
  const sort = { by: 'name' as const, descending: false }
  for await (const employee of eachEmployee(viewer, { filters: { department, search }, sort })) {
    if (employee.endDay !== undefined && employee.endDay < from) continue
    const { id, workno, first_name, last_name } = employee
    const departmentName = manages(asker, employee.department) ? departments.get(employee.department) : undefined
    people.push({ id, cells: [Number(workno), first_name, last_name, departmentName] })
    if (people.length < peopleRead) continue
    await read(people)
    people = []
  }
  await read(people)
  return rows
}

/** An example row to overwrite. The import skips this row. */
const readExample = async ({ table, language }: Work<'schedule/export'>, days: string[]): Promise<Cell[]> => {
  const { example } = wordsIn(language)
  const { list } = await table.page<Shift>({ pk: shiftKey('').pk, size: 1 })
  const name = list[0] && joinNames([list[0].name], '+')
  return [Number(example.workno), example.first_name, example.last_name, undefined, ...days.map(() => name)]
}

export const scheduleExport: Kind<'schedule/export'> = {
  async run(work) {
    const { type, isTemplate, filters } = work.input
    const days = daysBetween(filters.from, filters.to)
    const rows = isTemplate ? [await readExample(work, days)] : await readRows(work, days)
    const columns = [...scheduleColumns, ...(days as DayColumn[])]
    return exported({ type, isTemplate, columns, rows, name: 'schedule' }, work)
  },
}
