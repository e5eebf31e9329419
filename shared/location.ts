import * as z from 'zod'
import { type Declarations, nothing, text } from './contract.ts'

/**
 * The location of a company or a department. The user picks from the lists below or types, because no list of places is
 * complete.
 */
export const place = {
  country: text(60).optional().describe('an `id` of `location/country`, or free text'),
  state: text(100).optional().describe('a `name` of `location/state`, or free text'),
  city: text(100).optional().describe('a `name` of `location/city`, or free text'),
}

/** ISO 3166-1, two letters. */
const country = z.string().regex(/^[A-Z]{2}$/)
/** The ISO 3166-2 code, which consists of the country's code and the state's code. */
const state = z.string().regex(/^[A-Z]{2}-[A-Z0-9-]{1,12}$/)

const named = (id: z.ZodType) => z.object({ list: z.array(z.object({ id, name: z.string() })) })

export const locationPaths = {
  'location/country': {
    does: "Lists countries, named and sorted in the caller's language.",
    who: 'manager',
    input: nothing,
    output: named(z.string()),
  },
  'location/state': {
    does: 'Lists the states, provinces or regions of a country; `native` is the local name if it differs.',
    who: 'manager',
    input: z.strictObject({ country_id: country }),
    output: z.object({ list: z.array(z.object({ id: z.string(), name: z.string(), native: z.string().optional() })) }),
  },
  'location/city': {
    does: 'Lists the cities of a state.',
    who: 'manager',
    input: z.strictObject({ state_id: state }),
    output: named(z.string()),
  },
} as const satisfies Declarations
