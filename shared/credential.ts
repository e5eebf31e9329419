import * as z from 'zod'
import type { Audited, Change } from './change.ts'
import { at, type Declarations, done, id, version } from './contract.ts'
import type { Key } from './table.ts'
import { type PunchMode, punchModes } from './terminal/punch-mode.ts'

// What a person presents at a terminal, and how the terminal checks it. Terminals need card, password and templates in
// clear text, so the server encrypts them. Each person has a data key. Deleting the key deletes all of the person's
// credentials.

/** Fingerprint 1 and fingerprint 2. */
export const fingerSigns = [0, 1] as const
export type FingerSign = (typeof fingerSigns)[number]

/** Terminals store a password in 20 bits. All bits set mean “no password”. */
const mostPassword = 1_048_575
/** A card number has 32 bits. */
const mostCard = 4_294_967_295

/** A value encrypted with a person's data key, in Base64. */
export type Sealed = string

export interface Credential {
  employee: string
  punchMode: PunchMode
  card?: Sealed
  /** The digest of the card, which finds the `cardKey` without decryption. */
  cardDigest?: string
  password?: Sealed
}

/** The data key of a person, encrypted by the key service. */
export interface DataKey {
  employee: string
  wrapped: string
}

/** An encrypted fingerprint template or face picture. A large one is in a file. */
export interface Template {
  employee: string
  kind: 'finger' | 'face'
  /** The finger; 0 for the face. */
  sign: FingerSign
  /** The template format, such as `thbio3.0` or `image/jpeg`. */
  algorithm: string
  sealed?: Sealed
  /** The name of the file, if the content is in a file. */
  file?: string
  /** The size before encryption, in bytes. */
  bytes: number
  registeredAt: string
  /** Serial number of the enrolling terminal. Absent for an uploaded picture. */
  serialNumber?: string
}

/** The audit records the punch mode and that a credential changed, but no secret. */
const audited: Audited<Credential & Template> = {
  noun: 'credential',
  id: ({ employee }) => employee,
  name: ({ kind, sign }) => (kind ? `${kind} ${sign + 1}` : ''),
}

/** One partition holds all credentials of a person. */
export const credentialKey = (employee: string): Key<Credential> => ({
  pk: `CREDENTIAL#${employee}`,
  sk: '-',
  audited,
})
export const templateKey = (employee: string, kind: Template['kind'], sign: FingerSign): Key<Template> => ({
  pk: `CREDENTIAL#${employee}`,
  sk: `${kind}#${sign}`,
  audited,
})
export const dataKeyKey = (employee: string): Key<DataKey> => ({ pk: `DATA_KEY#${employee}`, sk: '-' })
/** Reserves a card for one person. Without the company's secret, `digest` reveals nothing about the card number. */
export const cardKey = (digest: string): Key<{ employee: string }> => ({ pk: `CARD#${digest}`, sk: '-' })
/** The encrypted secret of the company's card digests. */
export const digestSecretKey = (): Key<{ sealed: string }> => ({ pk: 'DIGEST_SECRET', sk: '-' })

export const credentialFacts = ({ company, old, new: next }: Change<Credential | Template>) => [
  { type: 'credential.changed' as const, company, employee: next?.employee ?? old?.employee ?? '' },
]

export const templateFileKey = (employee: string, file: string) => `template/${employee}/${file}`

/** Terminals store only numbers, so `007` is `7`. */
const withoutZeros = (digits: string) => digits.replace(/^0+(?=\d)/, '')

const attendancePassword = z
  .string()
  .trim()
  .regex(/^\d+$/, '59011')
  .transform(withoutZeros)
  .refine(digits => Number(digits) <= mostPassword, '60002')
  .describe('digits, 1048575 at most')

export const cardNumber = z
  .string()
  .trim()
  .regex(/^\d+$/, '60021')
  .transform(withoutZeros)
  .refine(digits => digits !== '0', '10002')
  .refine(digits => Number(digits) <= mostCard, '60002')
  .describe('digits, 4294967295 at most')

const punchMode = z
  .int()
  .min(0)
  .max(punchModes.length - 1)
  .describe(punchModes.map(({ name }, mode) => `${mode} ${name}`).join(', '))

const registered = {
  registeredAt: at,
  serialNumber: z.string().optional().describe('the terminal of the enrolment; absent for an uploaded picture'),
}
const finger = z.object({ sign: z.int().describe('0 fingerprint 1, 1 fingerprint 2'), ...registered })

/** The paths of the group `employee` about terminals. The audit records each reading of a secret. */
export const credentialPaths = {
  'employee/attendance/get': {
    does: 'Returns how a person punches: punch mode and verification type, card, attendance password, stored fingerprints and face.',
    who: [3],
    isPersonal: true,
    input: z.strictObject({ id }),
    output: z.object({
      punchMode,
      verification: z.int(),
      card: z.string().optional(),
      password: z.string().optional(),
      fingers: z.array(finger),
      face: z.object(registered).optional(),
      storesTemplates: z.boolean().describe('whether the company stores fingerprints and faces'),
      version: version.optional().describe('absent before the first save'),
    }),
  },
  'employee/attendance/update': {
    does: 'Updates how a person punches; an omitted card or password is removed.',
    who: [3],
    writes: true,
    input: z.strictObject({
      id,
      version: version.optional(),
      punchMode,
      card: cardNumber.optional(),
      password: attendancePassword.optional(),
    }),
    output: z.object({ version }),
  },
  'employee/attendance/finger/get': {
    does: "Lists a person's stored fingerprints, without the templates.",
    who: [3],
    isPersonal: true,
    input: z.strictObject({ id }),
    output: z.object({ list: z.array(finger.extend({ algorithm: z.string() })) }),
  },
  'employee/attendance/face/get': {
    does: "Returns a person's stored face as a data URL, if any.",
    who: [3],
    isPersonal: true,
    input: z.strictObject({ id }),
    output: z.object({ face: z.object({ ...registered, image: z.string() }).optional() }),
  },
  'employee/attendance/face/update': {
    does: "Stores the file uploaded with the form of employee/photo as the person's face, encrypted; null removes it.",
    who: [3],
    writes: true,
    input: z.strictObject({ id, upload: id.nullable() }),
    output: done,
  },
} as const satisfies Declarations
