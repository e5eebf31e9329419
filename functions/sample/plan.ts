import { isLocked } from '../../shared/company.ts'
import { departmentNameKey } from '../../shared/department.ts'
import { worknoKey } from '../../shared/employee.ts'
import type { Language } from '../../shared/language.ts'
import { addDays, localDay } from '../../shared/local-day.ts'
import type { Sample } from '../../shared/sample.ts'
import { shiftNameKey } from '../../shared/shift.ts'
import { rowId } from '../../shared/task.ts'
import { readCompany } from '../company/store.ts'
import { readDepartments } from '../department/store.ts'
import type { Table } from '../kit/table.ts'

// Plans sample data: free names and numbers, and ids that follow from the task. Therefore every run of the task,
// and the removal, know exactly which items belong to it.

const daysBehind = 21
const daysAhead = 21
const firstNumber = 9001

/** Every name says that it is a sample. */
const words: Record<Language, { departments: [string, string]; shifts: [string, string] }> = {
  en: { departments: ['Shop (sample)', 'Workshop (sample)'], shifts: ['Early (sample)', 'Day (sample)'] },
  zh: { departments: ['门店（示例）', '车间（示例）'], shifts: ['早班（示例）', '白班（示例）'] },
  es: { departments: ['Tienda (ejemplo)', 'Taller (ejemplo)'], shifts: ['Mañana (ejemplo)', 'Día (ejemplo)'] },
  el: {
    departments: ['Κατάστημα (δείγμα)', 'Εργαστήριο (δείγμα)'],
    shifts: ['Πρωινή (δείγμα)', 'Ημερήσια (δείγμα)'],
  },
}

const names: [string, string][] = [
  ['Anna', 'Berger'],
  ['Bruno', 'Costa'],
  ['Clara', 'Doukas'],
  ['David', 'Eriksen'],
  ['Emma', 'Fischer'],
  ['Fotis', 'Georgiou'],
  ['Gloria', 'Herrera'],
  ['Henry', 'Irving'],
  ['Ines', 'Jimenez'],
  ['Jan', 'Kowalski'],
  ['Lena', 'Mäkinen'],
  ['Ming', 'Niu'],
]

/** Appends a number to a name that the company already uses. */
const freeName = async (name: string, isTaken: (name: string) => Promise<boolean>): Promise<string> => {
  for (let number = 1; ; number++) {
    const candidate = number === 1 ? name : `${name} ${number}`
    if (!(await isTaken(candidate))) return candidate
  }
}

const freeNumbers = async (table: Table, count: number): Promise<string[]> => {
  const free: string[] = []
  for (let number = firstNumber; free.length < count; number += count) {
    const candidates = Array.from({ length: count }, (_, i) => String(number + i))
    const taken = await table.getMany(candidates.map(worknoKey))
    free.push(...candidates.filter((_, i) => !taken[i]))
  }
  return free.slice(0, count)
}

/** The plan of a task. Sample days never touch locked days. */
export const planSample = async (
  table: Table,
  { task, by, language }: { task: string; by: string; language: Language },
): Promise<Sample> => {
  const company = await readCompany({ table })
  const today = localDay(company.timezone, Date.now())
  const from = Array.from({ length: daysBehind }, (_, i) => addDays(today, i - daysBehind)).find(
    day => !isLocked(company, day),
  )
  const { departments, shifts } = words[language]
  const root = (await readDepartments(table)).find(({ isDefault }) => isDefault)
  const ids = { departments: [rowId(task, 1), rowId(task, 2)], shifts: [rowId(task, 3), rowId(task, 4)] }
  const numbers = await freeNumbers(table, names.length)
  const times = [
    { onDuty: '06:00', offDuty: '14:00' },
    { onDuty: '09:00', offDuty: '17:30' },
  ]
  return {
    ...{ state: 'loading', task, by, at: new Date().toISOString() },
    ...{ from: from ?? today, to: addDays(today, daysAhead) },
    departments: await Promise.all(
      departments.map(async (name, i) => ({
        id: ids.departments[i] ?? '',
        name: await freeName(name, async name => (await table.get(departmentNameKey(name))) !== undefined),
        ...(root && { parent: root.id }),
      })),
    ),
    shifts: await Promise.all(
      shifts.map(async (name, i) => ({
        id: ids.shifts[i] ?? '',
        name: await freeName(name, async name => (await table.get(shiftNameKey(name))) !== undefined),
        ...(times[i] ?? { onDuty: '09:00', offDuty: '17:30' }),
      })),
    ),
    people: names.map(([first_name, last_name], i) => ({
      id: rowId(task, 10 + i),
      workno: numbers[i] ?? '',
      ...{ first_name, last_name },
      department: ids.departments[i % 2] ?? '',
      shift: ids.shifts[i % 2] ?? '',
    })),
  }
}
