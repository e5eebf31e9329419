import { deviceKey } from '../../shared/device/key.ts'
import { recognisedBy } from '../../shared/punch.ts'
import { readCompany } from '../company/store.ts'
import { readNames } from '../day/rows.ts'
import type { Caller } from '../kit/caller.ts'
import { openCursor, sealCursor, type Table } from '../kit/table.ts'
import { feverTenths, openRecords, type Place, type RecordsWanted, sourceOf } from './read.ts'

// Pages of punches for the lists.

/** The current names of terminals by serial number. */
export const deviceNames = async (table: Table, serialNumbers: string[]) => {
  const deviceOf = await readDevices(table, serialNumbers)
  return (serialNumber: string) => deviceOf(serialNumber)?.name
}

const readDevices = async (table: Table, serialNumbers: string[]) => {
  const all = [...new Set(serialNumbers)]
  const devices = await table.getMany(all.map(deviceKey))
  return (serialNumber: string) => devices[all.indexOf(serialNumber)]
}

/** A page of punches. `name` binds its cursor to one list. */
export const listRecords = async (
  caller: Caller,
  name: string,
  { filters, size, page }: { filters: RecordsWanted; size: number; page?: string | undefined },
) => {
  const { table } = caller
  const company = await readCompany(caller)
  const binding = `${name} ${caller.company} ${JSON.stringify(filters)}`
  const place = page === undefined ? undefined : ((await openCursor(page, binding)) as unknown as Place)
  const read = await openRecords(caller, company, filters)
  const { list, place: next } = await read(size, place)
  const [names, deviceOf] = await Promise.all([
    readNames(
      table,
      list.map(({ row }) => row),
    ),
    readDevices(
      table,
      list.map(({ device }) => device),
    ),
  ])
  const fever = feverTenths(company)
  return {
    list: list.map(({ row, at, day, device, use, punch }) => {
      const { first_name, last_name, workno } = names.employee(row.employee)
      const { temperature, mask, mode, verifymode, located, place, isOutside } = punch ?? {}
      return {
        employee: row.employee,
        ...{ first_name, last_name, workno },
        department: row.department,
        day,
        workDay: row.day,
        at: new Date(at).toISOString(),
        timezone: row.zone,
        device,
        deviceName: deviceOf(device)?.name,
        means: punch && recognisedBy(punch),
        source: sourceOf({ device, punch }),
        ...{ use, mask, mode, verifymode, place, isOutside },
        ...located,
        ...(temperature !== undefined && { temperature: temperature / 10, isHigh: temperature >= fever }),
      }
    }),
    ...(next && { next: await sealCursor({ ...next }, binding) }),
  }
}
