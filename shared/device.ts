import * as z from 'zod'
import { at, type Declarations, day, done, gridInput, gridOutput, id, text, timezone, version } from './contract.ts'
import { fingerSigns } from './credential.ts'
import { deviceNumberPaths } from './device/number.ts'
import type { Quiet } from './quiet.ts'
import type { RefusedDelivery } from './refused-delivery.ts'
import { localTimeAt } from './terminal/clock.ts'
import { commandPaths } from './terminal/command.ts'
import { means, profileNames } from './terminal/profile.ts'
import { serialNumber } from './terminal/serial-number.ts'
import { deviceUserPaths, type Tally } from './terminal/user.ts'

/**
 * The proof that a terminal must send besides its serial number. `claim` needs no proof. `claim+path` needs the secret
 * in the path. `claim+password` needs the company number and the communication password in the registration.
 */
export const authentications = ['claim', 'claim+path', 'claim+password'] as const
export type Authentication = (typeof authentications)[number]

/**
 * `claimed` waits for its terminal. In `needs approval`, other hardware than the bound one has connected. The server
 * accepts nothing from that hardware until a manager approves it.
 */
export const deviceStates = ['claimed', 'bound', 'needs approval'] as const

/** The states as filters of a list. A bound terminal is online or offline. */
export const shownStates = ['online', 'offline', 'claimed', 'needs approval'] as const

/** The highest `voice`, and the number of `language` values: 0 en, 1 fe, 2 es, 3 ru, 4 pt. */
const loudest = 5
const languages = 5

/** The protocols of terminals: JSON over websocket, or lines of text over HTTP. */
export const protocols = ['ai-face', 'adms'] as const
export type Protocol = (typeof protocols)[number]

/** A larger clock drift raises a warning. */
export const mostDriftSeconds = 60
export const isClockWrong = (driftSeconds = 0): boolean => Math.abs(driftSeconds) > mostDriftSeconds

/**
 * Why the server refused a connection with a terminal's serial number. `tries` means too many tries; the server did not
 * check the last one.
 */
export const refusals = ['password', 'path', 'tries'] as const

/** Warnings about a terminal for its manager. */
export const warnings = ['unproven', 'clock', 'recovered', 'owed', 'settings', 'otherHardware', 'numbering'] as const
export type Warning = (typeof warnings)[number]

/** The hardware that connected with a serial number. Its attributes are the ones that it reported. */
export interface Hardware {
  ip: string
  protocol: Protocol
  cpusn?: string | undefined
  mac?: string | undefined
  model?: string | undefined
  firmware?: string | undefined
}

/** Hardware that connected instead of the bound hardware. */
export interface Pending extends Hardware {
  at: string
}

export interface Device {
  serialNumber: string
  name: string
  department: string
  /** The zone of the terminal's clock, if it differs from the company's. */
  timezone?: string
  voice: number
  language: number
  authentication: Authentication
  /** SHA-256 of the secret in the path. */
  pathSecretHash?: string
  /** Counts changes by people. Terminals change the item too, but their changes must not reject a person's save. */
  edition: number
  registeredAt: string
  /** The time of the claim. */
  claimedAt: string
  /**
   * The server requests records from this instant on, if it is before the claim. Hardware that waits for approval keeps
   * its punches until then.
   */
  recordsFrom?: string
  state: (typeof deviceStates)[number]
  /** The bound hardware. Before the binding, the hardware that a manager has approved. */
  cpusn?: string
  mac?: string
  model?: string
  firmware?: string
  firstOnlineAt?: string
  /** The server writes it about once a minute. */
  lastSeenAt?: string
  /** When the terminal last reported that it had delivered all its records. */
  uploadedAt?: string
  /**
   * A local date, set while the server requests undelivered records. The terminal delivers a page of them only once. If
   * the date is still set at the next registration, a page may be lost. The server then requests all records from this
   * day on.
   */
  reconcileFrom?: string
  /** When a page was certainly lost. Only a later request for all records since `reconcileFrom` recovers the page. */
  pageLostAt?: string
  /**
   * When the server last requested all records automatically, and how often since the last complete answer. The server
   * asks every hour if a terminal never completes the answer.
   */
  allAsked?: { at: string; times: number }
  /** The terminal was offline long enough for a notice. A short interruption causes no notice. */
  isSilent?: true
  /**
   * The open connection of the terminal, if any, and the number of registrations. A socket with an older number gets no
   * commands.
   */
  connection?: string
  generation: number
  /** The numbers of users and records that the terminal reports. */
  users?: number
  templates?: number
  faces?: number
  records?: number
  unsent?: number
  /**
   * The baseline from which the server continues the terminal's counts until the next registration. `since`: its time.
   * `upTo`: the last receipt that it includes. `unsent`: the records that the terminal had not sent. `held`: the known
   * counts before the server or the terminal sent user data that is not counted yet.
   */
  counted?: { since: string; upTo: string; unsent: number; held?: Tally }
  /** When the server or the terminal last sent user data that is not counted yet. */
  wroteAt?: string | undefined
  /** The last instant assigned to a record in a repeated hour. The next record in that hour is not earlier. */
  repeatedHourAt?: string
  /** The protocol. Absent before the first registration. */
  protocol?: Protocol
  profile?: string
  /** The fingerprint format of the terminal. Terminals of another make cannot read it. */
  fingerAlgorithm?: string
  /** The address of the last registration. */
  ip?: string
  /** How many seconds the terminal's clock was ahead of the server's at the last report. */
  driftSeconds?: number
  /**
   * The zone that the server last set on an ADMS terminal. Its records use this zone until the terminal polls again.
   */
  clockZone?: string
  /** The settings that the terminal last confirmed, as JSON. */
  settings?: string
  /** The local date of the last check for undelivered records. */
  reconciledOn?: string
  /** The number of records that only the daily check found, and when. The terminal had reported that none were left. */
  recovered?: { count: number; at: string }
  /** Other hardware that registered with this serial number and waits for approval. */
  pending?: Pending
  /**
   * The terminal may have lost all data that the server sent before this instant. The cause is a reset, a replacement
   * or a manager's report.
   */
  emptiedAt?: string
  /**
   * When the terminal lost all data, or other hardware replaced it. Enrolments that only this terminal held are lost.
   */
  resetAt?: string
  /**
   * When the terminal had listed its users for the first time. Earlier user data may belong to any person. With
   * `isPartial`, the list was incomplete or refused. Later user data may then also be old, until a list is complete.
   */
  listed?: { at: string; isPartial?: true }
  /**
   * For an ADMS terminal before its first user list: since when it polls without delivering, from the first handshake
   * on.
   */
  quiet?: Quiet | undefined
  /** When a manager approved other hardware. Commands for the previous hardware do not apply to it. */
  replacedAt?: string
  /**
   * The last refusal, which the server writes at most once a minute. Until `until` the server checks no further try.
   * `bare` is the first connected hardware, which sent no secret. Its firmware may not support a path, and a manager
   * may approve it.
   */
  refused?: { at: string; reason: (typeof refusals)[number]; until?: string; bare?: Hardware }
  /**
   * The hardware that a manager rejected. Within a day, the server does not ask for approval of this hardware again.
   */
  denied?: Pending
  /**
   * The terminal has its own numbering: a number outside its list belongs to nobody. Absent until a manager decides.
   */
  isOwnNumbering?: boolean
  /** The terminal has or had numbers of its own, so the server looks up each record in its list. */
  hasOwnNumbers?: true
  /** The terminal held people before the server sent any. Their numbers may be the terminal's own. */
  heldPeople?: true
  /** Deliveries that the server refused and the terminal has not repeated. A reset must not erase them. */
  refusedDeliveries?: RefusedDelivery[] | undefined
}

/** The server requests undelivered records at this interval while a terminal is online. */
export const pollMinutes = 5

/** Whether a clock change of the zone happened within the last `minutes`. */
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
  cpusn: z.string().optional().describe('bound hardware'),
  mac: z.string().optional(),
  registeredAt: at,
  firstOnlineAt: at.optional(),
  lastSeenAt: at.optional(),
  /** The end of the time in which a terminal can take the claim. Absent once a terminal has taken it. */
  claimEndsAt: at.optional(),
  users: count,
  templates: count,
  faces: count,
  records: count,
  unsent: count,
  protocol: z.enum(protocols).optional(),
  profile: z.enum(profileNames).optional(),
  ip: z.string().optional().describe('last registered address'),
  driftSeconds: z.int().optional().describe('seconds by which its clock was ahead when last measured'),
  recovered: z
    .object({ count: z.int(), at })
    .optional()
    .describe('records that it delivered only later, although it had reported none left'),
  refusedDeliveries: z
    .int()
    .describe('number of refused deliveries that the terminal has not resent; a reset waits for them'),
  pending: hardware.extend({ at }).optional().describe('other hardware with its serial number that waits for approval'),
  isOwnNumbering: z.boolean().optional().describe('see `device/numbering/update`; absent until a manager decides'),
  warnings: z.array(z.enum(warnings)),
  version,
})

const serverPath = z.string().describe('the server path to enter at the terminal; its secret is shown only once')

const quarantinedId = z.string().min(1).max(120)

/** The credentials that the server can enrol with a command to the terminal. */
export const enrolledKinds = ['finger', 'face', 'card', 'palm'] as const
export type EnrolledKind = (typeof enrolledKinds)[number]

const oneDevice = z.strictObject({ serialNumber })
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
      storesTemplates: z
        .boolean()
        .describe('whether the company stores fingerprints, so that they are not only on this terminal'),
      hasPassword: z.boolean().describe('whether the company has a cloud password'),
      refused: z
        .object({
          ...{ at, reason: z.enum(refusals), until: at.optional().describe('when the server accepts the next try') },
          bare: hardware
            .optional()
            .describe(
              'hardware that connected without a secret before the terminal was ever admitted; `device/approve` can admit it',
            ),
        })
        .optional()
        .describe('time and reason of the last refused connection with its serial number'),
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
    does: 'Approves the waiting hardware that the caller saw, or rejects it for a day. If that hardware did not identify itself, or the claim has expired, opens the claim for another 24 hours. Hardware under `refused.bare` is admitted by its serial number alone, without a secret.',
    who: [2],
    writes: true,
    input: z.strictObject({
      serialNumber,
      isApproved: z.boolean().default(true),
      pendingAt: at
        .optional()
        .describe(
          '`pending.at` or `refused.at` of the hardware that the caller saw; the call fails if other hardware is waiting by now',
        ),
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
        raw: z.string().describe('JSON, or the text of an invalid frame; without pictures'),
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
    input: oneDevice,
    output: queued,
  },
  'device/poll': {
    does: 'Requests the undelivered records of a terminal.',
    who: [2],
    writes: true,
    input: oneDevice,
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
    input: oneDevice,
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
    does: 'Resets a terminal: it delivers everything, and then erases all users and records within half an hour. If it cannot deliver everything, it erases nothing unless forced.',
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
        employee: id.optional().describe('absent for an unassigned number'),
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
  ...deviceNumberPaths,
  'device/delete': {
    does: 'Removes a terminal: it is disconnected and its serial number becomes available. Its punches stay.',
    who: [2],
    writes: true,
    input: z.strictObject({ serialNumber }),
    output: done,
  },
} as const satisfies Declarations
