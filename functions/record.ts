import type { UsedPunch } from '../shared/attendance/row.ts'
import type { Company } from '../shared/company.ts'
import type { DayRow } from '../shared/day.ts'
import { deviceKey } from '../shared/device.ts'
import { addDays, daysBetween } from '../shared/local-day.ts'
import { type Orphan, orphanKey, recordPaths } from '../shared/record.ts'
import type { Caller } from './kit/caller.ts'
import { readCompany } from './kit/company.ts'
import { checkRange, readNames, rowsOfDay, rowsOfEmployee } from './kit/day-rows.ts'
import { lambda } from './kit/lambda.ts'
import { openCursor, sealCursor } from './kit/table.ts'

interface PunchRecord extends UsedPunch {
  row: DayRow
  /** The date the terminal's clock showed. */
  day: string
  device: string
}

/** A used punch's key is number, local time and serial number, as the recalculation put it together. */
const recordsOf = (row: DayRow): PunchRecord[] =>
  row.punches.map(punch => {
    const [, localTime = '', device = ''] = punch.key.split('#')
    return { ...punch, row, day: localTime.slice(0, 10), device }
  })

/** What a punch means for its own shift says more than that another shift passed it over. */
const passedOver = ({ use }: UsedPunch) => use === 'otherShift' || use === 'outside'

/** A night shift's row carries punches of the next date, and a terminal of another zone shows a date further on. */
const reachDays = 2

type RowsOf = (day: string) => Promise<DayRow[]>

/** Where the rows of a day come from: of one employee all at once, of everybody day by day, each read once. */
const openRows = async (
  caller: Caller,
  company: Company,
  { from, to, employee }: { from: string; to: string; employee?: string | undefined },
): Promise<RowsOf> => {
  if (employee !== undefined) {
    const rows = await rowsOfEmployee(caller, employee, addDays(from, -reachDays), addDays(to, reachDays))
    const byDay = Map.groupBy(rows, ({ day }) => day)
    return async day => byDay.get(day) ?? []
  }
  const known = new Map<string, Promise<DayRow[]>>()
  return day => {
    const rows = known.get(day) ?? rowsOfDay(caller, company, day)
    known.set(day, rows)
    return rows
  }
}

/** Behind this one the next page begins, whatever was punched since. */
type Place = Pick<PunchRecord, 'at' | 'key'>
const isBehind = ({ at, key }: Place, place: Place) => at < place.at || (at === place.at && key > place.key)

/**
 * The punches of one date, the newest first, each once; the rows around hold some of them.
 */
const recordsOfDay = async (rowsOf: RowsOf, day: string): Promise<PunchRecord[]> => {
  const rows = await Promise.all(daysBetween(addDays(day, -reachDays), addDays(day, reachDays)).map(rowsOf))
  const records = new Map<string, PunchRecord>()
  for (const record of rows.flat().flatMap(recordsOf)) {
    const known = records.get(record.key)
    if (record.day === day && (!known || passedOver(known))) records.set(record.key, record)
  }
  return [...records.values()].sort((one, other) => (isBehind(one, other) ? 1 : -1))
}

export const handler = lambda(recordPaths, {
  'record/grid': async ({ filters, size, page }, caller) => {
    checkRange(filters.from, filters.to)
    const rowsOf = await openRows(caller, await readCompany(caller), filters)
    const binding = `records ${caller.company} ${JSON.stringify(filters)}`
    let position: { day: string; after?: Place } =
      page === undefined ? { day: filters.to } : ((await openCursor(page, binding)) as typeof position)
    const list: PunchRecord[] = []
    // A month at most is looked through for one page, so that empty months do not hold a caller up.
    for (let looked = 0; looked < 31 && position.day >= filters.from && list.length < size; looked++) {
      const { day, after } = position
      const records = (await recordsOfDay(rowsOf, day)).filter(
        record =>
          (!filters.department || record.row.department === filters.department) && (!after || isBehind(record, after)),
      )
      const part = records.slice(0, size - list.length)
      const last = part.at(-1)
      list.push(...part)
      position =
        last && part.length < records.length
          ? { day, after: { at: last.at, key: last.key } }
          : { day: addDays(day, -1) }
    }
    const devices = [...new Set(list.map(({ device }) => device))]
    const [names, known] = await Promise.all([
      readNames(
        caller.table,
        list.map(({ row }) => row),
      ),
      caller.table.getMany(devices.map(deviceKey)),
    ])
    const nameOf = (device: string) => known[devices.indexOf(device)]?.name
    return {
      list: list.map(({ row, at, day, device, use }) => {
        const { first_name, last_name, workno } = names.employee(row.employee)
        return {
          employee: row.employee,
          first_name,
          last_name,
          workno,
          department: row.department,
          day,
          at: new Date(at).toISOString(),
          timezone: row.zone,
          device,
          deviceName: nameOf(device),
          use,
        }
      }),
      ...(position.day >= filters.from && { next: await sealCursor({ ...position }, binding) }),
    }
  },

  'record/orphan/grid': async (_, { table, departments }) => ({
    // Nobody's punches belong to no department, so only those who see everybody see them.
    list: departments ? [] : await table.all<Orphan>({ pk: orphanKey('').pk }),
  }),
})
