import * as z from 'zod'
import type { Change } from '../change.ts'
import { type Declarations, gridInput, gridOutput, id } from '../contract.ts'
import type { Key } from '../table.ts'
import { serialNumber } from './serial-number.ts'

// The wanted and the known users of a terminal. A mark only distinguishes one card, finger or name from another. It is
// neither a secret nor a name.

/**
 * A part of a user on a terminal: the name, or a credential by its `backupnum`. 0 to 9 are fingers, 10 the password, 11
 * the card, and 50 the picture of the face. 20 to 37 are faces and palms in the terminal's format.
 */
export type Part = string
export const namePart: Part = 'name'
export const wholePerson: Part = '13'
export const backupnums = { password: '10', card: '11', face: '50' } as const

/** The mark of unconfirmed or possibly different content. The server sends or removes the content again. */
export const unknown = ''
/**
 * The mark of content known before a reset, or before a manager requested sending again. The terminal may still hold
 * it, and the server sends it again.
 */
export const doubtfulMark = '~'
/** The mark of a refused removal. */
const removal = '-'
/** Content that was enrolled at the terminal and exists nowhere else. The content stays until the person leaves. */
export const ownMark = 'own'
/**
 * Content that the terminal listed but the server never fetched. The server fetches it, unless it wants other content
 * there.
 */
export const heardMark = '?'

/** The wanted content of a terminal for a person. */
export interface Wanted {
  number: string
  marks: Record<Part, string>
  /** The parts that the server cannot send to the terminal, with the reason. */
  unfit: Record<Part, Unfit>
}
export const unfits = ['too large', 'no JPEG', 'other algorithm'] as const
export type Unfit = (typeof unfits)[number]

/** One action: set a part to its current value when sent, remove it, or fetch it. */
export interface SyncStep {
  part: Part
  isRemoval?: true
  isQuestion?: true
  /** The mark of the part when the server queued the action. */
  mark?: string
}

/** Content sent before `emptiedAt` may be lost. Content enrolled before `resetAt` is lost. */
export interface Doubt {
  emptiedAt?: string | undefined
  resetAt?: string | undefined
}

export interface DeviceUser {
  employee: string
  serialNumber: string
  /** The user number on the terminal. */
  number: string
  holds: Record<Part, string>
  /** The actions in flight, by command. */
  steps: Record<string, SyncStep>
  /**
   * The content that the terminal refused, with reason and time. The server does not send this content again on the
   * same day.
   */
  refused: Record<Part, { mark: string; reason: string; at: string }>
  /** The parts that the server cannot send to the terminal. */
  unfit: Record<Part, Unfit>
  /** Digests of the terminal's last reports, by part. A digest reveals nothing. */
  said?: Record<Part, string>
  /** The administrator level set at the terminal. The server keeps this level when it sends the user again. */
  admin?: number
  /**
   * The terminal's `emptiedAt` when the server stored this state. If the terminal's `emptiedAt` differs now, this state
   * is stale.
   */
  emptiedAt?: string
}

export const deviceUserKey = (sn: string, employee: string): Key<DeviceUser> => ({
  pk: `DEVICE_USER#${sn}`,
  sk: employee,
})
/** Users to check later, because a terminal gets only a few commands at once. */
export const dueDeviceUserKey = (sn: string, employee: string): Key<{ employee: string }> => ({
  pk: `DUE_DEVICE_USER#${sn}`,
  sk: employee,
})

/**
 * A terminal's content under a number from before the claim, except content that the server sent. It may belong to any
 * person: the present holder of the number did not enrol it.
 */
export interface FormerUser {
  number: string
  /** Digests of the reported values, by part. Empty if the terminal reported only that the part exists. */
  parts: Record<Part, string[]>
  /** The terminal's `resetAt` for this content. A later reset has erased the content. */
  resetAt?: string | undefined
}
export const formerUserKey = (sn: string, number: string): Key<FormerUser> => ({
  pk: `FORMER_USER#${sn}`,
  sk: number,
})

export const deviceUserFacts = ({ company, old, new: current }: Change<DeviceUser>) => [
  { type: 'deviceUser.changed' as const, company, sn: current?.serialNumber ?? old?.serialNumber ?? '' },
]

/** A user without any known content. */
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
/** Whether the item holds nothing worth storing. */
export const isForgettable = ({ holds, steps }: DeviceUser) => isEmpty(holds) && isEmpty(steps)

/** Whether the content was enrolled at the terminal, so that the server cannot send it again. */
export const isOwn = (mark: string) => mark === ownMark || mark === heardMark

/**
 * If the terminal's `emptiedAt` has changed, its content is doubtful and the server sends it again. After a reset or
 * replacement, content that was enrolled at the terminal is lost.
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

/** The users, fingerprints and faces on a terminal. */
export interface Tally {
  users: number
  templates: number
  faces: number
}

const isFinger = (part: Part) => Number(part) < 10
export const isFace = (part: Part) => part === backupnums.face || (Number(part) >= 20 && Number(part) < 30)

/**
 * Counts the known content. Excludes unconfirmed content and content from before a reset. Includes doubtful content
 * only with `withDoubtful`.
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
    users: held.filter(userParts => userParts.length > 0).length,
    templates: parts.filter(isFinger).length,
    faces: parts.filter(isFace).length,
  }
}

/** Whether the terminal holds the only copy of one of the person's credentials. */
export const hasOnlyHere = ({ holds }: Pick<DeviceUser, 'holds'>): boolean =>
  Object.entries(holds).some(([part, mark]) => isOwn(mark) && part !== namePart)

/** Drops refusals before this instant, because the terminal may only have been full or busy. */
export const withHope = (user: DeviceUser, before: string): DeviceUser => ({
  ...user,
  refused: Object.fromEntries(Object.entries(user.refused).filter(([, { at }]) => at >= before)),
})

const isSet = ({ isRemoval, isQuestion }: SyncStep) => !isRemoval && !isQuestion

/**
 * The next actions that bring a terminal's content to the wanted state. A part waits for its action in flight. The
 * first action for a person who left or has another number removes the whole user.
 */
export const planSteps = (user: DeviceUser | undefined, wanted: Wanted | undefined): SyncStep[] => {
  const { holds = {}, steps = {}, refused = {}, number } = user ?? {}
  const underWay = Object.values(steps)
  const canGo = (part: Part) => refused[part]?.mark !== removal
  if (!isEmpty(holds) && number !== wanted?.number)
    return underWay.length === 0 && canGo(wholePerson) ? [{ part: wholePerson, isRemoval: true }] : []
  const busy = new Set(underWay.map(({ part }) => part))
  if (!wanted || busy.has(wholePerson)) return []
  const isDue = (part: Part, mark: string) => !busy.has(part) && holds[part] !== mark && refused[part]?.mark !== mark
  const parts = Object.entries(wanted.marks).filter(([part, mark]) => part !== namePart && isDue(part, mark))
  const questions = Object.entries(holds).filter(
    ([part, mark]) => mark === heardMark && wanted.marks[part] === undefined && !busy.has(part),
  )
  const removals = Object.entries(holds).filter(
    ([part, mark]) =>
      part !== namePart &&
      mark !== ownMark &&
      mark !== heardMark &&
      wanted.marks[part] === undefined &&
      // A part in another make's format does not remove the part that was enrolled here.
      wanted.unfit[part] === undefined &&
      !busy.has(part) &&
      canGo(part),
  )
  // Setting any part also sends the name.
  const isNamed = parts.length > 0 || underWay.some(isSet)
  const name = wanted.marks[namePart] ?? unknown
  return [
    ...removals.map(([part]): SyncStep => ({ part, isRemoval: true })),
    ...questions.map(([part]): SyncStep => ({ part, isQuestion: true })),
    ...parts.map(([part, mark]): SyncStep => ({ part, mark })),
    ...(!isNamed && isDue(namePart, name) ? [{ part: namePart, mark: name }] : []),
  ]
}

/** Notes the actions in flight. From now on the terminal may hold a part, even if no reply arrives. */
export const beginSteps = (
  user: DeviceUser,
  wanted: Wanted | undefined,
  steps: Record<string, SyncStep>,
): DeviceUser => {
  const sets = Object.values(steps).filter(isSet)
  const doubtful = sets.length > 0 ? [namePart, ...sets.map(({ part }) => part)] : []
  // If the server wants the user again, it may also remove the user again later.
  const { [wholePerson]: gone, ...refused } = user.refused
  return {
    ...user,
    refused: sets.length > 0 || !gone ? refused : user.refused,
    number: isEmpty(user.holds) ? (wanted?.number ?? user.number) : user.number,
    holds: { ...Object.fromEntries(doubtful.map(part => [part, unknown])), ...user.holds },
    steps: { ...user.steps, ...steps },
  }
}

/** The outcome of a command. Without a stored result, the server repeats the action if it is still necessary. */
export type SyncOutcome =
  | { isDone: true; holds?: Record<Part, string> }
  | { isDone: false; reason: string; at: string }
  | undefined

/** Applies the outcome of an action in flight. */
export const endStep = (user: DeviceUser, command: string, outcome: SyncOutcome): DeviceUser => {
  const { [command]: step, ...steps } = user.steps
  if (!step) return user
  const { part, isRemoval, isQuestion, mark = unknown } = step
  if (!outcome) return { ...user, steps }
  // The terminal keeps content that the server could not fetch.
  if (isQuestion)
    return user.holds[part] === heardMark
      ? { ...user, steps, holds: { ...user.holds, [part]: ownMark } }
      : { ...user, steps }
  if (!outcome.isDone)
    return {
      ...user,
      steps,
      refused: {
        ...user.refused,
        [part]: { mark: isRemoval ? removal : mark, reason: outcome.reason, at: outcome.at },
      },
    }
  const { [part]: _, ...refused } = user.refused
  if (!isRemoval) {
    const holds = { ...user.holds, ...outcome.holds }
    // Another action in flight may have replaced the name that this one set.
    return {
      ...user,
      steps,
      refused,
      holds: Object.values(steps).some(isSet) ? { ...holds, [namePart]: unknown } : holds,
    }
  }
  if (part === wholePerson) return { ...user, steps, refused: {}, holds: {} }
  const { [part]: _gone, ...holds } = user.holds
  return { ...user, steps, refused, holds }
}

/** A report of the terminal: the stored content's mark and, in `said`, the digest that recognises a repetition. */
export interface HeldNote {
  mark?: string | undefined
  admin?: number | undefined
  said?: string | undefined
}

/** Notes a report of the terminal. */
export const noteHeld = (
  { said: previous, ...user }: DeviceUser,
  part: Part,
  { mark = unknown, admin, said: digest }: HeldNote,
): DeviceUser => {
  const { [part]: _, ...others } = previous ?? {}
  const all = digest === undefined ? others : { ...others, [part]: digest }
  return {
    ...user,
    holds: { [namePart]: unknown, ...user.holds, [part]: mark },
    ...(!isEmpty(all) && { said: all }),
    ...(admin && { admin }),
  }
}

/** Whether the terminal repeats its last report of a part, and the server knows the content of that part. */
export const hasSaid = (user: DeviceUser | undefined, part: Part, digest: string): boolean =>
  user?.said?.[part] === digest && isKnown(user.holds[part]) && !isOwn(user.holds[part] ?? unknown)

/** `waiting`: to be sent. `leaving`: to be removed. `refused`: the terminal or the server refused a part. */
export const deviceUserStates = ['current', 'waiting', 'leaving', 'refused'] as const

/** The user paths of the group `device`. */
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
        name: z.boolean().describe('whether the terminal is known to store the name'),
        fingers: z.int(),
        ...{ face: z.boolean(), card: z.boolean(), password: z.boolean() },
        refused: z.array(
          z.object({
            part: z.string().describe('`name`, or the number that terminals use for a credential'),
            reason: z.string(),
          }),
        ),
      }),
    ).extend({
      counts: z
        .record(z.enum(deviceUserStates), z.int())
        .optional()
        .describe('number of employees in each state, regardless of the filter'),
      onlyHere: z
        .int()
        .optional()
        .describe(
          'number of people of the company with a credential that only this terminal stores and a reset would lose, including people whom the caller does not manage',
        ),
    }),
  },
} as const satisfies Declarations
