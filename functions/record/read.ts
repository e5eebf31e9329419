import { isElsewhere, type UsedPunch } from '../../shared/attendance/row.ts'
import { type Company, defaultPrevention } from '../../shared/company.ts'
import type { DayRow } from '../../shared/day.ts'
import { addDays, daysBetween, localDay } from '../../shared/local-day.ts'
import { managerSn, type Punch, punchKey, requestSn } from '../../shared/punch.ts'
import { isAddedPunch } from '../../shared/record/correction.ts'
import type { RecordFilters } from '../../shared/record.ts'
import { requestOfPunch } from '../../shared/request.ts'
import { checkRange, rowsOfDay, rowsOfEmployee } from '../day/rows.ts'
import { departmentsBelow } from '../kit/caller.ts'
import type { Item } from '../kit/table.ts'
import { findPeople, type Viewer } from '../report/read.ts'

// Reads punches from the rows of their days: with the employee and the department of that day.

/** The attributes of a row that a list of punches needs. */
const listedFields = ['employee', 'department', 'day', 'shift', 'zone', 'punches'] as const
type ListedRow = Pick<DayRow, (typeof listedFields)[number]>

/** A punch with the attributes of its row. */
export interface PunchRecord extends UsedPunch {
  row: ListedRow
  /** The date on the terminal's clock. */
  day: string
  device: string
  /** The approved correction request that added the punch. */
  request: string | undefined
  /** The punch as the terminal sent it. */
  punch: Item<Punch> | undefined
}

/** The source of a punch: a correction request, a manager, or the source stored with the punch. */
export const sourceOf = ({ device, punch }: Pick<PunchRecord, 'device' | 'punch'>) =>
  device === requestSn || device === managerSn ? device : punch?.source

/** The end of a page. The next page continues behind this punch, even if newer punches arrive. */
export type Place = { day: string; after?: Pick<UsedPunch, 'at' | 'key'> }

type Listed = Omit<PunchRecord, 'punch'>

/** The parts of a used punch's key: number, local time and serial number. */
const partsOf = ({ key }: Pick<UsedPunch, 'key'>) => {
  const [number = '', localTime = '', sn = ''] = key.split('#')
  return { number, localTime, sn }
}

const recordsOf = (row: ListedRow): Listed[] =>
  row.punches.map(punch => {
    const request = requestOfPunch(punch.key)
    if (request !== undefined) return { ...punch, row, request, day: localDay(row.zone, punch.at), device: requestSn }
    if (isAddedPunch(punch.key)) return { ...punch, row, request, day: localDay(row.zone, punch.at), device: managerSn }
    const { localTime, sn } = partsOf(punch)
    return { ...punch, row, request, day: localTime.slice(0, 10), device: sn }
  })

/** Whether a shift skipped this punch. A list shows a punch with the shift that uses it. */

/**
 * A night shift's row includes punches of the next date. At a terminal in another zone the date may differ by one more
 * day.
 */
const reachDays = 2

/** Sorts the newest punch first. The key orders punches of one instant. */
const isBehind = (punch: Pick<UsedPunch, 'at' | 'key'>, other: Pick<UsedPunch, 'at' | 'key'>) =>
  punch.at < other.at || (punch.at === other.at && punch.key > other.key)

/** The lowest temperature that counts as a fever, in tenths of a degree Celsius. */
export const feverTenths = ({ prevention = defaultPrevention }: Pick<Company, 'prevention'>): number => {
  const { fever_threshold: threshold, temp_unit: unit } = prevention
  return Math.round((unit === 1 ? (threshold - 32) / 1.8 : threshold) * 10)
}

/** Limits of one page, so that a search for rare punches does not block the caller. */
const mostDays = 31
const mostPunches = 4000
const punchesAtOnce = 500

/** With `isMeasured`, only punches with a temperature or a mask check. */
export type RecordsWanted = RecordFilters & { isMeasured?: true }

/**
 * Reads filtered punches from a place on. The reader keeps each date for the following pages. A page has at most `size`
 * punches, and the place from which to continue.
 */
export const openRecords = async (
  viewer: Viewer,
  company: Item<Company>,
  filters: RecordsWanted,
): Promise<(size: number, place?: Place) => Promise<{ list: PunchRecord[]; place?: Place }>> => {
  const { from, to, employee, department, search, device, source, isMeasured, temperature = -1, mask = -1 } = filters
  checkRange(from, to)
  const { table } = viewer
  const [below, people, ofEmployee] = await Promise.all([
    department === undefined ? undefined : departmentsBelow(table, [department]),
    search ? findPeople(viewer, search) : undefined,
    employee === undefined
      ? undefined
      : rowsOfEmployee(viewer, employee, addDays(from, -reachDays), addDays(to, reachDays)),
  ])
  const byDay = ofEmployee && Map.groupBy(ofEmployee, ({ day }) => day)
  const rowsByDay = new Map<string, Promise<ListedRow[]>>()
  const rowsOf = (day: string): Promise<ListedRow[]> => {
    if (byDay) return Promise.resolve(byDay.get(day) ?? [])
    const rows = rowsByDay.get(day) ?? rowsOfDay(viewer, company, day, listedFields)
    rowsByDay.set(day, rows)
    return rows
  }
  const isMeant = (row: ListedRow) => (below?.has(row.department) ?? true) && (people?.has(row.employee) ?? true)

  /** The punches of a date, newest first, each punch once. Rows of neighbouring days contain some of these punches. */
  const recordsOfDay = async (day: string): Promise<Listed[]> => {
    for (const read of rowsByDay.keys()) if (read > addDays(day, reachDays)) rowsByDay.delete(read)
    const rows = await Promise.all(daysBetween(addDays(day, -reachDays), addDays(day, reachDays)).map(rowsOf))
    const records = new Map<string, Listed>()
    for (const record of rows.flat().filter(isMeant).flatMap(recordsOf)) {
      const earlier = records.get(record.key)
      if (
        record.day === day &&
        (device === undefined || record.device === device) &&
        (!earlier || isElsewhere(earlier))
      )
        records.set(record.key, record)
    }
    return [...records.values()].sort((a, b) => (isBehind(a, b) ? 1 : -1))
  }

  const fever = feverTenths(company)
  const isShown = ({ device, punch }: PunchRecord) =>
    (!isMeasured || punch?.temperature !== undefined || punch?.mask !== undefined) &&
    (source === undefined || sourceOf({ device, punch }) === source) &&
    (temperature === -1 || (punch?.temperature !== undefined && punch.temperature >= fever === (temperature === 1))) &&
    (mask === -1 || punch?.mask === (mask === 1))
  const isNarrow = isMeasured || source !== undefined || temperature !== -1 || mask !== -1

  return async (size, place = { day: to }) => {
    const list: PunchRecord[] = []
    let { day, after }: Place = place
    for (let days = 0, punches = 0; days < mostDays && day >= from && list.length < size; days++) {
      const { day: date, after: seen } = { day, after }
      const records = (await recordsOfDay(date)).filter(record => !seen || isBehind(record, seen))
      let looked = 0
      while (looked < records.length && list.length < size && punches < mostPunches) {
        const part = records.slice(looked, looked + (isNarrow ? punchesAtOnce : size - list.length))
        const stored = await table.getMany(part.map(record => punchKey(partsOf(record))))
        for (const [i, record] of part.entries()) {
          if (list.length === size) break
          looked++
          const whole = { ...record, punch: stored[i] }
          if (isShown(whole)) list.push(whole)
        }
        punches += part.length
      }
      const last = records[looked - 1]
      if (looked < records.length) {
        after = last ? { at: last.at, key: last.key } : seen
        break
      }
      day = addDays(date, -1)
      after = undefined
    }
    return { list, ...(day >= from && { place: { day, ...(after && { after }) } }) }
  }
}
