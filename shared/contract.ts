import * as z from 'zod'
import type { Permission } from './permissions.ts'

// The declaration of a path. A noun's file declares its paths once, as flat objects. The handler's types, the input
// check, the routes and the browser's typed call derive from it. So do the API description and the generated tests.

/**
 * The callers that a path admits. `anyone` includes callers without a session; `signedIn` is every signed-in caller.
 * `manager` is every caller on the management side, and `employee` every caller on the employee side. `administrator`
 * is a system administrator on the management side. With a list of permissions, a management caller needs one of them.
 */
export type Who = 'anyone' | 'signedIn' | 'manager' | 'administrator' | 'employee' | readonly Permission[]

export interface Declaration {
  /** One sentence for the API description. */
  does: string
  who: Who
  input: z.ZodType
  output: z.ZodType
  /** The path changes data and takes an `Idempotency-Key`. */
  writes?: true
  /**
   * The answer contains a secret that the server returns only once. So the server does not store the answer for a
   * repeated idempotency key.
   */
  answersSecret?: true
  /** API keys cannot call the path, because it is personal or needs a person's judgement. */
  isPersonal?: true
  /** The caller must send the time zone of its browser (`X-Timezone`). */
  needsTimezone?: true
}

/**
 * Whether an API key can call the path. API keys cannot call administrator paths, personal paths, or paths that return
 * a secret.
 */
export const opensToKeys = ({ who, isPersonal, answersSecret }: Declaration): boolean =>
  (who === 'manager' || Array.isArray(who)) && !isPersonal && !answersSecret

export type Declarations = Record<string, Declaration>
export type Input<D extends Declaration> = z.output<D['input']>
export type Output<D extends Declaration> = z.input<D['output']>

/**
 * Invisible characters: controls, and marks that change the reading direction or have no width. Excludes joiners of
 * letters. Plain ranges, because many validators of JSON Schema do not know `\p{…}`.
 */
const unseen = '\\u0000-\\u001f\\u007f-\\u009f\\u200b\\u2028\\u2029\\u202a-\\u202e\\u2060\\u2066-\\u2069\\ufeff'

/**
 * A typed line of text. The shape trims and normalises it (NFC), and rejects an empty text, invisible characters and
 * more than `length` characters.
 */
export const text = (length: number) =>
  z
    .string()
    .normalize('NFC')
    .trim()
    .min(1)
    .max(length)
    .regex(new RegExp(`^[^${unseen}]*$`, 'u'))

export const id = z
  .string()
  .regex(/^[a-z0-9]{16}$/)
  .describe('16 characters a–z, 0–9')

/** The size of the largest body of a call. */
export const mostCallBytes = 256 * 1024

/** A local date that exists in the calendar. */
export const day = z.iso.date().describe('YYYY-MM-DD')

/** The first and last day of any plan. */
export const planRange = { from: '1970-01-01', to: '2100-12-31' } as const
/** A day within the planning range. */
export const planDay = day.refine(day => day >= planRange.from && day <= planRange.to)

/** An instant. */
export const at = z.iso.datetime({ offset: true }).describe('ISO 8601, UTC')

export const timezone = z
  .string()
  .max(64)
  .refine(zone => {
    try {
      return Boolean(new Intl.DateTimeFormat('en', { timeZone: zone })) && /^[A-Z]/.test(zone)
    } catch {
      return false
    }
  })
  .describe('IANA time zone')

export const clockTime = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/)

/** `HH:MM`, with `+1` or `-1` for the date after or before the work day. */
export const wallTime = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d([+-]1)?$/)

export const minutes = (maximum = 1440) => z.int().min(0).max(maximum)

/** The version that the caller read. The server refuses a change of an outdated version with 60006. */
export const version = z.int().min(1)

const plainGrid = <F extends z.ZodType>(filters: F) =>
  z.strictObject({
    page: z.string().max(2000).optional().describe('`next` of the previous page; absent for the first page'),
    size: z.int().min(1).max(200).default(50),
    filters: filters.prefault({} as never),
  })

const sortedGrid = <F extends z.ZodType, S extends string>(filters: F, sorts: readonly [S, ...S[]]) =>
  plainGrid(filters).extend({
    sort: z
      .strictObject({ by: z.enum(sorts), descending: z.boolean().default(false) })
      .default({ by: sorts[0], descending: false }),
  })

/**
 * The input of every list: the `next` of the previous page, the page size and the list's own filters. A sortable list
 * also takes the order, whose first value is the default.
 */
export function gridInput<F extends z.ZodType>(filters: F): ReturnType<typeof plainGrid<F>>
export function gridInput<F extends z.ZodType, S extends string>(
  filters: F,
  sorts: readonly [S, ...S[]],
): ReturnType<typeof sortedGrid<F, S>>
export function gridInput(filters: z.ZodType, sorts?: readonly [string, ...string[]]) {
  return sorts ? sortedGrid(filters, sorts) : plainGrid(filters)
}

/**
 * The output of every list. Only the last page has no `next`. A page may hold fewer rows than requested, if the server
 * had to skip many. `count` is present if the server knows it without reading every row.
 */
export const gridOutput = <I extends z.ZodType>(item: I) =>
  z.object({ list: z.array(item), count: z.int().optional(), next: z.string().optional() })

export const nothing = z.strictObject({})
export const done = z.object({})
