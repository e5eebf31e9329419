import * as z from 'zod'
import type { Change } from './change.ts'
import { type Declarations, done, id, nothing, text, timezone } from './contract.ts'
import type { Key } from './table.ts'

/** The five measures of a report, in the specification's order; the display unit of each is 0 minutes or 1 hours. */
export const measures = ['work', 'overtime', 'late', 'early', 'absence'] as const

export interface Company {
  id: string
  name: string
  company_num: string
  timezone: string
  dateformat_id: number
  timeformat_id: number
  timeUnit: number[]
  /** The cloud password terminals may give, sealed. */
  comm_pwd?: string
  /** In how many parts the day index is kept: 1 up to 5,000 employees. */
  dayShards: number
  /** Whether fingers and faces may be kept here; without it terminals alone know them. */
  storesTemplates?: boolean
  /** For how long the figures of who left are kept; without it `defaultRetentionMonths`. */
  retentionMonths?: number
  createdAt: string
}

/**
 * Four years: the longest time working hours must be kept by law where our languages are spoken (Spain, art. 34.9 of the
 * workers' statute). A company that may keep them for less says so; what was deleted too early nobody can bring back.
 */
export const defaultRetentionMonths = 48

export const companyKey = (): Key<Company> => ({ pk: 'COMPANY', sk: '-' })
/** Global: which company a number belongs to. */
export const companyNumberKey = (number: string): Key<{ company: string }> => ({
  pk: `COMPANY_NUMBER#${number}`,
  sk: '-',
})
/** Global: the companies of one zone, for the job that closes their day. */
export const zoneKey = (zone: string, company: string): Key<{ company: string }> => ({
  pk: `ZONE#${zone}`,
  sk: company,
})

/** Global: the zones that have companies. */
export const zonesKey = (zone: string): Key<{ zone: string }> => ({ pk: 'ZONE', sk: zone })

export const dateFormats = { 1: 'MM/DD/YYYY', 2: 'DD/MM/YYYY', 3: 'YYYY-MM-DD' } as const
export const timeFormats = { 1: 'hh:mm A', 2: 'HH:mm' } as const
export const dateFormatOf = (id: number) => dateFormats[id as keyof typeof dateFormats] ?? dateFormats[3]
export const timeFormatOf = (id: number) => timeFormats[id as keyof typeof timeFormats] ?? timeFormats[2]

export const companyFacts = ({ company }: Change<Company>) => [{ type: 'company.changed' as const, company }]

const member = z.object({ id, name: z.string(), company_num: z.string() })

export const companyPaths = {
  'company/add': {
    does: 'Registers a further company with the signed-in person as its owner, and moves there: a new token, the old one ends.',
    who: 'manager',
    writes: true,
    answersSecret: true,
    input: z.strictObject({ company_name: text(100), timezone }),
    output: z.object({ token: z.string(), company_id: id }),
  },
  'company/get': {
    does: 'Tells the settings of the company one is signed in to.',
    who: 'manager',
    input: nothing,
    output: z.object({
      id,
      name: text(100),
      company_num: z.string(),
      timezone,
      dateformat_id: z.int(),
      timeformat_id: z.int(),
    }),
  },
  'company/list': {
    does: 'Lists the companies the signed-in person may manage.',
    who: 'manager',
    input: nothing,
    output: z.object({ list: z.array(member) }),
  },
  'company/password': {
    does: 'Sets the cloud password terminals give together with the company number.',
    who: 'administrator',
    writes: true,
    input: z.strictObject({
      comm_pwd: z
        .string({ error: issue => (issue.input === undefined ? '60001' : '59001') })
        .regex(/^\d{4,8}$/, '59001')
        .describe('4 to 8 digits'),
    }),
    output: done,
  },
  'company/select': {
    does: 'Moves to another company of the signed-in person: a new token, the old one ends.',
    who: 'manager',
    input: z.strictObject({ id }),
    output: z.object({ token: z.string() }),
  },
} as const satisfies Declarations
