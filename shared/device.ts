import * as z from 'zod'
import type { Audited } from './change.ts'
import { at, type Declarations, day, done, gridInput, gridOutput, id, text, timezone, version } from './contract.ts'
import { fingerSigns } from './credential.ts'
import type { Quiet } from './quiet.ts'
import type { RefusedDelivery } from './refused-delivery.ts'
import type { Key } from './table.ts'
import { localTimeAt } from './terminal/clock.ts'
import { commandPaths } from './terminal/command.ts'
import { means, profileNames } from './terminal/profile.ts'
import { serialNumber } from './terminal/serial-number.ts'
import { deviceUserPaths, type Tally } from './terminal/user.ts'

/**
 * What a terminal must bring besides its claimed serial number, which alone is a name and no proof: nothing, the secret in
 * the path it connects to, or the company number and communication password in its registration.
 */
export const authentications = ['claim', 'claim+path', 'claim+password'] as const
export type Authentication = (typeof authentications)[number]

/** `claimed` waits for its terminal; `needs approval` saw other hardware than it is bound to, and takes nothing from that until approved. */
export const deviceStates = ['claimed', 'bound', 'needs approval'] as const

/** As a list is narrowed by them: of those that are bound it matters whether they are there. */
export const shownStates = ['online', 'offline', 'claimed', 'needs approval'] as const

/** The highest `voice`, and how many `language` numbers there are: 0 en, 1 fe, 2 es, 3 ru, 4 pt. */
const loudest = 5
const languages = 5

/** How a terminal talks: by the websocket and JSON, or by HTTP and lines of text. */
export const protocols = ['ai-face', 'adms'] as const
export type Protocol = (typeof protocols)[number]

/** A clock that is further off than this is worth a look. */
export const mostDriftSeconds = 60
export const isClockWrong = (driftSeconds = 0): boolean => Math.abs(driftSeconds) > mostDriftSeconds

/** What somebody brought wrong who came by a terminal's serial number; of `tries` there were so many that the last was not looked at. */
export const refusals = ['password', 'path', 'tries'] as const

/** What somebody ought to know about a terminal. */
export const warnings = ['unproven', 'clock', 'recovered', 'owed', 'settings', 'otherHardware'] as const
export type Warning = (typeof warnings)[number]

/** What came by a terminal's serial number, as far as it told. */
export interface Hardware {
  ip: string
  protocol: Protocol
  cpusn?: string | undefined
  mac?: string | undefined
  model?: string | undefined
  firmware?: string | undefined
}

/** Hardware that came in place of what a terminal is bound to. */
export interface Pending extends Hardware {
  at: string
}

export interface Device {
  serialNumber: string
  name: string
  department: string
  /** Where the terminal's clock is another than the company's. */
  timezone?: string
  voice: number
  language: number
  authentication: Authentication
  /** SHA-256 of the secret in the path. */
  pathSecretHash?: string
  /** Counts the changes people made. Terminals change the item too, and their doing must not refuse a person's save. */
  edition: number
  registeredAt: string
  /** From when the claim is open. */
  claimedAt: string
  /** From when its records are asked for, where that is before the claim: other hardware keeps what is punched until it is approved. */
  recordsFrom?: string
  state: (typeof deviceStates)[number]
  /** The hardware it was first bound to, or is to be where somebody has seen it. */
  cpusn?: string
  mac?: string
  model?: string
  firmware?: string
  firstOnlineAt?: string
  /** Written about once a minute. */
  lastSeenAt?: string
  /** When the terminal last said that it has nothing left to deliver. */
  uploadedAt?: string
  /**
   * Local date. Set while it is asked for what it had not delivered. It gives a page of that once, so where this is still set
   * when it registers again, a page may be lost: it is then asked for all its records from this day on.
   */
  reconcileFrom?: string
  /** When a page was lost for certain: only all records since `reconcileFrom`, asked for after this, bring it back. */
  pageLostAt?: string
  /** When all its records were asked for last by itself, and how often since it last told all: who never does is asked by the hour. */
  allAsked?: { at: string; times: number }
  /** It was not there for so long that this was told; a line that was cut for a moment is nothing to tell. */
  isSilent?: true
  /** Its open connection, if any, and how often it has registered: an older generation's socket gets no commands. */
  connection?: string
  generation: number
  /** What the terminal says it holds. */
  users?: number
  templates?: number
  faces?: number
  records?: number
  unsent?: number
  /**
   * From where its figures go on between two registrations: since when, up to which receipt its records are counted, how many of those
   * it counted itself were still to come, and, before it told or was told anything of people, of whom and what it was known to hold.
   */
  counted?: { since: string; upTo: string; unsent: number; held?: Tally }
  /** Where it has gone since: when it was last told, or told, anything of people that is not counted yet. */
  wroteAt?: string | undefined
  /** The last instant given to a record of a repeated hour: the next one there is not earlier. */
  repeatedHourAt?: string
  /** None before it has registered. */
  protocol?: Protocol
  profile?: string
  /** How it writes down a finger; another make cannot read it. */
  fingerAlgorithm?: string
  /** Where it registered from last. */
  ip?: string
  /** By how much its clock was ahead of ours when it last told. */
  driftSeconds?: number
  /** The zone it was last told to show, where it is told by HTTP: until it has asked again its records are of that one. */
  clockZone?: string
  /** What it last confirmed to have been set to, as JSON. */
  settings?: string
  /** Local date of the last look whether it delivered everything. */
  reconciledOn?: string
  /** Records that were found by that look alone, and when: it had said that there were none left. */
  recovered?: { count: number; at: string }
  /** What registered in its place with other hardware, and waits for somebody to say that this is right. */
  pending?: Pending
  /** Whatever it was sent before this instant it may not hold any more: it was emptied, replaced, or somebody says so. */
  emptiedAt?: string
  /** When it forgot everything, or other hardware took its place: what had been taken there alone is gone since. */
  resetAt?: string
  /**
   * When it had said for the first time whom it holds: what it tells of people until then may be anybody's. Where that was not all, or it
   * would not say so, neither is it known of what it lists later whether that is new, until a list of it is whole.
   */
  listed?: { at: string; isPartial?: true }
  /** Of one that comes by HTTP, until then: since when it went on asking and delivered nothing, from its first handshake on. */
  quiet?: Quiet | undefined
  /** When other hardware was let in its place; what was asked of the one before it is not meant for that. */
  replacedAt?: string
  /**
   * When it was last refused for what it brought, written at most once a minute; `until` nothing of the kind is looked at. `bare` is what
   * came first of all, and brought nothing: its firmware may take no path, and somebody may let it in.
   */
  refused?: { at: string; reason: (typeof refusals)[number]; until?: string; bare?: Hardware }
  /** What somebody would not have in its place; it is not asked for again within a day. */
  denied?: Pending
  /** What the server refused and the terminal has not delivered again: no reset erases it. */
  refusedDeliveries?: RefusedDelivery[] | undefined
}

/** Of a terminal is told what people decide. */
const audited: Audited<Device> = {
  noun: 'device',
  id: ({ serialNumber }) => serialNumber,
  name: ({ name }) => name,
}

export const deviceKey = (serialNumber: string): Key<Device> => ({ pk: 'DEVICE', sk: serialNumber, audited })

/** How often a terminal that is there is asked for what it has not delivered. */
export const pollMinutes = 5

/** Whether the clocks of a zone were set forward or back within some minutes. */
export const isClockMoved = (zone: string, now: number, minutes: number): boolean => {
  const shown = (at: number) => Date.parse(`${localTimeAt(zone, at)}Z`)
  return shown(now) - shown(now - minutes * 60_000) !== minutes * 60_000
}

const form = {
  name: text(100),
  department: id,
  timezone: timezone.optional(),
  voice: z.int().min(0).max(loudest).default(3),
  language: z
    .int()
    .min(0)
    .max(languages - 1)
    .default(0),
  authentication: z.enum(authentications).default('claim+path'),
}

const count = z.int().min(0).optional()

export const hardware = z.object({
  ...{ ip: z.string(), model: z.string().optional(), firmware: z.string().optional() },
  ...{ cpusn: z.string().optional(), mac: z.string().optional() },
})

const stored = z.object({
  serialNumber: z.string(),
  ...form,
  state: z.enum(deviceStates),
  online: z.boolean(),
  model: z.string().optional(),
  firmware: z.string().optional(),
  cpusn: z.string().optional().describe('the hardware it is bound to'),
  mac: z.string().optional(),
  registeredAt: at,
  firstOnlineAt: at.optional(),
  lastSeenAt: at.optional(),
  /** Until when a terminal may take up the claim; absent once one has. */
  claimEndsAt: at.optional(),
  users: count,
  templates: count,
  faces: count,
  records: count,
  unsent: count,
  protocol: z.enum(protocols).optional(),
  profile: z.enum(profileNames).optional(),
  ip: z.string().optional().describe('where it registered from last'),
  driftSeconds: z.int().optional().describe('by how much its clock was ahead when it was last seen to be'),
  recovered: z
    .object({ count: z.int(), at })
    .optional()
    .describe('records it had kept back though it said that there were none left'),
  refusedDeliveries: z
    .int()
    .describe(
      'how many deliveries the server refused and the terminal has not delivered again: a reset waits for them',
    ),
  pending: hardware
    .extend({ at })
    .optional()
    .describe('other hardware that registered by its serial number and waits to be approved'),
  warnings: z.array(z.enum(warnings)),
  version,
})

const serverPath = z
  .string()
  .describe('what to enter as the server path on the terminal; its secret is shown this once')

const quarantinedId = z.string().min(1).max(120)

/** What a terminal can be told to register of a person. */
export const enrolledKinds = ['finger', 'face', 'card', 'palm'] as const
export type EnrolledKind = (typeof enrolledKinds)[number]

const ofOne = z.strictObject({ serialNumber })
const queued = z.object({ command: id })

export const devicePaths = {
  'device/grid': {
    does: 'Lists terminals of the departments the caller manages, with their content and whether they are online.',
    who: [2],
    input: gridInput(
      z.strictObject({
        ...{ department: id.optional(), search: z.string().trim().max(100).optional() },
        ...{ state: z.enum(shownStates).optional(), warned: z.literal(true).optional() },
      }),
      ['name', 'serialNumber', 'lastSeenAt'],
    ),
    output: gridOutput(stored),
  },
  'device/get': {
    does: 'Returns one terminal.',
    who: [2],
    input: z.strictObject({ serialNumber }),
    output: stored.extend({
      storesTemplates: z.boolean().describe('fingers are kept by the company, and not on this terminal only'),
      hasPassword: z.boolean().describe('the company has set its cloud password'),
      refused: z
        .object({
          ...{ at, reason: z.enum(refusals), until: at.optional().describe('from when the next try is looked at') },
          bare: hardware.optional().describe('what came before it was ever let in and brought no secret at all'),
        })
        .optional()
        .describe('when something came by its serial number last, and with what that was wrong'),
    }),
  },
  'device/add': {
    does: 'Claims a terminal by its serial number for 24 hours and returns its connection settings.',
    who: [2],
    writes: true,
    answersSecret: true,
    input: z.strictObject({ serialNumber, ...form }),
    output: z.object({ serialNumber: z.string(), serverPath }),
  },
  'device/update': {
    does: 'Updates a terminal; omitted fields are removed or reset.',
    who: [2],
    writes: true,
    input: z.strictObject({ serialNumber, version, ...form }),
    output: done,
  },
  'device/secret': {
    does: 'Creates a new secret server path for a terminal; the old one stops working.',
    who: [2],
    writes: true,
    answersSecret: true,
    input: z.strictObject({ serialNumber }),
    output: z.object({ serverPath }),
  },
  'device/approve': {
    does: 'Lets in the other hardware that was shown as waiting, and no other; or refuses it, and does not ask again for a day. Where that named no hardware, or the time to connect is over, opens the claim for another 24 hours. What was shown as having come without a secret (`refused`) is let in by its serial number alone.',
    who: [2],
    writes: true,
    input: z.strictObject({
      serialNumber,
      isApproved: z.boolean().default(true),
      pendingAt: at.optional().describe('of what was shown; where something else waits by now, nothing is done'),
    }),
    output: done,
  },
  'device/quarantine': {
    does: 'Lists the unreadable messages of all terminals or of one, unchanged.',
    who: [2],
    input: gridInput(z.strictObject({ serialNumber: serialNumber.optional() })),
    output: gridOutput(
      z.object({
        id: quarantinedId,
        serialNumber: z.string(),
        deviceName: z.string().optional(),
        reason: z.string(),
        raw: z.string().describe('JSON, or the text of a frame that was none; without pictures'),
        receivedAt: at,
      }),
    ),
  },
  'device/quarantine/replay': {
    does: 'Retries an unreadable message; if it can be read now, it becomes a normal punch.',
    who: [2],
    writes: true,
    input: z.strictObject({ id: quarantinedId }),
    output: z.object({ filed: z.int(), left: z.int() }),
  },
  'device/quarantine/delete': {
    does: 'Discards unreadable messages: one, or all of a terminal.',
    who: [2],
    writes: true,
    input: z.strictObject({ id: quarantinedId.optional(), serialNumber: serialNumber.optional() }),
    output: done,
  },
  ...commandPaths,
  ...deviceUserPaths,
  'device/open': {
    does: 'Opens the door of a terminal once, if it is online within a minute.',
    who: [2],
    writes: true,
    input: z.strictObject({ serialNumber, door: z.int().min(1).max(4).optional() }),
    output: queued,
  },
  'device/reboot': {
    does: 'Restarts a terminal once, if it is online within a minute.',
    who: [2],
    writes: true,
    input: ofOne,
    output: queued,
  },
  'device/poll': {
    does: 'Requests the undelivered records of a terminal.',
    who: [2],
    writes: true,
    input: ofOne,
    output: queued,
  },
  'device/reconcile': {
    does: 'Re-reads all records of a terminal since a day; duplicates are ignored.',
    who: [2],
    writes: true,
    input: z.strictObject({ serialNumber, from: day }),
    output: queued,
  },
  'device/sync': {
    does: 'Syncs all employees of a terminal again.',
    who: [2],
    writes: true,
    input: ofOne,
    output: done,
  },
  'device/enroll': {
    does: 'Starts the enrolment of a finger, a face, a card or a palm at a terminal, within a minute, for an employee assigned to it.',
    who: [2],
    writes: true,
    input: z.strictObject({
      serialNumber,
      employee: id,
      kind: z.enum(enrolledKinds),
      sign: z.literal(fingerSigns).default(0).describe('0 fingerprint 1, 1 fingerprint 2'),
    }),
    output: queued,
  },
  'device/reset': {
    does: 'Resets a terminal: it delivers everything and then, within half an hour, erases all users and records; if it cannot deliver everything, it erases nothing unless forced.',
    who: [2],
    writes: true,
    input: z.strictObject({ serialNumber, isForced: z.boolean().default(false) }),
    output: queued,
  },
  'device/log/grid': {
    does: 'Lists the records of a terminal in the last 30 days, newest first. Those of unknown IDs are included, so a page can be longer.',
    who: [2],
    input: gridInput(z.strictObject({ serialNumber })),
    output: gridOutput(
      z.object({
        employee: id.optional().describe('none where the number is nobody’s'),
        ...{ first_name: z.string(), last_name: z.string(), workno: z.string() },
        at,
        timezone,
        means: z.enum(means).optional(),
        ...{ mode: z.int().optional(), verifymode: z.int().optional() },
        temperature: z.number().optional().describe('degrees Celsius'),
        isHigh: z.boolean().optional(),
        mask: z.boolean().optional(),
      }),
    ),
  },
  'device/delete': {
    does: 'Removes a terminal: it is disconnected and its serial number becomes available. Its punches stay.',
    who: [2],
    writes: true,
    input: z.strictObject({ serialNumber }),
    output: done,
  },
} as const satisfies Declarations
