import * as z from 'zod'
import type { Change } from '../change.ts'
import { at, type Declarations, done, gridInput, gridOutput, id } from '../contract.ts'
import type { Quiet } from '../quiet.ts'
import type { Key } from '../table.ts'
import { commandKinds } from './command-kind.ts'
import { serialNumber } from './serial-number.ts'

// Commands for terminals. A command waits until its terminal is online and has delivered its new records. The server
// sends one command at a time. It retries an unanswered command unless a repetition would do harm.

/**
 * The id prefix of commands that go first. An example is setting the clock, because a wrong clock makes wrong records.
 */
export const firstOfAll = '-'

export interface Command {
  /** Ids sort by creation time, so that the server sends commands in the order of queueing. */
  id: string
  serialNumber: string
  /** Name and fields as in the AiFace family, even for other families. Never a secret. */
  cmd: string
  body: Record<string, unknown>
  state: 'queued' | 'sent'
  /** How often the server has sent the command. */
  attempts: number
  /** The command fails after this many attempts. Absent means that the server retries until the command succeeds. */
  mostAttempts?: number
  /** The command is not idempotent. The server sends it at most once, and reports a missing reply to its author. */
  isOnce?: true
  /** A refusal is final, because a retry would fail the same way. */
  isFinal?: true
  queuedAt: string
  sentAt?: string
  /** When the command expires. */
  deadline?: string
  /**
   * The registration during which the terminal refused the command or did not reply. The server retries after the next
   * registration.
   */
  refusedIn?: number
  /** The id of the command that must succeed first. If that command fails, this command fails too. */
  needs?: string
  /**
   * Since when the terminal has delivered nothing, and its last poll. The command waits for some minutes without a
   * delivery.
   */
  quiet?: Quiet
  /** The employee who requested the command, and the employee whom it concerns. */
  by?: string
  subject?: string
  /** The erasure that waits for the command. */
  erasure?: string
  /** A person's content on the terminal after the command succeeds, as opaque marks (see `shared/terminal/user.ts`). */
  holds?: Record<string, string>
}

export const settledStates = ['done', 'failed', 'expired', 'cancelled'] as const
/**
 * The terminal succeeded, refused, did not reply, or lacks the command. Or the command expired, was cancelled, or the
 * required earlier command failed.
 */
export const results = ['ok', 'refused', 'no answer', 'unsupported', 'expired', 'cancelled', 'unmet'] as const
export type Result = (typeof results)[number]

/** A command with its final result. */
export interface SettledCommand extends Omit<Command, 'state'> {
  state: (typeof settledStates)[number]
  result: Result
  /** The terminal's reason, in its own words or numbers. Or the reason why the server did not store the reply. */
  reason?: string
  settledAt: string
  expiresAt: number
}

/** The seconds that the server waits for a reply before its next question. */
export const answerSeconds = 20
/** Days for which a settled command stays visible. */
export const settledDays = 30
/** The default number of attempts for idempotent commands. */
export const usualAttempts = 5

/** The AiFace slot numbers of a person's credentials. The slot of a finger is `finger` plus its `sign`. */
export const backupNumbers = { finger: 0, password: 10, card: 11, everything: 13, palm: 30, face: 50 } as const

/** Pending commands in order. The partition is empty once all commands are settled. */
export const commandKey = (serialNumber: string, id: string): Key<Command> => ({
  pk: `COMMAND#${serialNumber}`,
  sk: id,
})
export const settledCommandKey = (serialNumber: string, id: string): Key<SettledCommand> => ({
  pk: `SETTLED_COMMAND#${serialNumber}`,
  sk: id,
})

export const commandFacts = ({ company, old, new: current }: Change<Command>) =>
  !current
    ? []
    : !old
      ? [{ type: 'command.queued' as const, company, sn: current.serialNumber }]
      : old.state !== current.state
        ? [{ type: 'command.changed' as const, company, sn: current.serialNumber }]
        : []

export const settledCommandFacts = ({ company, old, new: current }: Change<SettledCommand>) =>
  current && !old
    ? [
        {
          type: 'command.settled' as const,
          company,
          sn: current.serialNumber,
          command: current.id,
          ...(current.erasure && { erasure: current.erasure }),
          ...(current.subject && { employee: current.subject }),
        },
      ]
    : []

/** The caller may choose the id, so that a repeated call queues the command only once. */
const commandId = z.string().min(1).max(80)

/** The command paths of the group `device`. */
export const commandPaths = {
  'device/command/grid': {
    does: 'Lists the pending commands of a terminal and those of the last 30 days, newest first.',
    who: [2],
    input: gridInput(z.strictObject({ serialNumber, kind: z.enum(commandKinds).optional() })),
    output: gridOutput(
      z.object({
        id: commandId,
        cmd: z.string().describe('the command name of the AiFace protocol'),
        state: z.enum(['queued', 'sent', ...settledStates]),
        result: z.enum(results).optional(),
        reason: z.string().optional().describe('the terminal’s reason, or the reason for discarding its answer'),
        attempts: z.int(),
        queuedAt: at,
        sentAt: at.optional(),
        settledAt: at.optional(),
        deadline: at.optional().describe('when the command expires'),
        by: z.string().optional().describe('name of the requester'),
        subject: z.string().optional().describe('name of the person concerned'),
        backupnum: z.int().optional().describe('the credential, by the number that terminals use'),
        door: z.int().optional().describe('number of the door, if given'),
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
