import type { PathOutput } from '../../shared/api.ts'
import type { Company } from '../../shared/company.ts'
import { type Employee, employeeKey, formerEmployeeKey, hasLeft, photoKey } from '../../shared/employee.ts'
import { Problem } from '../../shared/errors.ts'
import type { FigureName } from '../../shared/figure.ts'
import { addDays, localDay } from '../../shared/local-day.ts'
import { measureOf, reportParamsOf, rowAmount } from '../../shared/measure.ts'
import { type Permission, roles } from '../../shared/permissions.ts'
import { punchKey } from '../../shared/punch.ts'
import { correctionPk } from '../../shared/record/correction.ts'
import { readCompany } from '../company/store.ts'
import { showNow } from '../dashboard/now.ts'
import { readWhoOf } from '../dashboard/who.ts'
import { type Caller, managesEmployee } from '../kit/caller.ts'
import { openFiles } from '../kit/files.ts'
import type { Item, Table } from '../kit/table.ts'
import { openReport, pageOfSummary } from '../report/read.ts'

// Reads the head of a person's page. Each part needs the permission of its own list.

type Got = PathOutput<'employee/get'>

/** The permissions whose lists also name deleted people. */
const namesDeleted: readonly Permission[] = [8, 9, 10]

/** Throws 60004 for an unknown person and for one whom the caller may not see. */
const findPerson = async (caller: Caller, id: string) => {
  const { table, permissions, employee: me } = caller
  const present = await table.get(employeeKey(id))
  if (present && managesEmployee(caller, present)) return { person: present, isDeleted: false }
  const deleted = present ? undefined : await table.get(formerEmployeeKey(id))
  const maySee = me.role === roles.administrator || namesDeleted.some(number => permissions.has(number))
  if (!deleted || !maySee || !managesEmployee(caller, deleted)) throw new Problem(60004, { id: 60004 })
  return { person: deleted, isDeleted: true }
}

/** Whether a punch with one of the person's employee IDs is stored, or a manager entered one. */
const hasPunched = async (table: Table, { id, workno, formerWorknos = [] }: Employee): Promise<boolean> => {
  const numbers = [workno, ...formerWorknos].map(number => punchKey({ number, localTime: '', sn: '' }).pk)
  for (const pk of [...numbers, correctionPk(id)]) {
    const { list } = await table.page<object>({ pk, size: 1 })
    if (list.length > 0) return true
  }
  return false
}

/** Worked, unscheduled and overtime, and the leave that stands for work. */
const counted: readonly FigureName[] = ['workMinutes', 'unscheduledMinutes', 'overtimeMinutes', 'leaveMinutes']

/** The totals of the present month up to yesterday, as the report shows them. */
const readMonth = async (caller: Caller, company: Company, employee: string, today: string): Promise<Got['month']> => {
  const [from, to] = [`${today.slice(0, 7)}-01`, addDays(today, -1)]
  if (to < from) return undefined
  const report = await openReport(caller, { from, to, employee })
  const { list } = await pageOfSummary(report, { size: 1, sort: { by: 'name', descending: false } })
  const [row] = list
  if (!row) return undefined
  const params = reportParamsOf(company)
  const isHours = (name: FigureName) => params[measureOf[name]].unit === 1
  // The measures may have different units. The balance has the unit of worked time.
  const amountOf = (name: FigureName) =>
    isHours(name) === isHours('workMinutes') ? (row.amounts[name] ?? 0) : rowAmount(row[name], isHours('workMinutes'))
  const balance = counted.reduce((sum, name) => sum + amountOf(name), 0) - amountOf('dutyMinutes')
  return { from, to, amounts: row.amounts, balance: Math.round(balance * 100) / 100 }
}

/** The facts of the head. Of a deleted person only what the reports of the past show. */
const factsOf = (
  { first_name, last_name, id, workno, department, position, hireDay, endDay }: Item<Employee>,
  isDeleted: boolean,
) => ({
  ...{ id, first_name, last_name, workno, department, endDay },
  ...(!isDeleted && { position, hireDay }),
})

export const getPerson = async (
  id: string,
  caller: Caller,
): Promise<{ shown: Omit<Got, 'record'>; record: Item<Employee> | undefined }> => {
  const { table, permissions } = caller
  const [company, { person, isDeleted }] = await Promise.all([readCompany(caller), findPerson(caller, id)])
  const today = localDay(company.timezone, Date.now())
  const isFormer = isDeleted || hasLeft(person, today)
  const [who, punched, month, photo] = await Promise.all([
    isFormer ? undefined : readWhoOf(caller, company, person),
    hasPunched(table, person),
    permissions.has(8) ? readMonth(caller, company, id, today) : undefined,
    !isDeleted && person.photo ? openFiles(caller.company).address(photoKey(id), person.photo) : undefined,
  ])
  const [now] = who ? await showNow(caller, [who], today, company.timezone) : []
  return {
    shown: {
      ...factsOf(person, isDeleted),
      ...(photo && { photo }),
      ...(isFormer && { isFormer }),
      ...(isDeleted && { isDeleted }),
      hasPunched: punched,
      ...(now && { now }),
      ...(month && { month }),
    },
    record: !isDeleted && permissions.has(3) ? person : undefined,
  }
}
