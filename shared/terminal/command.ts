import * as z from 'zod'
import type { Change } from '../change.ts'
import { at, type Declarations, done, gridInput, gridOutput, id } from '../contract.ts'
import type { Quiet } from '../quiet.ts'
import type { Key } from '../table.ts'
import { commandKinds } from './command-kind.ts'
import { serialNumber } from './serial-number.ts'

// What a terminal is to do. A command waits until its terminal is there and has delivered its new records, and is sent alone. Where no
// answer comes it is sent again, but for those that may not be done twice.

/** What an id begins with of what is not to wait behind anything: a wrong clock makes wrong records. */
export const firstOfAll = '-'

export interface Command {
  /** Ids sort by the moment they were made: what was queued first is sent first. */
  id: string
  serialNumber: string
  /** As the first family of terminals names it, whatever family it is for, and what goes with it; never anything secret. */
  cmd: string
  body: Record<string, unknown>
  state: 'queued' | 'sent'
  /** How often it was sent. */
  attempts: number
  /** It is given up after so many; without, it is sent until it is done. */
  mostAttempts?: number
  /** Done twice it would do something else: it is sent once at most, and whoever asked is told where no answer came. */
  isOnce?: true
  /** What the terminal refuses of this it would refuse again. */
  isFinal?: true
  queuedAt: string
  sentAt?: string
  /** When it is given up, done or not. */
  deadline?: string
  /** The registration in which the terminal refused it, or did not answer: it is asked again in a later one. */
  refusedIn?: number
  /** What has to be done before; where that came to nothing this does, too. */
  needs?: string
  /** Since when nothing came, and when the terminal asked last: it is sent after some minutes of that. */
  quiet?: Quiet
  /** The employee who asked for it, and the one it is about. */
  by?: string
  subject?: string
  /** The erasure that waits for it. */
  erasure?: string
  /** What the terminal holds of a person once it has done it, in marks that say nothing (see `shared/terminal/user.ts`). */
  holds?: Record<string, string>
}

export const settledStates = ['done', 'failed', 'expired', 'cancelled'] as const
/**
 * What became of it: the terminal did it, would not, said nothing, or cannot; it was too late, somebody changed their mind, or what had
 * to be done before was not.
 */
export const results = ['ok', 'refused', 'no answer', 'unsupported', 'expired', 'cancelled', 'unmet'] as const
export type Result = (typeof results)[number]

/** One that is over. */
export interface SettledCommand extends Omit<Command, 'state'> {
  state: (typeof settledStates)[number]
  result: Result
  /** What the terminal said to it, in its own words or numbers; or why what it answered is not kept. */
  reason?: string
  settledAt: string
  expiresAt: number
}

/** A terminal owes an answer within this time; after it, it is asked the next thing. */
export const answerSeconds = 20
/** How long it can be seen what became of a command. */
export const settledDays = 30
/** What may be done twice is sent so often, where nobody says otherwise. */
export const usualAttempts = 5

/** What terminals of the first family number what they keep of a person by; a finger's sign is added to the first. */
export const backupNumbers = { finger: 0, password: 10, card: 11, everything: 13, palm: 30, face: 50 } as const

/** Those that are not over, in their order: the partition is empty when all is done. */
export const commandKey = (serialNumber: string, id: string): Key<Command> => ({
  pk: `COMMAND#${serialNumber}`,
  sk: id,
})
export const settledCommandKey = (serialNumber: string, id: string): Key<SettledCommand> => ({
  pk: `SETTLED_COMMAND#${serialNumber}`,
  sk: id,
})

export const commandFacts = ({ company, old, new: now }: Change<Command>) =>
  !now
    ? []
    : !old
      ? [{ type: 'command.queued' as const, company, sn: now.serialNumber }]
      : old.state !== now.state
        ? [{ type: 'command.changed' as const, company, sn: now.serialNumber }]
        : []

export const settledCommandFacts = ({ company, old, new: now }: Change<SettledCommand>) =>
  now && !old
    ? [
        {
          type: 'command.settled' as const,
          company,
          sn: now.serialNumber,
          command: now.id,
          ...(now.erasure && { erasure: now.erasure }),
          ...(now.subject && { employee: now.subject }),
        },
      ]
    : []

/** Whoever queues something that must not be queued twice names it. */
const commandId = z.string().min(1).max(80)

/** The part of the group `device` that is about what terminals are to do. */
export const commandPaths = {
  'device/command/grid': {
    does: 'Lists the pending commands of a terminal and those of the last 30 days, newest first.',
    who: [2],
    input: gridInput(z.strictObject({ serialNumber, kind: z.enum(commandKinds).optional() })),
    output: gridOutput(
      z.object({
        id: commandId,
        cmd: z.string().describe('as the terminals of the AiFace family name it'),
        state: z.enum(['queued', 'sent', ...settledStates]),
        result: z.enum(results).optional(),
        reason: z.string().optional().describe('what the terminal said to it, or why what it answered is not kept'),
        attempts: z.int(),
        queuedAt: at,
        sentAt: at.optional(),
        settledAt: at.optional(),
        deadline: at.optional().describe('when it is given up, done or not'),
        by: z.string().optional().describe('the name of who asked for it'),
        subject: z.string().optional().describe('the name of whom it is about'),
        backupnum: z
          .int()
          .optional()
          .describe('which of their fingers, cards, faces …, by the number terminals give it'),
        door: z.int().optional().describe('which door is opened, where one was said'),
        canCancel: z.boolean(),
        canRetry: z.boolean(),
      }),
    ),
  },
  'device/command/cancel': {
    does: 'Cancels a command that was not sent yet.',
    who: [2],
    writes: true,
    input: z.strictObject({ serialNumber, id: commandId }),
    output: done,
  },
  'device/command/retry': {
    does: 'Queues a failed command again.',
    who: [2],
    writes: true,
    input: z.strictObject({ serialNumber, id: commandId }),
    output: z.object({ command: id }),
  },
} as const satisfies Declarations
