import type { UsedPunch } from '../shared/attendance/row.ts'
import type { DayRow } from '../shared/day.ts'
import { addDays } from '../shared/local-day.ts'
import { type Orphan, orphanKey, recordPaths } from '../shared/record.ts'
import type { Caller } from './kit/caller.ts'
import { readCompany } from './kit/company.ts'
import { checkRange, readNames, rowsOfDay } from './kit/day-rows.ts'
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

/**
 * The punches of one date, the newest first, each once. A night shift's row carries punches of the next date and a shift
 * after midnight some of the date before, so the rows around are looked at too.
 */
const recordsOfDay = async (caller: Caller, shards: number, day: string): Promise<PunchRecord[]> => {
  const rows = await Promise.all([-1, 0, 1].map(offset => rowsOfDay(caller, shards, addDays(day, offset))))
  const records = new Map<string, PunchRecord>()
  for (const record of rows.flat().flatMap(recordsOf)) {
    const known = records.get(record.key)
    if (record.day === day && (!known || passedOver(known))) records.set(record.key, record)
  }
  return [...records.values()].sort((one, other) => other.at - one.at || (one.key < other.key ? -1 : 1))
}

export const handler = lambda(recordPaths, {
  'record/grid': async ({ filters, size, page }, caller) => {
    checkRange(filters.from, filters.to)
    const { dayShards } = await readCompany(caller)
    const binding = `records ${caller.company} ${JSON.stringify(filters)}`
    const start = page === undefined ? undefined : await openCursor(page, binding)
    let day = start === undefined ? filters.to : String(start.day)
    let after = start?.after
    const list: PunchRecord[] = []
    // A month at most is looked through for one page, so that empty months do not hold a caller up.
    for (let looked = 0; looked < 31 && day >= filters.from && list.length < size; looked++) {
      const records = (await recordsOfDay(caller, dayShards, day)).filter(
        ({ row }) =>
          (!filters.department || row.department === filters.department) &&
          (!filters.employee || row.employee === filters.employee),
      )
      const first = after === undefined ? 0 : records.findIndex(({ key }) => key === after) + 1
      const part = records.slice(first, first + size - list.length)
      list.push(...part)
      if (first + part.length < records.length) after = part.at(-1)?.key
      else [day, after] = [addDays(day, -1), undefined]
    }
    const names = await readNames(
      caller.table,
      list.map(({ row }) => row),
    )
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
          use,
        }
      }),
      ...(day >= filters.from && { next: await sealCursor({ day, ...(after !== undefined && { after }) }, binding) }),
    }
  },

  'record/orphan/grid': async (_, { table, departments }) => ({
    // Nobody's punches belong to no department, so only those who see everybody see them.
    list: departments ? [] : await table.all<Orphan>({ pk: orphanKey('').pk }),
  }),
})
