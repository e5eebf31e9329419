import type { Company } from '../../shared/company.ts'
import { changeZone, type Department, ownZone, type ZoneOf, zonesAfterMove, zonesOf } from '../../shared/department.ts'
import { Problem } from '../../shared/errors.ts'
import { addDays, localDay } from '../../shared/local-day.ts'
import { zoneOn } from '../../shared/rule.ts'
import type { Table } from '../kit/table.ts'
import { readDepartments } from './store.ts'

// Zones of departments. Companies without one cost no read.

/** The zones of departments; undefined for a company without any. */
export const readZones = async (table: Table, { hasZones }: Pick<Company, 'hasZones'>): Promise<ZoneOf | undefined> =>
  hasZones ? zonesOf(await readDepartments(table)) : undefined

/** The zone in which a department reads the clock on a day. */
export const readZone = async (table: Table, company: Company, department: string, day: string): Promise<string> =>
  (await readZones(table, company))?.(department, day) ?? zoneOn(company, day)

const mostDaysBack = 366

/** A department with another zone or parent. */
export interface ZoneChange extends Pick<Department, 'id' | 'parent'> {
  /** Undefined: unchanged. Null or empty: no own zone any more. */
  timezone?: string | null | undefined
  timezoneFrom?: string | undefined
}

/**
 * All departments after a change, and the first day on which the zone of this department differs. Throws 10002 for a
 * date in the future or more than a year ago.
 */
export const withZone = (
  company: Pick<Company, 'timezone'>,
  departments: readonly Department[],
  { id, parent, timezone, timezoneFrom }: ZoneChange,
): { departments: Department[]; changedFrom: string | undefined } => {
  const today = localDay(company.timezone, Date.now())
  const from = timezoneFrom ?? today
  if (from > today || from < addDays(today, -mostDaysBack)) throw new Problem(10002, { timezoneFrom: 10002 })
  const before = departments.find(department => department.id === id)
  if (!before) throw new Problem(60004, { id: 60004 })
  const change = (zones: Department['zones']) =>
    departments.map((department): Department => {
      if (department.id !== id) return department
      const { parent: _parent, zones: _zones, ...others } = department
      return { ...others, ...(parent !== undefined && { parent }), ...(zones && zones.length > 0 && { zones }) }
    })
  const former = before.zones ?? []
  const zones = [...(timezone === undefined ? former : changeZone(former, timezone || undefined, from))]
  const was = zonesOf(departments)
  const differs = (after: readonly Department[], day: string) => was(id, day) !== zonesOf(after)(id, day)
  const changed = change(zones)
  const isMoved = parent !== before.parent && !timezone && ownZone(before) === undefined
  if (isMoved && differs(changed, today))
    return { departments: change(zonesAfterMove(departments, id, today)), changedFrom: today }
  return { departments: changed, changedFrom: differs(changed, today) || differs(changed, from) ? from : undefined }
}
