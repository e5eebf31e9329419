import * as z from 'zod'
import type { Change } from '../change.ts'
import { type Declarations, gridInput, gridOutput, id } from '../contract.ts'
import type { Key } from '../table.ts'
import { serialNumber } from './serial-number.ts'

// Who is to be on a terminal, and what it is known to hold of them. Nothing here is secret or a name: a mark only tells one card,
// finger or name from another.

/**
 * What a terminal holds of somebody: the name, and by `backupnum` what they show or type: 0 to 9 fingers, 10 the password, 11 the
 * card, 20 to 37 faces and palms in the terminal's own terms, 50 the picture of the face.
 */
export type Part = string
export const namePart: Part = 'name'
export const wholePerson: Part = '13'
export const backupnums = { password: '10', card: '11', face: '50' } as const

/** What was sent and is not known to have come, or may be another one: it is sent again, or taken away. */
export const unknown = ''
/** What was known to be there before the terminal was emptied, or everything was to be sent again: it is, and may be there or not. */
export const doubtfulMark = '~'
/** What would not be taken away. */
const removal = '-'
/** What was registered at the terminal and is kept nowhere else: it stays until the person goes. */
export const ownMark = 'own'
/** What the terminal said it holds and nobody here has seen: it is asked for, unless it is to be something else anyway. */
export const heardMark = '?'

/** What a terminal is to hold of somebody. */
export interface Wanted {
  number: string
  marks: Record<Part, string>
  /** What it cannot be sent, and why. */
  unfit: Record<Part, Unfit>
}
export const unfits = ['too large', 'no JPEG', 'other algorithm'] as const
export type Unfit = (typeof unfits)[number]

/** One thing to be done: something is set as it is when it is sent, taken away, or asked for. */
export interface SyncStep {
  part: Part
  isRemoval?: true
  isQuestion?: true
  /** What it was when this was queued. */
  mark?: string
}

/** Since when a terminal may not hold what it was sent, and since when it does not hold what was taken there. */
export interface Doubt {
  emptiedAt?: string | undefined
  resetAt?: string | undefined
}

export interface DeviceUser {
  employee: string
  serialNumber: string
  /** The number the terminal knows the person by. */
  number: string
  holds: Record<Part, string>
  /** By the command that is under way. */
  steps: Record<string, SyncStep>
  /** What the terminal would not take, why and when: it is not asked again that day to take the same. */
  refused: Record<Part, { mark: string; reason: string; at: string }>
  /** What it cannot be sent. */
  unfit: Record<Part, Unfit>
  /** What it said last that it holds, as a digest nobody learns anything from. */
  said?: Record<Part, string>
  /** Who was made an administrator of the terminal at the terminal is none the less for being sent again. */
  admin?: number
  /** What `emptiedAt` of the device was: when that is another, nothing is known any more. */
  emptiedAt?: string
}

export const deviceUserKey = (sn: string, employee: string): Key<DeviceUser> => ({
  pk: `DEVICE_USER#${sn}`,
  sk: employee,
})
/** Those at whom somebody has to look: more than a terminal is sent at once wait here. */
export const dueDeviceUserKey = (sn: string, employee: string): Key<{ employee: string }> => ({
  pk: `DUE_DEVICE_USER#${sn}`,
  sk: employee,
})

/**
 * What a terminal held under a number when it was ours first, as far as we did not send it. It may be of anybody: whoever is there by
 * that number later did not register it.
 */
export interface FormerUser {
  number: string
  /** By part digests of what it told, in whatever form; none where it only told that there is something. */
  parts: Record<Part, string[]>
  /** What `resetAt` of the device was: since another it is gone. */
  resetAt?: string | undefined
}
export const formerUserKey = (sn: string, number: string): Key<FormerUser> => ({
  pk: `FORMER_USER#${sn}`,
  sk: number,
})

export const deviceUserFacts = ({ company, old, new: now }: Change<DeviceUser>) => [
  { type: 'deviceUser.changed' as const, company, sn: now?.serialNumber ?? old?.serialNumber ?? '' },
]

/** What is known of somebody of whom nothing is. */
export const newDeviceUser = (sn: string, employee: string, number: string): DeviceUser => ({
  employee,
  serialNumber: sn,
  number,
  holds: {},
  steps: {},
  refused: {},
  unfit: {},
})

const isEmpty = (record: object) => Object.keys(record).length === 0
/** Whether nothing has to be remembered of them. */
export const isForgettable = ({ holds, steps }: DeviceUser) => isEmpty(holds) && isEmpty(steps)

/** What was taken at the terminal, and cannot be sent to it again. */
export const isOwn = (mark: string) => mark === ownMark || mark === heardMark

/**
 * Of a terminal that was emptied, or replaced, nothing is known: whatever was there may be there, and is not as it should be. What was
 * there alone is gone where it was reset since, or is another terminal now.
 */
export const withDoubt = (user: DeviceUser, { emptiedAt, resetAt }: Doubt): DeviceUser => {
  if (user.emptiedAt === emptiedAt) return user
  const isLost = resetAt !== undefined && (user.emptiedAt ?? '') < resetAt
  const left = Object.entries(user.holds).filter(([, mark]) => !(isLost && isOwn(mark)))
  return {
    ...user,
    holds: Object.fromEntries(
      left.map(([part, mark]) => [part, isOwn(mark) ? mark : isLost || mark === unknown ? unknown : doubtfulMark]),
    ),
    refused: {},
    ...(emptiedAt !== undefined && { emptiedAt }),
  }
}

export const isKnown = (mark: string | undefined) => ![undefined, unknown, doubtfulMark].includes(mark)

/** People, fingers and faces on a terminal. */
export interface Tally {
  users: number
  templates: number
  faces: number
}

const isFinger = (part: Part) => Number(part) < 10
export const isFace = (part: Part) => part === backupnums.face || (Number(part) >= 20 && Number(part) < 30)

/**
 * How many of each are known to be there: what was sent and not confirmed is not, what is in doubt is `withDoubtful`, and nothing is
 * from before a reset.
 */
export const tallyOf = (
  users: readonly Pick<DeviceUser, 'holds' | 'emptiedAt'>[],
  { resetAt = '' }: Doubt,
  withDoubtful = false,
): Tally => {
  const held = users
    .filter(({ emptiedAt = '' }) => emptiedAt >= resetAt)
    .map(({ holds }) =>
      Object.keys(holds).filter(part => isKnown(holds[part]) || (withDoubtful && holds[part] === doubtfulMark)),
    )
  const parts = held.flat()
  return {
    users: held.filter(one => one.length > 0).length,
    templates: parts.filter(isFinger).length,
    faces: parts.filter(isFace).length,
  }
}

/** Whether somebody has a finger, a face, a palm, a card or a password there that no other place has. */
export const hasOnlyHere = ({ holds }: Pick<DeviceUser, 'holds'>): boolean =>
  Object.entries(holds).some(([part, mark]) => isOwn(mark) && part !== namePart)

/** What was refused before this instant may be taken now: a terminal was full, or busy. */
export const withHope = (user: DeviceUser, before: string): DeviceUser => ({
  ...user,
  refused: Object.fromEntries(Object.entries(user.refused).filter(([, { at }]) => at >= before)),
})

/**
 * What is to be done next so that a terminal holds what it should. What is under way is waited for, part by part; a person whose
 * number is another, or who has gone, is taken away as a whole first.
 */
export const planSteps = (known: DeviceUser | undefined, wanted: Wanted | undefined): SyncStep[] => {
  const { holds = {}, steps = {}, refused = {}, number } = known ?? {}
  const underWay = Object.values(steps)
  const canGo = (part: Part) => refused[part]?.mark !== removal
  if (!isEmpty(holds) && number !== wanted?.number)
    return underWay.length === 0 && canGo(wholePerson) ? [{ part: wholePerson, isRemoval: true }] : []
  const busy = new Set(underWay.map(({ part }) => part))
  if (!wanted || busy.has(wholePerson)) return []
  const isDue = (part: Part, mark: string) => !busy.has(part) && holds[part] !== mark && refused[part]?.mark !== mark
  const parts = Object.entries(wanted.marks).filter(([part, mark]) => part !== namePart && isDue(part, mark))
  const isSet = ({ isRemoval, isQuestion }: SyncStep) => !isRemoval && !isQuestion
  const questions = Object.entries(holds).filter(
    ([part, mark]) => mark === heardMark && wanted.marks[part] === undefined && !busy.has(part),
  )
  const removals = Object.entries(holds).filter(
    ([part, mark]) =>
      part !== namePart &&
      mark !== ownMark &&
      mark !== heardMark &&
      wanted.marks[part] === undefined &&
      // Another make's takes nothing away from what was registered here.
      wanted.unfit[part] === undefined &&
      !busy.has(part) &&
      canGo(part),
  )
  // Whatever is set brings the name along.
  const isNamed = parts.length > 0 || underWay.some(isSet)
  const name = wanted.marks[namePart] ?? unknown
  return [
    ...removals.map(([part]): SyncStep => ({ part, isRemoval: true })),
    ...questions.map(([part]): SyncStep => ({ part, isQuestion: true })),
    ...parts.map(([part, mark]): SyncStep => ({ part, mark })),
    ...(!isNamed && isDue(namePart, name) ? [{ part: namePart, mark: name }] : []),
  ]
}

/** Notes what is under way. What is set may be there from now on, whether an answer comes or not. */
export const beginSteps = (
  known: DeviceUser,
  wanted: Wanted | undefined,
  steps: Record<string, SyncStep>,
): DeviceUser => {
  const sets = Object.values(steps).filter(({ isRemoval, isQuestion }) => !isRemoval && !isQuestion)
  const doubtful = sets.length > 0 ? [namePart, ...sets.map(({ part }) => part)] : []
  // Who is wanted again may be taken away again.
  const { [wholePerson]: gone, ...refused } = known.refused
  return {
    ...known,
    refused: sets.length > 0 || !gone ? refused : known.refused,
    number: isEmpty(known.holds) ? (wanted?.number ?? known.number) : known.number,
    holds: { ...Object.fromEntries(doubtful.map(part => [part, unknown])), ...known.holds },
    steps: { ...known.steps, ...steps },
  }
}

/** What became of a command; where nobody remembers that, it is done anew if it is still needed. */
export type SyncOutcome =
  | { isDone: true; holds?: Record<Part, string> }
  | { isDone: false; reason: string; at: string }
  | undefined

/** Takes in what became of what was under way. */
export const endStep = (known: DeviceUser, command: string, outcome: SyncOutcome): DeviceUser => {
  const { [command]: step, ...steps } = known.steps
  if (!step) return known
  const { part, isRemoval, isQuestion, mark = unknown } = step
  if (!outcome) return { ...known, steps }
  // What could not be read stays where it is.
  if (isQuestion)
    return known.holds[part] === heardMark
      ? { ...known, steps, holds: { ...known.holds, [part]: ownMark } }
      : { ...known, steps }
  if (!outcome.isDone)
    return {
      ...known,
      steps,
      refused: {
        ...known.refused,
        [part]: { mark: isRemoval ? removal : mark, reason: outcome.reason, at: outcome.at },
      },
    }
  const { [part]: _, ...refused } = known.refused
  if (!isRemoval) return { ...known, steps, refused, holds: { ...known.holds, ...outcome.holds } }
  if (part === wholePerson) return { ...known, steps, refused: {}, holds: {} }
  const { [part]: _gone, ...holds } = known.holds
  return { ...known, steps, refused, holds }
}

/** What the terminal says it holds: what was kept of that, and by `said` the same is known again. */
export interface HeldNote {
  mark?: string | undefined
  admin?: number | undefined
  said?: string | undefined
}

/** Notes what the terminal says it holds. */
export const noteHeld = (
  { said: known, ...user }: DeviceUser,
  part: Part,
  { mark = unknown, admin, said }: HeldNote,
): DeviceUser => {
  const { [part]: _, ...others } = known ?? {}
  const all = said === undefined ? others : { ...others, [part]: said }
  return {
    ...user,
    holds: { [namePart]: unknown, ...user.holds, [part]: mark },
    ...(!isEmpty(all) && { said: all }),
    ...(admin && { admin }),
  }
}

/** Whether the terminal has said just that before; it holds what was kept of it, or what it was sent since. */
export const hasSaid = (user: DeviceUser | undefined, part: Part, said: string): boolean =>
  user?.said?.[part] === said && isKnown(user.holds[part]) && !isOwn(user.holds[part] ?? unknown)

/** `leaving` is on its way out of the terminal, `waiting` on its way in; of who is `refused` something could not be put there. */
export const deviceUserStates = ['current', 'waiting', 'leaving', 'refused'] as const

/** The part of the group `device` that is about the people on a terminal. */
export const deviceUserPaths = {
  'device/user/grid': {
    does: 'Lists the employees of a terminal that the caller manages, by name, and whether each is synced.',
    who: [2],
    input: gridInput(z.strictObject({ serialNumber, state: z.enum(deviceUserStates).optional() })),
    output: gridOutput(
      z.object({
        employee: id,
        ...{ first_name: z.string(), last_name: z.string(), workno: z.string() },
        state: z.enum(deviceUserStates),
        name: z.boolean().describe('it is known to hold their name'),
        fingers: z.int(),
        ...{ face: z.boolean(), card: z.boolean(), password: z.boolean() },
        refused: z.array(
          z.object({
            part: z.string().describe('`name`, or the number terminals give to a finger, card, face …'),
            reason: z.string(),
          }),
        ),
      }),
    ).extend({
      counts: z
        .record(z.enum(deviceUserStates), z.int())
        .optional()
        .describe('how many there are in each state, whichever is asked for'),
      onlyHere: z
        .int()
        .optional()
        .describe(
          'how many of the company’s people have a finger, face, palm, card or password there that is kept nowhere else and would be lost by a reset, also of those one does not manage',
        ),
    }),
  },
} as const satisfies Declarations
