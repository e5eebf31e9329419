import * as z from 'zod'
import type { Audited, Change } from './change.ts'
import {
  type Declarations,
  day,
  done,
  gridInput,
  gridOutput,
  id,
  nothing,
  text,
  timezone,
  version,
} from './contract.ts'
import { firstDay } from './local-day.ts'
import { place } from './location.ts'
import type { Key } from './table.ts'
import { begun, importInput, isTemplate, sheetType } from './task.ts'

/** The zone of a department from a day on. Without a zone, the parent's. */
export interface DepartmentZone {
  from: string
  zone?: string
  /** The company's zone, whatever zone the parent has. */
  isCompany?: true
}

export interface Department {
  id: string
  name: string
  /** The location in the building or on the site. */
  location?: string
  tel?: string
  address?: string
  country?: string
  state?: string
  city?: string
  /** The parent department; absent at the top level. */
  parent?: string
  /** The zones of its days, oldest first. Absent means the parent's. */
  zones?: DepartmentZone[]
  /** The first department of every company, which administrators cannot delete. */
  isDefault?: true
  /** Set during deletion. An insert requires an unmarked department. */
  leavingAt?: string
}

const audited: Audited<Department> = { noun: 'department', id: ({ id }) => id, name: ({ name }) => name }

export const departmentKey = (id: string): Key<Department> => ({ pk: 'DEPARTMENT', sk: id, audited })
/** A name is unique within a company, regardless of case. */
export const departmentNameKey = (name: string): Key<{ department: string }> => ({
  pk: 'DEPARTMENT_NAME',
  sk: name.toLowerCase(),
})

/**
 * Every move of a department replaces this item. Two concurrent moves could form a cycle, so only one of them succeeds.
 */
export const departmentTreeKey = (): Key<object> => ({ pk: 'DEPARTMENT_TREE', sk: '-' })

/** Some departments with all their sub-departments, at any depth. */
export const withAllBelow = (departments: Pick<Department, 'id' | 'parent'>[], roots: string[]): Set<string> => {
  const children = Map.groupBy(departments, ({ parent }) => parent)
  const ids = new Set(roots)
  // Iterating a Set also visits the ids added during the loop.
  for (const id of ids) for (const child of children.get(id) ?? []) ids.add(child.id)
  return ids
}

/** The zone that a department has itself at present. */
export const ownZone = ({ zones }: Pick<Department, 'zones'>): string | undefined => zones?.at(-1)?.zone

/** The zone of a department on a day: its own, else its parent's. Undefined means the company's. */
export type ZoneOf = (department: string, day: string) => string | undefined

export const zonesOf = (departments: readonly Pick<Department, 'id' | 'parent' | 'zones'>[]): ZoneOf => {
  const byId = new Map(departments.map(department => [department.id, department]))
  return (id, day) => {
    for (let at = byId.get(id); at; at = byId.get(at.parent ?? '')) {
      const known = at.zones?.findLast(({ from }) => from <= day)
      if (known?.isCompany) return undefined
      if (known?.zone !== undefined) return known.zone
    }
    return undefined
  }
}

/** The zones after a change of a department's own zone from a day on. Earlier days keep theirs. */
export const changeZone = (
  zones: readonly DepartmentZone[],
  zone: string | undefined,
  from: string,
): readonly DepartmentZone[] =>
  zones.at(-1)?.zone === zone && (zones.at(-1)?.from ?? firstDay) <= from
    ? zones
    : [...zones.filter(former => former.from < from), { from, ...(zone !== undefined && { zone }) }]

/**
 * The zones of a department without own zone that moves below another parent on a day. Earlier days keep the zones of
 * the former parent.
 */
export const zonesAfterMove = (departments: readonly Department[], id: string, day: string): DepartmentZone[] => {
  const before = zonesOf(departments)
  const starts = new Set([firstDay, ...departments.flatMap(({ zones = [] }) => zones.map(({ from }) => from))])
  const kept = [...starts]
    .filter(from => from < day)
    .sort()
    .map((from): DepartmentZone => {
      const zone = before(id, from)
      return { from, ...(zone === undefined ? { isCompany: true } : { zone }) }
    })
  return [...kept, { from: day }]
}

export const departmentFacts = ({ company, old, new: next }: Change<Department>) => {
  const fact = { company, department: next?.id ?? old?.id ?? '' }
  return [
    { type: 'department.changed' as const, ...fact },
    ...(old && next && old.parent !== next.parent ? [{ type: 'department.moved' as const, ...fact }] : []),
  ]
}

const form = {
  name: text(100),
  location: text(100).optional(),
  tel: text(40).optional(),
  address: text(200).optional(),
  ...place,
  parent: id.optional(),
  timezone: timezone
    .optional()
    .describe('zone of the days of its people; the parent’s, else the company’s, if omitted'),
}

const change = z.strictObject({
  id,
  version,
  ...form,
  timezone: timezone
    .or(z.literal(''))
    .nullable()
    .optional()
    .describe('zone of the days of its people; unchanged if omitted, removed if null or empty'),
  timezoneFrom: day.optional().describe('effective date of another zone: today if omitted, at most a year back'),
})

const stored = z.object({ id, ...form, isDefault: z.literal(true).optional(), version })

/** The filters of the list and of an export. */
export const departmentFilters = z.strictObject({ search: z.string().trim().max(100).optional() })

export const departmentSorts = ['name', 'employeeCount', 'deviceCount', 'subdepartmentCount'] as const

export const departmentPaths = {
  'department/grid': {
    does: 'Lists departments with their numbers of employees, terminals and sub-departments. `employeeCount` includes employees with another main department; `mainEmployeeCount` does not, so its values can be added up.',
    who: [1],
    input: gridInput(departmentFilters, departmentSorts),
    output: gridOutput(
      stored.extend({
        employeeCount: z.int(),
        mainEmployeeCount: z.int(),
        deviceCount: z.int(),
        subdepartmentCount: z.int(),
      }),
    ),
  },
  'department/all': {
    does: 'Lists all departments the caller manages for a selection field.',
    who: 'manager',
    input: nothing,
    output: z.object({ list: z.array(z.object({ id, name: z.string(), parent: id.optional() })) }),
  },
  'department/add': {
    does: 'Adds a department.',
    who: [1],
    writes: true,
    input: z.strictObject(form),
    output: z.object({ id }),
  },
  'department/update': {
    does: 'Updates a department; omitted fields other than `timezone` are removed. Another `timezone` recalculates days. Another `parent` moves it with its sub-departments; the default department stays at the top level (60053).',
    who: [1],
    writes: true,
    input: change,
    output: z.object({ task: id.optional().describe('task that recalculates the days, if the zone changes') }),
  },
  'department/preview': {
    does: 'Previews the effect of another zone or parent of a department on its days, without saving.',
    who: [1],
    writes: true,
    input: change,
    output: begun,
  },
  'department/import': {
    does: 'Imports departments from a sheet, all or none. Returns a task that checks every row before it writes one.',
    who: [1],
    writes: true,
    input: importInput,
    output: begun,
  },
  'department/export': {
    does: 'Exports the departments the caller manages. Returns a task; its file can be downloaded for 24 hours.',
    who: [1],
    writes: true,
    input: z.strictObject({ type: sheetType, filters: departmentFilters.prefault({}), isTemplate }),
    output: begun,
  },
  'department/delete': {
    does: 'Deletes an empty department other than the default one.',
    who: [1],
    writes: true,
    input: z.strictObject({ id }),
    output: done,
  },
} as const satisfies Declarations
