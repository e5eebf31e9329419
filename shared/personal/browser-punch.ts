import * as z from 'zod'
import { at, type Declarations, done, id, nothing, text, version } from '../contract.ts'
import type { Key } from '../table.ts'

// Browser punches: the permitted employees and places. A browser punch counts like any other punch.

/** Several taps within this time count as one punch, even if the company's own rule is shorter. */
export const leastRepeatSeconds = 5
/** A position with a larger inaccuracy counts as if it had this inaccuracy. */
export const mostAccuracyMetres = 200
export const mostPlaces = 50

/** A point on the earth, in degrees. */
export interface Point {
  latitude: number
  longitude: number
}

export interface Located extends Point {
  /** The largest possible distance from this point, according to the browser. */
  accuracyMetres?: number
}

export interface Place extends Point {
  name: string
  radiusMetres: number
}

export interface BrowserPunch {
  isOn: boolean
  /** The permitted departments, with their sub-departments. Absent means all departments. */
  departments?: string[]
  isPlaceAsked: boolean
  /** The permitted places. Empty means anywhere. */
  places: Place[]
  /** How the server treats a punch elsewhere or without a position. */
  outside: 'refuse' | 'flag'
}

export const defaultBrowserPunch: BrowserPunch = { isOn: false, isPlaceAsked: false, places: [], outside: 'refuse' }

/**
 * The last tap that became a punch. A repeated tap soon afterwards returns this punch. The item expires after a day.
 */
export interface LastTap {
  at: string
  timezone: string
  place?: string
  isOutside?: true
  /** The punch is outside every punch period. */
  isUncounted?: true
  expiresAt: number
}

export const lastTapKey = (employee: string): Key<LastTap> => ({ pk: 'LAST_TAP', sk: employee })

/** The earth's mean radius (IUGG). */
const earthMetres = 6_371_008.8
const radians = (degrees: number) => (degrees * Math.PI) / 180

/** The shortest distance on a spherical earth by the haversine formula. The error is at most half a percent. */
export const metresBetween = (start: Point, end: Point): number => {
  const [from, to] = [radians(start.latitude), radians(end.latitude)]
  const half =
    Math.sin((to - from) / 2) ** 2 +
    Math.cos(from) * Math.cos(to) * Math.sin(radians(end.longitude - start.longitude) / 2) ** 2
  return 2 * earthMetres * Math.asin(Math.min(1, Math.sqrt(half)))
}

/** Whether a person may be within a place. The inaccuracy counts in the person's favour. */
const isWithin = (located: Located, place: Place) =>
  metresBetween(located, place) - Math.min(located.accuracyMetres ?? 0, mostAccuracyMetres) <= place.radiusMetres

/** The nearest place in which the person may be. Undefined if there is none. */
export const placeOf = (located: Located, places: Place[]): Place | undefined =>
  places
    .filter(place => isWithin(located, place))
    .sort((first, second) => metresBetween(located, first) - metresBetween(located, second))[0]

const point = {
  latitude: z.number().min(-90).max(90).describe('degrees'),
  longitude: z.number().min(-180).max(180).describe('degrees'),
}

const form = {
  isOn: z.boolean(),
  departments: z
    .array(id)
    .min(1)
    .max(100)
    .optional()
    .describe('only members of these departments and their sub-departments; everybody if omitted'),
  isPlaceAsked: z.boolean(),
  places: z
    .array(z.strictObject({ name: text(60), ...point, radiusMetres: z.int().min(10).max(50_000) }))
    .max(mostPlaces)
    .describe('locations for punches; anywhere if empty'),
  outside: z.enum(['refuse', 'flag']).describe('treatment of punches outside these locations or without a location'),
}

export const companyPunchPaths = {
  'company/punch': {
    does: 'Returns the settings of browser clock-in: the permitted departments and locations.',
    who: 'administrator',
    input: nothing,
    output: z.object({ ...form, version }),
  },
  'company/punch/update': {
    does: 'Updates the settings of browser clock-in: the permitted departments and locations.',
    who: 'administrator',
    writes: true,
    input: z.strictObject({ version, ...form }),
    output: done,
  },
} as const satisfies Declarations

const tapped = {
  at,
  timezone: z.string(),
  place: z.string().optional().describe('name of the company’s location'),
  isOutside: z.boolean().describe('made outside the company’s locations or without a location, and accepted'),
}

export const personalPunchPaths = {
  'personal/punch/get': {
    does: 'Returns whether the caller may use browser clock-in, and their last such punch of the last 24 hours.',
    who: 'employee',
    input: nothing,
    output: z.object({
      isAllowed: z.boolean(),
      isPlaceAsked: z.boolean().describe('whether punches should include their location'),
      isPlaceNeeded: z.boolean().describe('whether punches without a location are refused'),
      last: z.object(tapped).optional(),
    }),
  },
  'personal/punch/add': {
    does: "Records a punch of the caller now, by the server's clock. A repeated tap returns the first punch. Rejects callers who may not use browser clock-in (60086) and, if the company restricts them, other locations (60087).",
    who: 'employee',
    writes: true,
    input: z
      .strictObject({
        latitude: point.latitude.optional(),
        longitude: point.longitude.optional(),
        accuracyMetres: z.number().min(0).max(1_000_000).optional().describe('as reported by the browser'),
      })
      .superRefine(({ latitude, longitude }, { addIssue }) => {
        if ((latitude === undefined) !== (longitude === undefined))
          addIssue({ code: 'custom', path: [latitude === undefined ? 'latitude' : 'longitude'], message: '60001' })
      })
      .describe('stored only if the company asks for locations'),
    output: z.object({
      ...tapped,
      isCounted: z
        .boolean()
        .describe('whether a shift or a day without a shift counts the punch; false outside the punch periods'),
      isRepeat: z.boolean().describe('whether a repeated tap returned the previous punch, and none was added'),
    }),
  },
} as const satisfies Declarations
