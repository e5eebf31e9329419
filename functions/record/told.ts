import { createHash } from 'node:crypto'
import { departmentKey } from '../../shared/department.ts'
import { deviceKey } from '../../shared/device/key.ts'
import { type Employee, employeeKey, formerEmployeeKey, worknoKey } from '../../shared/employee.ts'
import { type Punch, punchName } from '../../shared/punch.ts'
import { shownNumber } from '../../shared/terminal/number-owner.ts'
import type { EventData } from '../../shared/webhooks/shape.ts'
import type { Table } from '../kit/table.ts'

// Punches as webhooks and `record/since` announce them.

export const hashOf = (...parts: string[]) => createHash('sha256').update(JSON.stringify(parts))

export const uuidOf = (company: string, name: string): string => {
  const hex = hashOf(company, 'punch', name).digest('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  )
}

/** An instant with the offset of the terminal's clock. */
const clockTime = ({ at, localTime }: Pick<Punch, 'at' | 'localTime'>): string => {
  const minutes = Math.round((Date.parse(`${localTime}Z`) - Date.parse(at)) / 60_000)
  const two = (number: number) => String(number).padStart(2, '0')
  const offset = Math.abs(minutes)
  return `${localTime}${minutes < 0 ? '-' : '+'}${two(Math.floor(offset / 60))}:${two(offset % 60)}`
}

type Named = Pick<Punch, 'number' | 'localTime' | 'sn' | 'at'> & Partial<Pick<Punch, 'inout' | 'temperature' | 'mask'>>

/** Reads items by name, each name once. */
const readBy = async <T>(names: string[], read: (names: string[]) => Promise<(T | undefined)[]>) => {
  const once = [...new Set(names)]
  const items = await read(once)
  return new Map(once.map((name, i) => [name, items[i]]))
}

/** The holders of numbers, including former employees. */
const readHolders = async (table: Table, numbers: string[]): Promise<Map<string, Employee | undefined>> => {
  const holders = await readBy(numbers, names => table.getMany(names.map(worknoKey)))
  const ids = [...holders.values()].flatMap(holder => (holder ? [holder.employee] : []))
  const people = await readBy<Employee>(ids, async names => {
    const [now, former] = await Promise.all([
      table.getMany(names.map(employeeKey)),
      table.getMany<Employee>(names.map(formerEmployeeKey)),
    ])
    return now.map((person, i) => person ?? former[i])
  })
  return new Map([...holders].map(([number, holder]) => [number, holder && people.get(holder.employee)]))
}

/** The announced records of punches, and their holders. */
export const tellRecords = async (
  table: Table,
  company: string,
  punches: Named[],
): Promise<{ record: EventData['record.created']; person: Employee | undefined }[]> => {
  const [holders, devices] = await Promise.all([
    readHolders(
      table,
      punches.map(({ number }) => number),
    ),
    readBy(
      punches.map(({ sn }) => sn),
      names => table.getMany(names.map(deviceKey)),
    ),
  ])
  const departments = await readBy(
    [...holders.values()].flatMap(person => (person ? [person.department] : [])),
    names => table.getMany(names.map(departmentKey)),
  )
  return punches.map(punch => {
    const { number, sn, inout, mask, temperature } = punch
    const person = holders.get(number)
    return {
      person,
      record: {
        uuid: uuidOf(company, punchName(punch)),
        ...{ checktime: clockTime(punch), checktype: inout, workno: shownNumber(number), mask },
        device: { serial_number: sn, name: devices.get(sn)?.name },
        ...(person && {
          employee: {
            ...{ workno: person.workno, first_name: person.first_name, last_name: person.last_name },
            department: departments.get(person.department)?.name ?? '',
          },
        }),
        ...(temperature !== undefined && { temperature: temperature / 10 }),
      },
    }
  })
}
