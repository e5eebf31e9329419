import type { Change } from './change.ts'
import type { Key } from './table.ts'

// What a terminal is to do. A command waits until its terminal is there and has delivered its records, is sent alone, and again
// whenever the terminal has gone without an answer; so only what may be done twice belongs here.

export interface Command {
  /** Ids sort by the moment they were made: what was queued first is sent first. */
  id: string
  serialNumber: string
  /** As the protocol names it, and what goes with it. */
  cmd: string
  body: Record<string, unknown>
  state: 'queued' | 'sent'
  /** How often it was sent. */
  attempts: number
  /** It is given up after so many; without, it is sent until it is done. */
  mostAttempts?: number
  queuedAt: string
  sentAt?: string
  /** When it is given up, done or not. */
  deadline?: string
  /** The registration in which the terminal refused it: it is asked again in a later one. */
  refusedIn?: number
  /** The erasure that waits for it. */
  erasure?: string
}

/** One that is over: done, given up after too many attempts or a last refusal, or too late. */
export interface SettledCommand extends Omit<Command, 'state'> {
  state: 'done' | 'failed' | 'expired'
  settledAt: string
  expiresAt: number
}

/** A terminal owes an answer within this time; after it, it is asked the next thing. */
export const answerSeconds = 20
/** How long it can be seen what became of a command. */
export const settledDays = 30

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
  now && !old ? [{ type: 'command.queued' as const, company, sn: now.serialNumber }] : []

export const settledCommandFacts = ({ company, old, new: now }: Change<SettledCommand>) =>
  now && !old
    ? [
        {
          type: 'command.settled' as const,
          company,
          sn: now.serialNumber,
          command: now.id,
          ...(now.erasure && { erasure: now.erasure }),
        },
      ]
    : []
