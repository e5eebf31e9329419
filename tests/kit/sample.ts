import * as z from 'zod'
import { api, type Path } from '../../shared/api.ts'
import { readySets } from '../../shared/attendance/hours/ready.ts'
import { type Declaration, wallTime } from '../../shared/contract.ts'
import { requestId } from '../../shared/personal/request.ts'
import { strongPassword } from './client.ts'

// Sample inputs from the declarations of paths, for tests of all paths.

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json }
export type Schema = { [name: string]: unknown } & {
  type?: string
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  anyOf?: Schema[]
}

/** Values by parameter name. `employees` is a list of `employee`. */
export type Names = { [name: string]: string }

export const paths = Object.entries(api as Record<string, Declaration>) as [Path, Declaration][]

const schemas = new Map(
  paths.map(([path, { input }]) => [
    path,
    z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' }) as unknown as Schema,
  ]),
)
/** The JSON schema of a path’s input. */
export const inputOf = (path: Path): Schema => schemas.get(path) ?? {}

/** Whether a path is a list with pages. */
export const isGrid = (path: Path): boolean => inputOf(path).properties?.page !== undefined
/** Whether the path leaves out objects that the caller may not see, and does not refuse them. */
export const leavesOut = (path: Path): boolean => isGrid(path) || path === 'employee/photo/list'

/** Whether a path returns the length of a list, 0 for an empty list. */
/** Whether a path ends the session of its caller, so that each call needs a new session. */
export const endsSession = (path: Path): boolean =>
  /^(user\/login\/off|(personal\/)?company\/(select|add))$|login\/switch$/.test(path)

export const isCount = (path: Path): boolean => path.endsWith('/count')

/** The input of a list with its required filters only. */
export const wholeGrid = (path: Path, names: Names): { [name: string]: Json } => {
  const required = inputOf(path).properties?.filters?.required ?? []
  const filters = Object.entries(Object(sampleInput(path, names).filters) as { [name: string]: Json })
  return required.length > 0 ? { filters: Object.fromEntries(filters.filter(([name]) => required.includes(name))) } : {}
}

const idPattern = '^[a-z0-9]{16}$'
/** An id without an object. */
const unusedId = '0'.repeat(16)
const texts: Names = {
  email: 'nobody@example.com',
  timezone: 'Europe/Athens',
  code: '123456',
  onDuty: '09:00',
  offDuty: '18:00',
  punchStart: '07:00',
  punchEnd: '23:00',
  start: '12:00',
  end: '13:00',
  splitTime: '05:00',
  time: '06:00',
  lockedTo: '2001-01-01',
  workno: '4711',
  comm_pwd: '471100',
  card: '4711',
  token: 't'.repeat(43),
  list: 'employee',
  country_id: 'GR',
  state_id: 'GR-I',
  upload: unusedId,
  company_id: unusedId,
  serialNumber: 'NONE',
  month: '2026-03',
  carriedUntil: '03-31',
  number: '79',
  at: new Date().toISOString(),
  since: new Date().toISOString(),
  until: new Date(Date.now() + 3600_000).toISOString(),
  pendingAt: new Date().toISOString(),
  // No test contacts this host.
  url: 'https://hooks.example.com/attendance',
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
}

/** Times of day, for parameter names that are dates elsewhere. */
const clocks: Names = { from: '09:00', to: '10:00' }
const patternOf = (schema: z.ZodType) => z.toJSONSchema(schema).pattern
const [wallPattern, requestPattern] = [wallTime, requestId].map(patternOf)

/** Values for paths that use a parameter name with another meaning. */
const exceptions: { [path in Path]?: Names } = {
  'employee/add': { role: '2' },
  'employee/update': { role: '2' },
  'employee/update/many': { role: '2' },
  'employee/attendance/update': { password: '4711' },
  'record/orphan/get': { workno: '77' },
  'record/orphan/assign': { workno: '77' },
  'record/orphan/return': { workno: '77' },
  'schedule/draft/update': { cell: '0' },
  'schedule/plan': { cell: '0' },
  'schedule/preview': { cell: '0' },
  'schedule/check': { cell: '0' },
  'report/template/add': { column: 'workno' },
  'report/template/update': { column: 'workno' },
  'report/template/preview': { column: 'workno' },
  'holiday/update': { day: '2027-05-05' },
  'holiday/public': { country: 'DE', state: 'BY', year: '2027' },
  'holiday/import': { country: 'DE', state: 'BY', year: '2027', day: '2027-01-01' },
}

const sampleOf = (name: string, schema: Schema, names: Names): Json => {
  if (schema.const !== undefined) return schema.const as Json
  if (Array.isArray(schema.enum))
    return schema.enum.includes(names[name]) ? (names[name] as Json) : (schema.enum[0] as Json)
  if (schema.anyOf?.[0]) return sampleOf(name, schema.anyOf[0], names)
  switch (schema.type) {
    case 'object':
      return Object.fromEntries(
        Object.entries(schema.properties ?? {})
          // A list starts at its first page, because the server rejects an invented cursor.
          .filter(([key]) => key !== 'page' && key !== 'cursor')
          .map(([key, inner]) => [key, sampleOf(key, inner, names)]),
      )
    case 'array':
      return Array.from({ length: Math.max(1, Number(schema.minItems ?? 1)) }, () =>
        sampleOf(names[name] === undefined ? name.replace(/s$/, '') : name, schema.items ?? {}, names),
      )
    case 'integer':
    case 'number':
      if (/^\d+$/.test(names[name] ?? '')) return Number(names[name])
      return Number(schema.default ?? Math.max(1, Number(schema.minimum ?? 0)))
    case 'boolean':
      // A part-day leave covers more fields than whole days. A terminal with its own numbering holds the test's punches.
      return name !== 'isAllDay' && name !== 'isOwnNumbering'
    default:
      if (schema.pattern === wallPattern && name in clocks) return clocks[name] ?? ''
      if (schema.pattern === requestPattern) return names.request ?? `2099-01-01-${unusedId}`
      if (names[name] !== undefined) return names[name]
      if (name in texts) return texts[name] ?? ''
      if (schema.pattern === idPattern) return names.employee ?? unusedId
      if (schema.format === 'date') return names.day ?? '2099-01-01'
      return /password/.test(name) ? strongPassword : (names.text ?? '4711')
  }
}

const isHourChange = (path: Path) => path === 'attparams/hours/update' || path === 'attparams/hours/preview'

/** An hour set whose kinds and rules fit together, with the words of the caller. */
const sampleSet = ({ text }: Names) => ({ ...readySets.plain, ...(text !== undefined && { name: text }) })

/**
 * Valid input of a path, with every parameter except `page`. Ids, serial numbers, versions and the like come from
 * `names`. `id` is the value of the path’s own group, and `text` fills every free-text field.
 */
export const sampleInput = (path: Path, names: Names): { [name: string]: Json } => ({
  ...(sampleOf('', inputOf(path), {
    id: names[path.split('/')[0] ?? ''] ?? names.company ?? unusedId,
    ...names,
    ...(path.startsWith('report/template/') && names.template && { id: names.template }),
    // Requests need the id of their employee.
    ...(/^approve\/(?!delegate|shift|overtime)/.test(path) && names.requester && { employee: names.requester }),
    ...(path.startsWith('attparams/hours/') && { id: names.hours ?? unusedId }),
    ...exceptions[path],
  }) as {
    [name: string]: Json
  }),
  ...(isHourChange(path) && { set: sampleSet(names) as unknown as Json }),
})
