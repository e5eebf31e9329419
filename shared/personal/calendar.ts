import * as z from 'zod'
import { at, type Declarations, done, nothing } from '../contract.ts'
import type { Key } from '../table.ts'

// A calendar app reads a person's published shifts at a secret address. Anyone with the address can read them, so the
// person can replace or stop it at any time.

/** The address of a person's calendar, by the hash of its secret. A person has at most one. */
export interface CalendarAddress {
  hash: string
  createdAt: string
}

export const calendarKey = (employee: string): Key<CalendarAddress> => ({ pk: 'CALENDAR', sk: employee })

/** Global, under the secret's SHA-256: whose calendar an address opens. */
export const calendarPointerKey = (hash: string): Key<{ company: string; employee: string }> => ({
  pk: `CALENDAR#${hash}`,
  sk: '-',
})

/** The path of the feed. The secret is in the query, which no access log contains. */
export const calendarPath = '/api/calendar.ics'

/** The days of the feed before and after today. */
export const calendarDays = { back: 31, ahead: 366 } as const

export const personalCalendarPaths = {
  'personal/calendar/get': {
    does: "Returns since when the caller's calendar has an address.",
    who: 'employee',
    input: nothing,
    output: z.object({ createdAt: at.optional().describe('absent without an address') }),
  },
  'personal/calendar/add': {
    does: "Creates the secret address of the caller's calendar, and returns it only once. An earlier address stops working.",
    who: 'employee',
    writes: true,
    answersSecret: true,
    input: nothing,
    output: z.object({ url: z.url().describe('an iCalendar feed of the published shifts; shown only once') }),
  },
  'personal/calendar/delete': {
    does: "Stops the address of the caller's calendar.",
    who: 'employee',
    writes: true,
    input: nothing,
    output: done,
  },
} as const satisfies Declarations
