import { departmentKey } from '../../shared/department.ts'
import { deviceKey } from '../../shared/device.ts'
import { departmentsOf, type Employee, employeeKey, formerEmployeeKey } from '../../shared/employee.ts'
import { fullName } from '../../shared/person-name.ts'
import { punchKey } from '../../shared/punch.ts'
import { shiftKey } from '../../shared/shift.ts'
import { groupOf, type Happened, isThere } from '../../shared/webhooks/event.ts'
import type { EventData } from '../../shared/webhooks/shape.ts'
import { environment } from '../kit/environment.ts'
import type { Table } from '../kit/table.ts'
import { hashOf, tellRecords } from '../record/told.ts'

// What is told of an event: as things stand when it is written down to be told, and the same at every try.

/** The same for the same event, so that it is written down once however often the bus tells it. */
export const eventIdOf = ({ company, event, of }: Happened): string =>
  `msg_${hashOf(company, event, of).digest('base64url').slice(0, 32)}`

const findPerson = async (table: Table, id: string): Promise<Employee | undefined> => {
  const [now, former] = await table.getMany<Employee>([employeeKey(id), formerEmployeeKey(id)])
  return now ?? former
}

const departmentNames = async (table: Table, ids: string[]): Promise<string[]> =>
  (await table.getMany(ids.map(departmentKey))).map(department => department?.name ?? '')

const personOf = async (table: Table, employee: Employee) => {
  const { workno, first_name, last_name } = employee
  const [department = ''] = await departmentNames(table, [employee.department])
  return { workno, first_name, last_name, department }
}

type With<Name extends string> = Extract<Happened, Record<Name, unknown>>

const employeeData = async (table: Table, { employee: id, workno }: Exclude<With<'employee'>, With<'day'>>) => {
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
  const [told] = await tellRecords(table, company, [(await table.get(punchKey(punch))) ?? punch])
  return told && { data: told.record, id: told.record.uuid, employee: told.person?.id }
}

const terminalData = async (table: Table, { sn, event }: With<'sn'>) => {
  const device = event === 'terminal.removed' ? undefined : await table.get(deviceKey(sn))
  if (!device) return { serial_number: sn, online: false }
  const { name, model, firmware } = device
  const [department] = await departmentNames(table, [device.department])
  const online = event === 'terminal.online' || (event !== 'terminal.offline' && isThere(device))
  return { serial_number: sn, name, department, model, firmware, online }
}

const dayData = async (table: Table, told: With<'day'>) => {
  const { day, before, after, cause, at } = told
  const [employee, shift] = await Promise.all([
    findPerson(table, told.employee),
    told.shift === null ? undefined : table.get(shiftKey(told.shift)),
  ])
  if (!employee) return undefined
  const person = { id: told.employee, ...(await personOf(table, employee)) }
  return { employee: person, day, shift: shift?.name ?? null, before, after, reason: cause, calculatedAt: at }
}

export interface Telling {
  data: EventData[Happened['event']]
  /** What it is about. */
  id: string
  /** Of whom it tells. */
  employee?: string | undefined
}

/** What is told of an event; undefined where nothing is known any more of what it is about. */
export const tellingOf = async (table: Table, told: Happened): Promise<Telling | undefined> => {
  if ('punch' in told) return recordData(table, told.company, told)
  if ('sn' in told) return { data: await terminalData(table, told), id: told.sn }
  const { employee } = told
  const data = 'day' in told ? await dayData(table, told) : await employeeData(table, told)
  return data && { data, id: employee, employee }
}

/** The body of a webhook, as it is sent; `at` is when what it tells happened. */
export const bodyOf = (
  { event, company, at }: { event: keyof EventData; company: string; at: string },
  data: unknown,
  link?: string,
): string => JSON.stringify({ type: event, timestamp: at, company_id: company, data, link })

/** Whom or what a body is about, as people call it; nothing of a test. */
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

/** Where the site shows what an event is about. */
const pages = { employee: '/employee', record: '/record', terminal: '/device', attendance: '/report' } as const
/** As the standard advises. */
const mostBodyBytes = 20_000

/** What is too long for a webhook is told by its id, and where it is found. */
export const bodyOfEvent = (told: Happened, { data, id }: Pick<Telling, 'data' | 'id'>): string => {
  const body = bodyOf(told, data)
  if (Buffer.byteLength(body) <= mostBodyBytes) return body
  const group = groupOf(told.event)
  return bodyOf(told, { id }, environment('SITE') + (group ? pages[group] : ''))
}
