import type { Punch as EnginePunch } from '../../shared/attendance/input.ts'
import type { Device } from '../../shared/device.ts'
import type { Employee } from '../../shared/employee.ts'
import { type Punch, punchKey, punchName } from '../../shared/punch.ts'
import type { Table } from '../kit/table.ts'

/** The recorded punches of an employee's numbers between two local days, in the engine's format. */
export const readPunches = async (
  table: Table,
  employee: Employee,
  from: string,
  to: string,
): Promise<EnginePunch[]> => {
  const numbers = [employee.workno, ...(employee.formerWorknos ?? [])]
  const lists = await Promise.all(
    numbers.map(number =>
      table.all<Punch>({
        pk: punchKey({ number, localTime: '', sn: '' }).pk,
        from,
        to: `${to}T99`,
        only: ['at', 'number', 'localTime', 'sn', 'inout'],
      }),
    ),
  )
  return lists.flat().map(punch => ({
    at: Date.parse(punch.at),
    key: punchName(punch),
    ...((punch.inout === 0 || punch.inout === 1) && { state: punch.inout === 0 ? ('in' as const) : ('out' as const) }),
  }))
}

/** The instant up to which every terminal of the department has delivered; now for a department without terminals. */
export const uploadedTo = (devices: Device[], department: string, now: number): number => {
  const ownDevices = devices.filter(device => device.department === department)
  return Math.min(now, ...ownDevices.map(({ uploadedAt }) => (uploadedAt ? Date.parse(uploadedAt) : 0)))
}
