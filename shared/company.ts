import * as z from 'zod'
import type { Audited, Change } from './change.ts'
import { clockTime, type Declarations, day, done, id, nothing, text, timezone, version } from './contract.ts'
import { imageTypes } from './image.ts'
import type { LeaveRule } from './leave/rule.ts'
import { place } from './location.ts'
import { lastStart, type PayPeriod, payIntervals } from './pay-period.ts'
import { type BrowserPunch, companyPunchPaths } from './personal/browser-punch.ts'
import { type CorrectionRule, companyCorrectionPaths } from './record/rule.ts'
import type { FormerRules, RuleParameters } from './rule.ts'
import { companySamplePaths } from './sample.ts'
import { companySchedulePaths } from './schedule/rule.ts'
import type { Key } from './table.ts'
import { begun } from './task.ts'
import type { AccountRule } from './time-account.ts'

export interface Company {
  id: string
  name: string
  company_num: string
  timezone: string
  address?: string
  country?: string
  state?: string
  city?: string
  industry_id?: number
  size_id?: number
  dateformat_id: number
  timeformat_id: number
  /** The order of names. Absent means given name first. */
  nameformat_id?: number
  timeUnit: number[]
  /** Shows figures in minutes as hours and minutes, such as `7:30`. Absent means as minutes. */
  minutesAs?: 'clock'
  /**
   * The rounding mode of each measure, in the order of `timeUnit` (`shared/measure.ts`): 0 down, 1 up, 2 nearest.
   * `minimumUnit` holds the unit in minutes. Without these fields reports do not round.
   */
  rounding?: number[]
  minimumUnit?: number[]
  /** The upload id of the logo, which changes with every new logo. Absent without a logo. */
  logo?: string
  /** Whether the company stores fingerprint and face templates. Off by default. */
  storesTemplates?: boolean
  /** How many months the server keeps the figures of former employees. Absent means `defaultRetentionMonths`. */
  retentionMonths?: number
  /** The attendance parameters. Absent means the engine's defaults. */
  parameters?: RuleParameters
  /** The zone and parameters of the days before each change, oldest first. */
  formerRules?: FormerRules[]
  /** Whether the company has hour sets (shared/hours.ts). Absent: no set has ever existed, so nobody reads any. */
  hasHours?: true
  /** Whether a department has or had a zone of its own. */
  hasZones?: true
  /** Whether changes of rows leave notes, because a program has asked for changes. Absent: never asked. */
  notesRowChanges?: true
  /** Differences from the catalogue's leave types. */
  leaveTypes?: LeaveType[]
  /** The leave allowance by type. A type without a rule has no limit. */
  leaveRules?: LeaveRule[]
  /** The first month of a leave year. Absent means January. */
  leaveYearMonth?: number
  /** The rule for time accounts; absent means `defaultAccountRule`. */
  timeAccount?: AccountRule
  /** The request types with two-step approval, as the numbers of `requestTypes`. */
  secondStep?: (1 | 2 | 3)[]
  /**
   * The employees who may punch in the browser, and the allowed locations. Absent means that browser punches are off.
   */
  browserPunch?: BrowserPunch
  /** The rule for corrections by managers; absent means `defaultCorrectionRule`. */
  correctionRule?: CorrectionRule
  /** The days to object to a correction; absent means `defaultObjectionDays`. */
  objectionDays?: number
  /** How many working days back a correction may reach; absent means unlimited. */
  correctionReachDays?: number
  /** Whether the planning board writes to a draft. Off by default. */
  draftsSchedule?: boolean
  /** Temperature and mask settings; absent means `defaultPrevention`. */
  prevention?: Prevention
  /** The cloud password that terminals may send, encrypted. */
  comm_pwd?: string
  /** The periods by which the company pays; absent means calendar months. */
  payPeriod?: PayPeriod
  /** Days up to and including this one are locked after payment, so their rows do not change. */
  lockedTo?: string
  lockedBy?: string
  lockedAt?: string
  /** The number of parts of the day index by first day, oldest first. Absent means one part. */
  dayParts?: DayParts[]
  /** An administrator has hidden the first steps on the dashboard. */
  areStepsHidden?: true
  /** Employees see which colleagues of their departments are on leave. Off by default. */
  showsColleaguesAway?: true
  createdAt: string
}

export interface DayParts {
  from: string
  parts: number
}

/** Above this number of people per part, summaries become slow. The company then gets more parts. */
export const mostPeopleOfPart = 500

/**
 * The number of index parts for a day's rows. The number never changes for a day with rows, because rows cannot move.
 */
export const partsOn = ({ dayParts = [] }: Pick<Company, 'dayParts'>, day: string): number =>
  dayParts.findLast(({ from }) => from <= day)?.parts ?? 1

/**
 * Five years. The law in the countries of our languages requires companies to keep working hours for up to four years.
 * An example is Spain, art. 34.9 of the workers' statute. A claim may arrive at the end of that time. A company with a
 * shorter legal period sets fewer months. Deleted figures are lost.
 */
export const defaultRetentionMonths = 60

const audited: Audited<Company> = {
  noun: 'company',
  id: ({ id }) => id,
  name: ({ name }) => name,
}

export const companyKey = (): Key<Company> => ({ pk: 'COMPANY', sk: '-', audited })
/** Global: the company of a company number. */
export const companyNumberKey = (number: string): Key<{ company: string }> => ({
  pk: `COMPANY_NUMBER#${number}`,
  sk: '-',
})
/** Global: the companies of one zone, for the job that closes their days. */
export const zoneKey = (zone: string, company: string): Key<{ company: string }> => ({
  pk: `ZONE#${zone}`,
  sk: company,
})

/** Global: the zones that have companies. */
export const zonesKey = (zone: string): Key<{ zone: string }> => ({ pk: 'ZONE', sk: zone })

export const nameFormats = { givenFirst: 1, familyFirst: 2 } as const
export const dateFormats = { 1: 'MM/DD/YYYY', 2: 'DD/MM/YYYY', 3: 'YYYY-MM-DD' } as const
export const timeFormats = { 1: 'hh:mm A', 2: 'HH:mm' } as const
export const dateFormatOf = (id: number) => dateFormats[id as keyof typeof dateFormats] ?? dateFormats[3]
export const timeFormatOf = (id: number) => timeFormats[id as keyof typeof timeFormats] ?? timeFormats[2]

/** The 24 industries and "other". Stored ids never change, and the site translates the names. */
export const industries = {
  1: 'Advertising',
  2: 'Agriculture',
  3: 'Automotive',
  4: 'Banking and finance',
  5: 'Chemicals',
  6: 'Construction',
  7: 'Consulting',
  8: 'Education',
  9: 'Electronics',
  10: 'Energy and utilities',
  11: 'Entertainment and media',
  12: 'Food and beverage',
  13: 'Government',
  14: 'Health care',
  15: 'Hospitality and tourism',
  16: 'Information technology',
  17: 'Insurance',
  18: 'Logistics',
  19: 'Manufacturing',
  20: 'Non-profit',
  21: 'Real estate',
  22: 'Retail',
  23: 'Telecommunications',
  24: 'Transportation',
  25: 'Other',
} as const

/** Company sizes in employees, both ends included. The last size has no upper end. */
export const sizes = [
  { id: 1, from: 1, to: 10 },
  { id: 2, from: 11, to: 50 },
  { id: 3, from: 51, to: 200 },
  { id: 4, from: 201, to: 500 },
  { id: 5, from: 501, to: 1000 },
  { id: 6, from: 1001, to: 5000 },
  { id: 7, from: 5001, to: 10_000 },
  { id: 8, from: 10_001 },
] as const

/** The catalogue's leave types. A company switches each type on or off and sets whether it is paid. */
export const leaveTypes = {
  1: { name: 'vacation', isPaid: true },
  2: { name: 'sick', isPaid: true },
  3: { name: 'annual', isPaid: true },
  4: { name: 'sabbatical', isPaid: false },
  5: { name: 'parental', isPaid: false },
  6: { name: 'marriage', isPaid: true },
  7: { name: 'bereavement', isPaid: true },
  8: { name: 'paternity', isPaid: true },
  9: { name: 'maternity', isPaid: true },
  10: { name: 'other', isPaid: false },
} as const

export interface LeaveType {
  id: number
  isOn: boolean
  isPaid: boolean
  /** Whether leave of this type takes its hours from the time account. Off by default. */
  fromAccount?: boolean
}

/** All leave types with the company's own settings. Each type is on by default. */
export const leaveTypesOf = ({ leaveTypes: own = [] }: Pick<Company, 'leaveTypes'>) =>
  Object.entries(leaveTypes).map(([key, { name, isPaid }]) => {
    const id = Number(key)
    return { id, name, isOn: true, isPaid, ...own.find(type => type.id === id) }
  })

/**
 * The fields have the names and numbers of the terminals. A threshold is in the chosen unit, to a tenth of a degree.
 */
export const preventionUnit = {
  temp_unit: z.literal([0, 1]).describe('0 Celsius, 1 Fahrenheit'),
  fever_threshold: z.number().min(34).max(107.6).multipleOf(0.1).describe('34.0–42.0 °C or 93.2–107.6 °F'),
}
const preventionForm = {
  mask_detection: z.literal([0, 1, 2]).describe('0 off, 1 alert only, 2 access control'),
  mask_alarm: z.literal([0, 1]).describe('0 off, 1 on'),
  work_mode: z.literal([0, 1, 2]).describe('temperature detection: 0 disabled, 1 normal, 2 visitor'),
  relay_output: z.literal([0, 1]).describe('0 door access control, 1 siren at fever'),
  ...preventionUnit,
  fever_alarm: z.literal([0, 1]).describe('0 off, 1 on'),
  temp_opendoor: z.literal([0, 1]).describe('opens only without fever: 0 off, 1 on'),
  temp_access: z.literal([0, 1]).describe('opens also for implausibly low temperatures: 0 off, 1 on'),
}
const prevention = z.strictObject(preventionForm)
export type Prevention = z.output<typeof prevention>

export const defaultPrevention: Prevention = {
  mask_detection: 0,
  mask_alarm: 0,
  work_mode: 0,
  relay_output: 0,
  temp_unit: 0,
  fever_threshold: 37.3,
  fever_alarm: 0,
  temp_opendoor: 0,
  temp_access: 0,
}

/** The lowest and the highest threshold by `temp_unit`. */
export const feverBounds = { 0: [34, 42], 1: [93.2, 107.6] } as const

/** A company has one logo file, so a new logo replaces the old logo. */
export const logoKey = 'logo'
export const logoUploadKey = (upload: string) => `upload/logo/${upload}`
/** The largest width and height of a logo. The recommended size is 120 by 120 pixels. */
export const mostLogoPixels = 2048
export const mostLogoBytes = 2_097_152

/** Whether a day is locked. */
export const isLocked = ({ lockedTo }: Pick<Company, 'lockedTo'>, day: string): boolean =>
  lockedTo !== undefined && day <= lockedTo

export const companyFacts = ({ company, old, new: next }: Change<Company>) => [
  { type: 'company.changed' as const, company },
  ...(old && next && old.timezone !== next.timezone ? [{ type: 'zone.changed' as const, company }] : []),
  ...(old && next && JSON.stringify(old.prevention) !== JSON.stringify(next.prevention)
    ? [{ type: 'prevention.changed' as const, company }]
    : []),
]

const particulars = {
  name: text(100),
  address: text(200).optional(),
  ...place,
  industry_id: z.int().min(1).max(Object.keys(industries).length).optional(),
  size_id: z.int().min(1).max(sizes.length).optional(),
  storesTemplates: z.boolean(),
  retentionMonths: z.int().min(6).max(360),
}

const time = {
  timezone,
  dateformat_id: z.literal([1, 2, 3]).describe('1 MM/DD/YYYY, 2 DD/MM/YYYY, 3 YYYY-MM-DD'),
  timeformat_id: z.literal([1, 2]).describe('1 12-hour, 2 24-hour'),
  nameformat_id: z.literal([1, 2]).optional().describe('1 given name first, 2 family name first; unchanged if omitted'),
  splitTime: clockTime.describe('start of the day for work without a shift, HH:MM'),
  firstWeekday: z.int().min(0).max(6).describe('0 Sunday … 6 Saturday'),
}

export const payPeriod = z
  .strictObject({ every: z.enum(payIntervals), from: day })
  .refine(({ every, from }) => Number(from.slice(8)) <= lastStart[every], { path: ['from'], error: '10002' })
  .describe('`from` begins a period; by the month it is at most the 28th, by half a month at most the 13th')

const leaveType = {
  id: z.int().min(1).max(Object.keys(leaveTypes).length),
  isOn: z.boolean(),
  isPaid: z.boolean(),
  fromAccount: z
    .boolean()
    .optional()
    .describe('whether leave of this type takes its hours from the time account; off if omitted'),
}

const timeChange = z.strictObject({
  version,
  ...time,
  payPeriod: payPeriod.optional(),
  leaveTypes: z
    .array(z.strictObject(leaveType))
    .max(Object.keys(leaveTypes).length)
    .superRefine((types, { addIssue }) => {
      const duplicate = types.findIndex(({ id }, at) => types.findIndex(type => type.id === id) < at)
      if (duplicate >= 0) addIssue({ code: 'custom', path: [duplicate, 'id'], message: '10002' })
    })
    .optional()
    .describe('fields to change'),
  from: day
    .optional()
    .describe(
      'effective date of a new time zone, start of the day or start of the week: today if omitted, at most ten years back',
    ),
})

const comm_pwd = z
  .string({ error: issue => (issue.input === undefined ? '60001' : '59001') })
  .min(1, '60001')
  .regex(/^\d*$/, '59001')
  .regex(/^\d{4,8}$/, '10002')
  .describe('4 to 8 digits')

const member = z.object({ id, name: z.string(), company_num: z.string() })

export const companyPaths = {
  'company/add': {
    does: 'Registers another company with the caller as its owner, and switches to it. Returns a new token and revokes the old one.',
    who: 'manager',
    writes: true,
    answersSecret: true,
    input: z.strictObject({ company_name: text(100), timezone }),
    output: z.object({ token: z.string(), company_id: id }),
  },
  'company/get': {
    does: 'Returns the settings of the current company.',
    who: 'manager',
    input: nothing,
    output: z.object({
      id,
      company_num: z.string(),
      ...particulars,
      ...time,
      dateformat_id: z.int(),
      timeformat_id: z.int(),
      nameformat_id: z.int(),
      payPeriod,
      leaveTypes: z.array(z.object({ ...leaveType, name: z.string() })),
      logo: z.url().optional().describe('Address of the logo, valid for half an hour.'),
      hasPassword: z.boolean().describe('whether a cloud password is set'),
      areStepsHidden: z.boolean().describe('whether an administrator has hidden the first steps on the dashboard'),
      version,
    }),
  },
  'company/update': {
    does: "Updates the company's details; omitted fields are removed.",
    who: 'administrator',
    writes: true,
    input: z.strictObject({ version, ...particulars }),
    output: done,
  },
  'company/time/update': {
    does: 'Updates time zone, formats, start of the day and of the week, and leave types. If days change, a task recalculates them, except locked ones. If the name order changes, the task renames everybody first.',
    who: 'administrator',
    writes: true,
    input: timeChange,
    output: z.object({ task: id.optional().describe('absent if no day and no name changes') }),
  },
  'company/time/preview': {
    does: 'Starts a task that previews a change of time zone, start of the day or start of the week, without saving.',
    who: 'administrator',
    writes: true,
    input: timeChange,
    output: begun,
  },
  'company/prevention': {
    does: 'Returns the temperature and mask settings of the terminals.',
    who: 'administrator',
    input: nothing,
    output: z.object({ ...preventionForm, version }),
  },
  'company/prevention/update': {
    does: 'Updates the temperature and mask settings of the terminals.',
    who: 'administrator',
    writes: true,
    input: z.strictObject({ version, ...preventionForm }),
    output: done,
  },
  ...companyPunchPaths,
  ...companyCorrectionPaths,
  ...companySamplePaths,
  ...companySchedulePaths,
  'company/industry_list': {
    does: 'Lists the industries of companies.',
    who: 'manager',
    input: nothing,
    output: z.object({ list: z.array(z.object({ id: z.int(), name: z.string() })) }),
  },
  'company/size_list': {
    does: 'Lists the company sizes, in employees.',
    who: 'manager',
    input: nothing,
    output: z.object({
      list: z.array(z.object({ id: z.int(), name: z.string(), from: z.int(), to: z.int().optional() })),
    }),
  },
  'company/logo': {
    does: 'Returns a form for uploading a logo within five minutes: POST its fields in order, then the `file`, of up to 2 MB; 120 by 120 pixels recommended.',
    who: 'administrator',
    input: z.strictObject({ type: z.enum(imageTypes) }),
    output: z.object({ upload: id, url: z.url(), fields: z.record(z.string(), z.string()) }),
  },
  'company/logo/save': {
    does: 'Stores the uploaded file as the logo, without metadata; rejects files other than JPEG or PNG (10002) and pictures above 2048 by 2048 pixels (60002).',
    who: 'administrator',
    writes: true,
    input: z.strictObject({ upload: id }),
    output: z.object({ version }),
  },
  'company/logo/delete': {
    does: 'Deletes the logo.',
    who: 'administrator',
    writes: true,
    input: nothing,
    output: z.object({ version }),
  },
  'company/list': {
    does: 'Lists the companies the caller manages.',
    who: 'manager',
    isPersonal: true,
    input: nothing,
    output: z.object({ list: z.array(member) }),
  },
  'company/password': {
    does: 'Sets the cloud password that terminals send with the company number.',
    who: 'administrator',
    writes: true,
    input: z.strictObject({ comm_pwd }),
    output: done,
  },
  'company/password/get': {
    does: 'Returns the cloud password for entering it at a terminal; the audit log records the reading.',
    who: 'administrator',
    input: nothing,
    output: z.object({ comm_pwd: z.string().optional().describe('absent without a password') }),
  },
  'company/select': {
    does: 'Switches to another company of the caller. Returns a new token and revokes the old one.',
    who: 'manager',
    isPersonal: true,
    input: z.strictObject({ id }),
    output: z.object({ token: z.string() }),
  },
} as const satisfies Declarations
