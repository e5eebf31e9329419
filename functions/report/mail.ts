import { companyKey } from '../../shared/company.ts'
import { type Employee, employeeKey } from '../../shared/employee.ts'
import { type Fields, Problem } from '../../shared/errors.ts'
import { roles } from '../../shared/permissions.ts'
import {
  type DueMail,
  dueMailKey,
  mailStopKey,
  nextMailAt,
  periodOf,
  type ReportMail,
  reportMailKey,
} from '../../shared/report/mail.ts'
import { countManaged } from '../department/headcount.ts'
import { type Caller, departmentsBelow, manages, managesEmployee, rightsOf } from '../kit/caller.ts'
import { atOnce } from '../kit/each.ts'
import { saves } from '../kit/table/change.ts'
import { directory, type Item, openTable, save, type Table, type Write } from '../kit/table.ts'
import { newTask, type TaskInputs } from '../kit/task.ts'
import { walk } from '../kit/walk.ts'
import { mostPdfRows } from './pdf.ts'
import { mostRows } from './read.ts'

// Schedules the mails of reports. One list of all companies, ordered by time, says when each mail is due. A single
// transaction changes the mail and this list, and writes the tasks that make and send the mail. So a second run finds
// nothing to do.

const mailsAtOnce = 8

type Send = TaskInputs['report/mail/send']

const dueOf = (company: string, { id, nextAt }: Pick<ReportMail, 'id' | 'nextAt'>): DueMail => ({
  ...{ at: nextAt, company, mail: id },
})

/** The writes that store a mail and its due time. `before` is the stored mail, undefined for a new mail. */
export const writeMail = (table: Table, company: string, mail: ReportMail, before?: Item<ReportMail>): Write[] => {
  const due = dueOf(company, mail)
  const isMoved = before !== undefined && before.nextAt !== mail.nextAt
  return [
    before
      ? table.replace(reportMailKey(mail.id), { ...mail, version: before.version })
      : table.insert(reportMailKey(mail.id), mail),
    ...(isMoved ? [directory().remove(dueMailKey(dueOf(company, before)))] : []),
    directory().put(dueMailKey(due), due),
  ]
}

export const removeMail = (table: Table, company: string, mail: Item<ReportMail>): Write[] => [
  table.remove(reportMailKey(mail.id), mail.version),
  directory().remove(dueMailKey(dueOf(company, mail))),
]

/** The task input of a mail that is due at an instant. */
export const sendingOf = (mail: ReportMail, timezone: string, dueAt: number): Send => ({
  name: mail.name,
  scheduledBy: mail.by,
  file: {
    ...{ type: mail.type, view: mail.view, ...(mail.columns && { columns: mail.columns }) },
    filters: { ...periodOf(mail, timezone, dueAt), ...(mail.department && { department: mail.department }) },
  },
})

export const mayGetMail = (employee: Employee): boolean =>
  employee.email !== undefined && (employee.role === roles.administrator || employee.role === roles.manager)

/**
 * Throws 10002 at each of `employees` who cannot get mail, and 60004 at each whom the caller does not manage. Throws
 * 60004 at a department that the caller does not manage.
 */
export const checkMail = async (
  caller: Caller,
  { employees, department }: Pick<ReportMail, 'employees' | 'department'>,
): Promise<void> => {
  if (department !== undefined && !manages(caller, department)) throw new Problem(60004, { department: 60004 })
  const recipients = await caller.table.getMany(employees.map(employeeKey))
  const fields: Fields = {}
  employees.forEach((id, at) => {
    const employee = recipients[at]
    const isMine = employee && (id === caller.employee.id || managesEmployee(caller, employee))
    if (!isMine) fields[`employees.${at}`] = 60004
    else if (!mayGetMail(employee) || employees.indexOf(id) < at) fields[`employees.${at}`] = 10002
  })
  const codes = Object.values(fields)
  if (codes.length > 0) throw new Problem(codes.includes(60004) ? 60004 : 10002, fields)
}

const mostDays = { daily: 1, weekly: 7, monthly: 31 } as const

/** The departments of a recipient's copy: the recipient's own departments, narrowed to the mail's department. */
const reachOf = async (table: Table, employee: Employee, inDepartment: ReadonlySet<string> | undefined) => {
  const rights = await rightsOf(table, employee)
  if (!rights) return new Set<string>()
  const { departments } = rights
  return departments && inDepartment
    ? new Set([...departments].filter(id => inDepartment.has(id)))
    : (departments ?? inDepartment)
}

/** Throws 60070 at `type` if a recipient's copy would have more rows than a file of this type can hold. */
export const checkMailSize = async (
  { table }: Pick<Caller, 'table'>,
  {
    view,
    type,
    every,
    department,
    employees,
  }: Pick<ReportMail, 'view' | 'type' | 'every' | 'department' | 'employees'>,
): Promise<void> => {
  if (view === 'department') return
  const [recipients, inDepartment, everybody] = await Promise.all([
    table.getMany(employees.map(employeeKey)),
    department === undefined ? undefined : departmentsBelow(table, [department]),
    countManaged({ table, departments: undefined }),
  ])
  const counts = await atOnce(mailsAtOnce, recipients, async employee =>
    employee ? countManaged({ table, departments: await reachOf(table, employee, inDepartment) }) : 0,
  )
  const rows = Math.max(...counts) * (view === 'daily' ? mostDays[every] : 1)
  if (everybody * mostDays[every] > mostRows || (type === 'pdf' && rows > mostPdfRows))
    throw new Problem(60070, { type: 60070 })
}

/** Writes the tasks of a due mail and returns its next due time; undefined if another run was faster. */
const mailOnce = async (due: DueMail): Promise<DueMail | undefined> => {
  const table = openTable(due.company)
  const [mail, company] = await Promise.all([table.get(reportMailKey(due.mail)), table.get(companyKey())])
  if (!mail || !company || mail.nextAt !== due.at) {
    await save(directory().remove(dueMailKey(due)))
    return undefined
  }
  const dueAt = Date.parse(due.at)
  const input = sendingOf(mail, company.timezone, dueAt)
  const people = await table.getMany(mail.employees.map(employeeKey))
  const tasks = people.flatMap(employee => {
    // The task checks whether the recipient may still see reports.
    if (!employee) return []
    const asker = { table, employee, language: employee.language ?? 'en', ip: '', requestId: '' }
    return newTask(asker, 'report/mail/send', input).writes
  })
  const next = { ...mail, lastAt: due.at, nextAt: new Date(nextMailAt(mail, company.timezone, dueAt)).toISOString() }
  const isMine = await saves(...writeMail(table, due.company, next, mail), ...tasks)
  return isMine ? dueOf(due.company, next) : undefined
}

async function* mailsDue(until: string, after: DueMail | undefined): AsyncGenerator<DueMail> {
  const { pk } = dueMailKey({ at: '', company: '', mail: '' })
  const behind = after && dueMailKey(after).sk
  for await (const { at, company, mail } of directory().each<DueMail>({ pk, to: `${until}~`, after: behind })) {
    const due = { at, company, mail }
    // The range includes the row after which it should begin.
    if (dueMailKey(due).sk !== behind) yield due
  }
}

/** Mails everything due up to an instant, including the periods that became due during an outage. */
export const mailAllDue = (until: string, isTimeUp: () => boolean) => {
  const items = (after: DueMail | undefined) => mailsDue(until, after)
  return walk({ job: 'mail', atOnce: mailsAtOnce, stopKey: mailStopKey, items, isTimeUp }, async due => {
    let next: DueMail | undefined = due
    while (next && next.at <= until) next = await mailOnce(next)
  })
}
