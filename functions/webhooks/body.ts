import { departmentKey } from '../../shared/department.ts'
import { deviceKey } from '../../shared/device/key.ts'
import { departmentsOf, type Employee, employeeKey, formerEmployeeKey } from '../../shared/employee.ts'
import { fullName } from '../../shared/person-name.ts'
import { managerSn, punchKey } from '../../shared/punch.ts'
import { isAddedPunch } from '../../shared/record/correction.ts'
import { shiftKey } from '../../shared/shift.ts'
import { groupOf, type Happened, isThere } from '../../shared/webhooks/event.ts'
import type { EventData } from '../../shared/webhooks/shape.ts'
import { environment } from '../kit/environment.ts'
import type { Table } from '../kit/table.ts'
import { hashOf, tellRecords, uuidOf } from '../record/told.ts'

// The body of an event: the data at the time when the server stores the event, equal at every try.

/** A deterministic id, so that the table stores a repeated bus event once. */
export const eventIdOf = ({ company, event, of }: Happened): string =>
  `msg_${hashOf(company, event, of).digest('base64url').slice(0, 32)}`

const findPerson = async (table: Table, id: string): Promise<Employee | undefined> => {
  const [employee, former] = await table.getMany<Employee>([employeeKey(id), formerEmployeeKey(id)])
  return employee ?? former
}

const departmentNames = async (table: Table, ids: string[]): Promise<string[]> =>
  (await table.getMany(ids.map(departmentKey))).map(department => department?.name ?? '')

const personOf = async (table: Table, employee: Employee) => {
  const { workno, first_name, last_name } = employee
  const [department = ''] = await departmentNames(table, [employee.department])
  return { workno, first_name, last_name, department }
}

type With<Name extends string> = Extract<Happened, Record<Name, unknown>>

const employeeData = async (
  table: Table,
  { employee: id, workno }: Exclude<With<'employee'>, With<'day'> | With<'correction'>>,
) => {
  const employee = await findPerson(table, id)
  if (!employee)
    return workno === undefined
      ? undefined
      : { employee: { id, workno, first_name: '', last_name: '', department: '' } }
  const { position, email, tel, hireDay, endDay } = employee
  const [, ...others] = departmentsOf(employee)
  const departments = await departmentNames(table, others)
  return {
    employee: {
      ...{ id, ...(await personOf(table, employee)), position, email, tel, hireDay, endDay },
      ...(departments.length > 0 && { departments }),
    },
  }
}

const recordData = async (table: Table, company: string, { punch }: With<'punch'>) => {
  const [shown] = await tellRecords(table, company, [(await table.get(punchKey(punch))) ?? punch])
  return shown && { data: shown.record, id: shown.record.uuid, employee: shown.person?.id }
}

const correctionData = async (table: Table, { company, employee: id, correction }: With<'correction'>) => {
  const { punch, recordedAt, before, after, inout, reason, by, isGone } = correction
  const [number = '', , sn = ''] = isAddedPunch(punch) ? [] : punch.split('#')
  const [employee, author] = await Promise.all([findPerson(table, id), findPerson(table, by)])
  // Only retention removes corrections of a deleted employee.
  if (!employee || (isGone && !(await table.get(employeeKey(id))))) return undefined
  const device = sn ? await table.get(deviceKey(sn)) : undefined
  return {
    uuid: uuidOf(company, punch),
    ...{ checktime: after, before, recorded: recordedAt, checktype: inout },
    device: { serial_number: sn || managerSn, name: device?.name },
    employee: await personOf(table, employee),
    ...{ workno: number || employee.workno, reason },
    ...(author && { author: { id: by, workno: author.workno } }),
  }
}

const terminalData = async (table: Table, { sn, event }: With<'sn'>) => {
  const device = event === 'terminal.removed' ? undefined : await table.get(deviceKey(sn))
  if (!device) return { serial_number: sn, online: false }
  const { name, model, firmware } = device
  const [department] = await departmentNames(table, [device.department])
  const online = event === 'terminal.online' || (event !== 'terminal.offline' && isThere(device))
  return { serial_number: sn, name, department, model, firmware, online }
}

const dayData = async (table: Table, changedDay: With<'day'>) => {
  const { day, before, after, cause, at } = changedDay
  const [employee, shift] = await Promise.all([
    findPerson(table, changedDay.employee),
    changedDay.shift === null ? undefined : table.get(shiftKey(changedDay.shift)),
  ])
  if (!employee) return undefined
  const person = { id: changedDay.employee, ...(await personOf(table, employee)) }
  return { employee: person, day, shift: shift?.name ?? null, before, after, reason: cause, calculatedAt: at }
}

export interface Telling {
  data: EventData[Happened['event']]
  /** The id of the event's subject. */
  id: string
  /** The employee whom the event concerns. */
  employee?: string | undefined
}

/** The content of an event; undefined if its subject no longer exists. */
export const tellingOf = async (table: Table, happened: Happened): Promise<Telling | undefined> => {
  if ('punch' in happened) return recordData(table, happened.company, happened)
  if ('sn' in happened) return { data: await terminalData(table, happened), id: happened.sn }
  const { employee } = happened
  const data =
    'correction' in happened
      ? await correctionData(table, happened)
      : 'day' in happened
        ? await dayData(table, happened)
        : await employeeData(table, happened)
  return data && { data, id: employee, employee }
}

/** The body of a webhook as sent. `at` is the time of the event. */
export const bodyOf = (
  { event, company, at }: { event: keyof EventData; company: string; at: string },
  data: unknown,
  link?: string,
): string => JSON.stringify({ type: event, timestamp: at, company_id: company, data, link })

/** The readable name of the subject of a body; undefined for a test. */
export const aboutOf = (body: string): string | undefined => {
  const { data } = JSON.parse(body) as {
    data: {
      employee?: Pick<Employee, 'first_name' | 'last_name' | 'workno'>
      workno?: string
      name?: string
      serial_number?: string
      id?: string
    }
  }
  const { employee, workno, name, serial_number, id } = data
  return (employee && fullName(employee)) || (workno ?? name ?? serial_number ?? id)
}

/** The pages of the site that show the subjects of events. */
const pages = { employee: '/employee', record: '/record', terminal: '/device', attendance: '/report' } as const
/** The limit that the Standard Webhooks specification advises. */
const mostBodyBytes = 20_000

/** The body of an event. If it would be too long, the body contains only the id and a link. */
export const bodyOfEvent = (happened: Happened, { data, id }: Pick<Telling, 'data' | 'id'>): string => {
  const body = bodyOf(happened, data)
  if (Buffer.byteLength(body) <= mostBodyBytes) return body
  const group = groupOf(happened.event)
  return bodyOf(happened, { id }, environment('SITE') + (group ? pages[group] : ''))
}
