import * as z from 'zod'
import type { Audited, Change } from './change.ts'
import { at, type Declarations, done, gridInput, gridOutput, id, text, timezone, version } from './contract.ts'
import type { Key } from './table.ts'

/**
 * What a terminal must bring besides its claimed serial number, which alone is a name and no proof: nothing, the secret in
 * the path it connects to, or the company number and communication password in its registration.
 */
export const authentications = ['claim', 'claim+path', 'claim+password'] as const
export type Authentication = (typeof authentications)[number]

/** `claimed` waits for its terminal; `needs approval` saw other hardware than it is bound to, and takes nothing from that until approved. */
export const deviceStates = ['claimed', 'bound', 'needs approval'] as const

/** A claim that no terminal took up within this time is closed until somebody approves it again. */
export const claimHours = 24
/**
 * The managed websocket ends a connection that is silent for ten minutes, and being seen is written down once a minute: who
 * was not seen for longer is offline.
 */
const onlineMinutes = 12
/** The highest `voice`, and how many `language` numbers there are: 0 en, 1 fe, 2 es, 3 ru, 4 pt. */
const loudest = 5
const languages = 5

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
  state: (typeof deviceStates)[number]
  /** The hardware it was first bound to. */
  cpusn?: string
  mac?: string
  model?: string
  firmware?: string
  firstOnlineAt?: string
  /** Written at most once a minute. */
  lastSeenAt?: string
  /** When the terminal last said that it has nothing left to deliver. */
  uploadedAt?: string
  /**
   * Local date. Set while it is asked for what it had not delivered. It gives a page of that once, so where this is still set
   * when it registers again, a page may be lost: it is then asked for all its records from this day on.
   */
  reconcileFrom?: string
  /** Its open connection, if any, and how often it has registered: an older generation's socket gets no commands. */
  connection?: string
  generation: number
  /** What the terminal says it holds. */
  users?: number
  templates?: number
  faces?: number
  records?: number
  unsent?: number
  /** The last instant given to a record of a repeated hour: the next one there is not earlier. */
  repeatedHourAt?: string
}

/** Of a terminal is told what people decide. */
const audited: Audited<Device> = {
  noun: 'device',
  id: ({ serialNumber }) => serialNumber,
  name: ({ name }) => name,
  secrets: ['pathSecretHash'],
  untold: [
    'edition',
    'connection',
    'generation',
    'lastSeenAt',
    'firstOnlineAt',
    'uploadedAt',
    'reconcileFrom',
    'repeatedHourAt',
    'users',
    'templates',
    'faces',
    'records',
    'unsent',
  ],
}

export const deviceKey = (serialNumber: string): Key<Device> => ({ pk: 'DEVICE', sk: serialNumber, audited })
/** Global: the one company a serial number belongs to. */
export const serialNumberKey = (serialNumber: string): Key<{ company: string }> => ({
  pk: `DEVICE#${serialNumber}`,
  sk: '-',
})

export const isOnline = ({ connection, lastSeenAt }: Device, now: number) =>
  connection !== undefined && lastSeenAt !== undefined && now - Date.parse(lastSeenAt) < onlineMinutes * 60_000

/** Being seen again changes nothing anybody looks at. */
const unshown = new Set(['version', 'lastSeenAt', 'uploadedAt', 'reconcileFrom', 'repeatedHourAt'])
const shown = (device: Device) =>
  JSON.stringify(
    Object.entries(device)
      .filter(([name]) => !unshown.has(name))
      .sort(),
  )

export const deviceFacts = ({ company, old, new: now }: Change<Device>) => {
  const device = now ?? old
  if (!device || (old && now && shown(old) === shown(now))) return []
  return [{ type: 'device.changed' as const, company, sn: device.serialNumber }]
}

const serialNumber = z
  .string()
  .trim()
  .regex(/^[A-Za-z0-9._-]{1,32}$/)
  .toUpperCase()

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

const stored = z.object({
  serialNumber: z.string(),
  ...form,
  state: z.enum(deviceStates),
  online: z.boolean(),
  model: z.string().optional(),
  firmware: z.string().optional(),
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
  version,
})

const serverPath = z
  .string()
  .describe('what to enter as the server path on the terminal; its secret is shown this once')

export const devicePaths = {
  'device/grid': {
    does: 'Lists terminals of the departments one may manage, with what they hold and whether they are online.',
    who: [2],
    input: gridInput(z.strictObject({ department: id.optional(), search: z.string().trim().max(100).optional() }), [
      'name',
      'serialNumber',
      'lastSeenAt',
    ]),
    output: gridOutput(stored),
  },
  'device/get': {
    does: 'Tells one terminal.',
    who: [2],
    input: z.strictObject({ serialNumber }),
    output: stored,
  },
  'device/add': {
    does: 'Claims a terminal by its serial number for 24 hours and tells how it is to connect.',
    who: [2],
    writes: true,
    answersSecret: true,
    input: z.strictObject({ serialNumber, ...form }),
    output: z.object({ serialNumber: z.string(), serverPath }),
  },
  'device/update': {
    does: 'Changes a terminal; what is left out of the form is removed or set back.',
    who: [2],
    writes: true,
    input: z.strictObject({ serialNumber, version, ...form }),
    output: done,
  },
  'device/secret': {
    does: 'Gives a terminal a new secret in its server path; the old one opens nothing any more.',
    who: [2],
    writes: true,
    answersSecret: true,
    input: z.strictObject({ serialNumber }),
    output: z.object({ serverPath }),
  },
  'device/approve': {
    does: 'Opens a claim for another 24 hours: the next terminal with this serial number is bound, whatever its hardware.',
    who: [2],
    writes: true,
    input: z.strictObject({ serialNumber }),
    output: done,
  },
  'device/quarantine': {
    does: 'Lists what terminals sent and nobody could file as a punch, as it came.',
    who: [2],
    input: gridInput(z.strictObject({})),
    output: gridOutput(
      z.object({
        serialNumber: z.string(),
        reason: z.string(),
        raw: z.string().describe('JSON, or the text of a frame that was none; without pictures'),
        receivedAt: at,
      }),
    ),
  },
  'device/delete': {
    does: 'Gives a terminal up: it is disconnected, and its serial number is free. Its punches stay.',
    who: [2],
    writes: true,
    input: z.strictObject({ serialNumber }),
    output: done,
  },
} as const satisfies Declarations
