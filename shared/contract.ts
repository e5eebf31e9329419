import * as z from 'zod'
import type { Permission } from './permissions.ts'

// The words of a path. A noun's file declares its paths once, as flat objects; the handler's types, the check of the input,
// the routes, the browser's typed call, the API description and the generated tests derive from that place.

/**
 * Who may call: anyone at all; anyone signed in; anyone signed in on the management side, or there with one of these
 * permission numbers, or there as system administrator; anyone signed in on the employee side.
 */
export type Who = 'anyone' | 'signedIn' | 'manager' | 'administrator' | 'employee' | readonly Permission[]

export interface Declaration {
  /** One sentence for the reader of the API description. */
  does: string
  who: Who
  input: z.ZodType
  output: z.ZodType
  /** The path changes something: it takes an `Idempotency-Key`. */
  writes?: true
  /** The answer holds a secret that is shown once: it is not kept for a repeated idempotency key. */
  answersSecret?: true
  /** It is a person's own, or asks for a person's judgement: no API key opens it. */
  isPersonal?: true
  /** The caller must say the zone its browser shows times in (`X-Timezone`). */
  needsTimezone?: true
}

/** Whether there are API keys that open a path: none that is the administrators', one's own, or hands out a secret. */
export const opensToKeys = ({ who, isPersonal, answersSecret }: Declaration): boolean =>
  (who === 'manager' || Array.isArray(who)) && !isPersonal && !answersSecret

export type Declarations = Record<string, Declaration>
export type Input<D extends Declaration> = z.output<D['input']>
export type Output<D extends Declaration> = z.input<D['output']>

/** What nobody sees: controls, and marks that turn the reading of what follows or take no room. Joiners of letters are none. */
const unseen = '\\p{Cc}\\u200b\\u2028\\u2029\\u202a-\\u202e\\u2060\\u2066-\\u2069\\ufeff'

/** A line of text a person typed: trimmed, not empty, at most `length` characters, nothing unseen, each letter in one way. */
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

/** A local date that exists in the calendar. */
export const day = z.iso.date().describe('YYYY-MM-DD')

/** Nobody was planned for before, and nobody plans beyond. */
export const planRange = { from: '1970-01-01', to: '2100-12-31' } as const
/** A day people are planned for. */
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

/** `HH:MM`, with `+1` or `-1` for the date after or before the work day. */
export const wallTime = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d([+-]1)?$/)

export const minutes = (most = 1440) => z.int().min(0).max(most)

/** The version the caller has seen; a change on top of another version is refused with 60006. */
export const version = z.int().min(1)

const plainGrid = <F extends z.ZodType>(filters: F) =>
  z.strictObject({
    page: z.string().max(2000).optional().describe('the `next` of the page before; absent for the first page'),
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
 * What every list takes: the `next` of the page before, how many rows, the list's own filters, and, where it can stand in
 * several orders, which one: the first is the one it has unless it is told otherwise.
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
 * What every list answers: `next` is absent on the last page and only there, for a page may hold fewer rows than were asked
 * for where many had to be looked at; `count` where it is known without reading everything.
 */
export const gridOutput = <I extends z.ZodType>(item: I) =>
  z.object({ list: z.array(item), count: z.int().optional(), next: z.string().optional() })

export const nothing = z.strictObject({})
export const done = z.object({})
