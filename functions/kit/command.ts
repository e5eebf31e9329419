import {
  answerSeconds,
  type Command,
  commandKey,
  type SettledCommand,
  settledCommandKey,
  settledDays,
} from '../../shared/command.ts'
import { connectionKey } from '../../shared/connection.ts'
import { deviceKey } from '../../shared/device.ts'
import { Problem } from '../../shared/errors.ts'
import { newId } from './id.ts'
import { push } from './push.ts'
import { directory, type Item, save, type Table, type Write } from './table.ts'

// The queue of what a terminal is to do: one is under way at a time, as the protocol's answers carry no number. What is queued is
// told as a fact, so that it is sent even where whoever queued it has died.

const changedMeanwhile = 60006
const mostTries = 8

/** Queues a command; one with an id of its own is queued once, however often that is said. */
export const queueCommand = (
  table: Table,
  serialNumber: string,
  command: Pick<Command, 'cmd' | 'body' | 'mostAttempts' | 'deadline' | 'erasure'> & { id?: string },
): Write => {
  const id = command.id ?? newId()
  return table.insert(commandKey(serialNumber, id), {
    ...command,
    id,
    serialNumber,
    state: 'queued',
    attempts: 0,
    queuedAt: new Date().toISOString(),
  })
}

const settled = (
  table: Table,
  { version, ...command }: Item<Command>,
  state: SettledCommand['state'],
  now: number,
): Write[] => [
  table.remove(commandKey(command.serialNumber, command.id), version),
  table.put(settledCommandKey(command.serialNumber, command.id), {
    ...command,
    state,
    settledAt: new Date(now).toISOString(),
    expiresAt: Math.floor(now / 1000) + settledDays * 24 * 3600,
  }),
]

/** Throws away what a condition refused: somebody else was quicker, and has seen to it. */
const saves = async (...writes: Write[]): Promise<boolean> => {
  try {
    await save(...writes)
    return true
  } catch (error) {
    if (error instanceof Problem && error.code === changedMeanwhile) return false
    throw error
  }
}

const isOver = ({ deadline, attempts, mostAttempts }: Command, now: number) =>
  deadline !== undefined && Date.parse(deadline) <= now
    ? ('expired' as const)
    : mostAttempts !== undefined && attempts >= mostAttempts
      ? ('failed' as const)
      : undefined

/** The first that may be sent in this registration; those that are over are settled on the way. */
const chooseNext = async (table: Table, serialNumber: string, generation: number, now: number) => {
  for await (const command of table.each<Command>({ pk: commandKey(serialNumber, '').pk })) {
    const end = isOver(command, now)
    if (end) await saves(...settled(table, command, end, now))
    else if (command.refusedIn !== generation) return command
  }
  return undefined
}

const trySend = async (table: Table, serialNumber: string, now: number): Promise<'sent' | 'idle' | 'again'> => {
  const device = await table.get(deviceKey(serialNumber))
  const id = device?.connection
  const connection = id === undefined ? undefined : await directory().get(connectionKey(id))
  if (!device || id === undefined || !connection || connection.generation !== device.generation) return 'idle'
  const { asked } = connection
  if (asked && now - Date.parse(asked.at) < answerSeconds * 1000) return 'idle'
  const command = await chooseNext(table, serialNumber, device.generation, now)
  if (!command) return 'idle'
  const sentAt = new Date(now).toISOString()
  const isMine = await saves(
    directory().replace(connectionKey(id), { ...connection, asked: { command: command.cmd, at: sentAt } }),
    table.replace(commandKey(serialNumber, command.id), {
      ...command,
      state: 'sent',
      attempts: command.attempts + 1,
      sentAt,
    }),
  )
  if (!isMine) return 'again'
  // Where nobody is there any more it is sent again after the next registration.
  await push(id, { cmd: command.cmd, ...command.body })
  return 'sent'
}

/** Sends a terminal the next command, where it is there and owes no answer. */
export const sendNext = async (table: Table, serialNumber: string, now = Date.now()): Promise<void> => {
  for (let tries = 0; tries < mostTries; tries++) if ((await trySend(table, serialNumber, now)) !== 'again') return
}

/** What a terminal answers where there is none of what it is to delete. */
const missing = 5

const isDone = ({ cmd }: Command, { ok, reason }: { ok: boolean; reason: unknown }) =>
  ok || (cmd.startsWith('delete') && reason === missing)

/**
 * Takes the answer to the command that is under way, and answers whether there was one. What the terminal refuses it is asked
 * again when it has registered anew, every two hours at the latest: it may have been busy.
 */
export const settleCommand = async (
  table: Table,
  { serialNumber, connection, generation }: { serialNumber: string; connection: string; generation: number },
  answer: { command: string; ok: boolean; reason: unknown },
  now = Date.now(),
): Promise<boolean> => {
  const open = await table.all<Command>({ pk: commandKey(serialNumber, '').pk })
  const command = open.find(({ state, cmd }) => state === 'sent' && cmd === answer.command)
  if (!command) return false
  const writes = isDone(command, answer)
    ? settled(table, command, 'done', now)
    : isOver(command, now) === 'failed'
      ? settled(table, command, 'failed', now)
      : [
          table.replace(commandKey(serialNumber, command.id), {
            ...command,
            state: 'queued',
            refusedIn: generation,
          }),
        ]
  await saves(...writes)
  for (let tries = 0; tries < mostTries; tries++) {
    const known = await directory().get(connectionKey(connection))
    if (!known || known.asked?.command !== answer.command) break
    if (await saves(directory().replace(connectionKey(connection), { ...known, asked: undefined }))) break
  }
  return true
}
