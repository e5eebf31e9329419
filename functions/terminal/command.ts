import { dueTerminalKey } from '../../shared/device/claim.ts'
import { deviceKey } from '../../shared/device/key.ts'
import { Problem } from '../../shared/errors.ts'
import { refusedReason } from '../../shared/refused-delivery.ts'
import {
  answerSeconds,
  backupNumbers,
  type Command,
  commandKey,
  type Result,
  type SettledCommand,
  settledCommandKey,
  settledDays,
} from '../../shared/terminal/command.ts'
import { userCommands } from '../../shared/terminal/command-kind.ts'
import { newId } from '../kit/id.ts'
import { again, change, wasSlower } from '../kit/table/change.ts'
import { directory, type Item, save, type Table, type Write } from '../kit/table.ts'

// The command queue of a terminal, for any protocol. Each new command emits an event, so another process sends the
// command even if its author's process dies.

export type NewCommand = Pick<
  Command,
  'cmd' | 'body' | 'mostAttempts' | 'isOnce' | 'isFinal' | 'deadline' | 'needs' | 'by' | 'subject' | 'erasure'
> & { id?: string }

/** Queues a command. Repeated calls with one id queue one command. */
export const queueCommand = (table: Table, serialNumber: string, command: NewCommand): Write => {
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

export interface CommandOutcome {
  result: Result
  reason?: string | undefined
}

const stateOf: { readonly [result in Result]: SettledCommand['state'] } = {
  ok: 'done',
  refused: 'failed',
  'no answer': 'failed',
  unsupported: 'failed',
  unmet: 'failed',
  expired: 'expired',
  cancelled: 'cancelled',
}

/** The writes that settle a command. */
const settled = (
  table: Table,
  { version, ...command }: Item<Command>,
  { result, reason }: CommandOutcome,
  now: number,
): Write[] => [
  table.remove(commandKey(command.serialNumber, command.id), version),
  table.put(settledCommandKey(command.serialNumber, command.id), {
    ...command,
    state: stateOf[result],
    result,
    ...(reason !== undefined && { reason: reason.slice(0, 200) }),
    settledAt: new Date(now).toISOString(),
    expiresAt: Math.floor(now / 1000) + settledDays * 24 * 3600,
  }),
]

/** How long the server polls the enrolment status. */
const enrolSeconds = 90
/**
 * After starting an enrolment, the server polls its status and then fetches the template. The server only checks that a
 * face or palm exists, because its picture would exceed the websocket's limit.
 */
const followUpOf = new Map([
  ['adduser', 'checkregstatus'],
  ['checkregstatus', 'getuserinfo'],
])

/** The commands by which a terminal enrols a credential. */
export const enrolmentCommands: ReadonlySet<string> = new Set(['adduser', ...followUpOf.values()])

/** Whether the server polls with this command. The terminal refuses the command until the enrolment is done. */
export const isAskedOn = (cmd: string) => cmd === 'checkregstatus'

/** The writes that a successful command causes. */
const effectsOf = async (table: Table, command: Command, now: number): Promise<Write[]> => {
  const { cmd, serialNumber, body, by, subject } = command
  const isLarge = cmd === 'checkregstatus' && Number(body.backupnum) >= backupNumbers.palm
  const then = isLarge ? 'getuserlist' : followUpOf.get(cmd)
  if (then && command.attempts > 0) {
    const deadline = new Date(now + enrolSeconds * 1000).toISOString()
    // Fail at once: a retry of the fetch only delays the result for the waiting person.
    const isFinal = isAskedOn(then) ? {} : { isFinal: true as const }
    return [queueCommand(table, serialNumber, { cmd: then, body, by, subject, deadline, ...isFinal })]
  }
  if (cmd !== 'initsys') return []
  const device = await table.get(deviceKey(serialNumber))
  const at = new Date(now).toISOString()
  if (!device) return []
  const held = { users: 0, templates: 0, faces: 0 }
  const nothing = { ...held, records: 0, unsent: 0, counted: { since: at, upTo: at, unsent: 0, held } }
  // From now on, all content of the terminal comes from the server.
  const emptied = { emptiedAt: at, resetAt: at, listed: { at }, refusedDeliveries: undefined, heldPeople: undefined }
  return [table.replace(deviceKey(serialNumber), { ...device, ...nothing, ...emptied })]
}

/** If a reset gets no answer, the terminal may be empty, so the server sends its users again. */
const doubtOf = async (table: Table, { cmd, serialNumber }: Command, now: number): Promise<Write[]> => {
  const device = cmd === 'initsys' ? await table.get(deviceKey(serialNumber)) : undefined
  return device ? [table.replace(deviceKey(serialNumber), { ...device, emptiedAt: new Date(now).toISOString() })] : []
}

/** If a terminal refuses to list its users, the server accepts its reports, which may include old content. */
const partialOf = async (
  table: Table,
  { body, serialNumber }: Command,
  { result }: CommandOutcome,
  now: number,
): Promise<Write[]> => {
  if (body.isFirst !== true || stateOf[result] !== 'failed') return []
  const device = await table.get(deviceKey(serialNumber))
  if (!device || device.listed) return []
  const listed = { at: new Date(now).toISOString(), isPartial: true as const }
  return [table.replace(deviceKey(serialNumber), { ...device, listed })]
}

const finish = async (table: Table, command: Item<Command>, outcome: CommandOutcome, now: number): Promise<void> =>
  save(
    ...settled(table, command, outcome, now),
    ...(outcome.result === 'ok' ? await effectsOf(table, command, now) : []),
    ...(outcome.result === 'no answer' ? await doubtOf(table, command, now) : []),
    ...(await partialOf(table, command, outcome, now)),
  )

/** Gives up a command. If the command changed meanwhile, another process has already settled it. */
export const giveUp = async (
  table: Table,
  command: Item<Command>,
  outcome: CommandOutcome,
  now: number,
): Promise<void> => {
  try {
    await finish(table, command, outcome, now)
  } catch (error) {
    if (!wasSlower(error)) throw error
  }
}

/** The reason that a terminal gives if it lacks the item to delete or return. */
export const missing = '5'
/** After this many unanswered attempts the command waits for the next registration. */
const triesInRow = 3

/**
 * Takes the outcome of a sent command: settles or requeues the command. The server retries a refused command after the
 * next registration, because the terminal may have been busy. A terminal registers at least every two hours.
 */
export const takeOutcome = (
  table: Table,
  { serialNumber, id, generation }: { serialNumber: string; id: string; generation: number },
  { result, reason }: CommandOutcome,
  now = Date.now(),
): Promise<void> =>
  again(async () => {
    const command = await table.get(commandKey(serialNumber, id))
    if (command?.state !== 'sent') return
    const { cmd, isOnce, isFinal, attempts, mostAttempts = Number.POSITIVE_INFINITY } = command
    if (result === 'ok' || (result === 'refused' && reason === missing && cmd.startsWith('delete')))
      return finish(table, command, { result: 'ok' }, now)
    if (
      isOnce ||
      attempts >= mostAttempts ||
      (isFinal && result === 'refused') ||
      (result !== 'refused' && result !== 'no answer')
    )
      return finish(table, command, { result, reason }, now)
    const isPassed = !isAskedOn(cmd) && (result === 'refused' || attempts % triesInRow === 0)
    await save(
      table.replace(commandKey(serialNumber, id), {
        ...command,
        state: 'queued',
        refusedIn: isPassed ? generation : undefined,
      }),
    )
  })

/** The outcome of the earlier command that this command needs; undefined while the earlier command is open. */
const lookAtNeed = async (
  table: Table,
  { cmd, serialNumber, needs = '' }: Command,
): Promise<CommandOutcome | undefined> => {
  if (await table.get(commandKey(serialNumber, needs))) return undefined
  const need = await table.get(settledCommandKey(serialNumber, needs))
  if (need?.state !== 'done') return { result: 'unmet' }
  const { unsent = 0, reconcileFrom } = cmd === 'initsys' ? ((await table.get(deviceKey(serialNumber))) ?? {}) : {}
  // The terminal lost a page since then, and the server requests the page again.
  if (reconcileFrom !== undefined) return undefined
  return unsent > 0 ? { result: 'unmet', reason: String(unsent) } : { result: 'ok' }
}

/**
 * Whether the command was meant for earlier hardware, because a manager has approved other hardware since. Only
 * commands by people and requests for user data are meant for one hardware. An erasure stays pending, even after a
 * retry.
 */
const isOfFormer = async (table: Table, { cmd, by, erasure, serialNumber, queuedAt }: Command): Promise<boolean> =>
  (cmd === 'getuserlist' || cmd === 'getuserinfo' || (by !== undefined && erasure === undefined)) &&
  queuedAt < ((await table.get(deviceKey(serialNumber)))?.replacedAt ?? '')

/** A restarting terminal may answer only by reconnecting. */
const restartSeconds = 300

/**
 * Whether a command gives way to others after `triesInRow` unanswered attempts. The command may itself end the
 * connection.
 */
const isTiring = ({ state, isOnce, attempts, mostAttempts }: Command): boolean =>
  state === 'sent' && !isOnce && (attempts === mostAttempts || attempts % triesInRow === 0)

/** Whether an ADMS terminal still delivers its old content. The server must not treat old content as an enrolment. */
const isDeliveringOld = async (table: Table, { serialNumber }: Command): Promise<boolean> => {
  const device = await table.get(deviceKey(serialNumber))
  return device?.protocol === 'adms' && !device.listed
}

/** The number of refused deliveries that a reset would erase. */
const countErased = async (table: Table, { cmd, serialNumber }: Command): Promise<number> =>
  cmd === 'initsys' ? ((await table.get(deviceKey(serialNumber)))?.refusedDeliveries?.length ?? 0) : 0

/** Decides whether to send a command: `ok` to send, `later` to wait, any other outcome to settle the command unsent. */
const judge = async (table: Table, command: Command, now: number): Promise<CommandOutcome | 'later'> => {
  const { cmd, state, isOnce, sentAt = '', deadline } = command
  // The connection ended before the answer. The server sends this command only once.
  if (isOnce && state === 'sent')
    return now - Date.parse(sentAt) < (cmd === 'reboot' ? restartSeconds : answerSeconds) * 1000
      ? 'later'
      : { result: 'no answer' }
  const erased = await countErased(table, command)
  if (deadline !== undefined && Date.parse(deadline) <= now)
    return erased > 0 ? { result: 'unmet', reason: refusedReason(erased) } : { result: 'expired' }
  if (cmd === 'adduser' && (await isDeliveringOld(table, command))) return 'later'
  const need = command.needs === undefined ? ({ result: 'ok' } as const) : await lookAtNeed(table, command)
  if (!need || (need.result === 'ok' && erased > 0)) return 'later'
  return (await isOfFormer(table, command)) ? { result: 'cancelled' } : need
}

/**
 * The first command that may be sent in this registration; undefined if the terminal is offline. Settles expired
 * commands on the way.
 */
export const nextCommand = async (
  table: Table,
  serialNumber: string,
  generation: number | undefined,
  now = Date.now(),
  /** The commands of this poll that the terminal already has. */
  handedOver: ReadonlySet<string> = new Set(),
): Promise<Item<Command> | undefined> => {
  for await (const command of table.each<Command>({ pk: commandKey(serialNumber, '').pk })) {
    if (handedOver.has(command.id)) continue
    const outcome = await judge(table, command, now)
    if (outcome === 'later') continue
    if (outcome.result !== 'ok') await giveUp(table, command, outcome, now)
    else if (generation !== undefined && isTiring(command)) {
      if (now - Date.parse(command.sentAt ?? '') < answerSeconds * 1000) continue
      await takeOutcome(table, { serialNumber, id: command.id, generation }, { result: 'no answer' }, now)
    } else if (generation !== undefined && command.refusedIn !== generation) return command
  }
  return undefined
}

/** Marks a command as sent. Returns undefined for a reset if the server refused a delivery before this save. */
export const sendingOf = async (table: Table, command: Item<Command>, now: number): Promise<Write[] | undefined> => {
  const { cmd, id, serialNumber, attempts } = command
  const sentAt = new Date(now).toISOString()
  const sending = table.replace(commandKey(serialNumber, id), {
    ...command,
    ...{ state: 'sent', attempts: attempts + 1, sentAt },
  })
  if (cmd !== 'initsys') return [sending]
  const device = await table.get(deviceKey(serialNumber))
  return device?.refusedDeliveries ? undefined : [sending, table.unchanged(deviceKey(serialNumber), device)]
}

/** Restores the command's state from before an attempt that the terminal never received. */
export const takeBack = (table: Table, { serialNumber, id, state, attempts, sentAt }: Command): Promise<unknown> =>
  change(table, commandKey(serialNumber, id), current =>
    current.state === 'sent' && current.attempts === attempts + 1 ? { ...current, state, attempts, sentAt } : undefined,
  )

/**
 * Makes the poll job check this terminal when the command may be overdue. An earlier due time stays. The version
 * changes in any case, so a parallel check does not remove the entry.
 */
export const watch = (company: string, serialNumber: string, dueAt: number): Promise<void> =>
  again(async () => {
    const key = dueTerminalKey(serialNumber)
    const at = new Date(dueAt).toISOString()
    const existing = await directory().get(key)
    const due = { company, serialNumber, dueAt: existing && existing.dueAt < at ? existing.dueAt : at }
    await save(
      existing ? directory().replace(key, { ...due, version: existing.version }) : directory().insertAnew(key, due),
    )
  })

/** Whether the terminal may already have opened the door or restarted, which no cancellation can undo. */
const mayBeDone = ({ cmd, state }: Command): boolean => state === 'sent' && (cmd === 'opendoor' || cmd === 'reboot')

/** Cancels commands meant for hardware that a manager has replaced. */
export const cancelOfFormer = async (table: Table, serialNumber: string): Promise<void> => {
  for (const command of await table.all<Command>({ pk: commandKey(serialNumber, '').pk }))
    if (!mayBeDone(command) && (await isOfFormer(table, command)))
      await giveUp(table, command, { result: 'cancelled' }, Date.now())
}

/**
 * Whether a person may cancel the command. Erasures must complete, and the list of old users must precede enrolments.
 */
export const canCancel = ({ state, erasure, body }: Command): boolean =>
  state === 'queued' && erasure === undefined && body.isFirst !== true && body.isLook !== true
/** Commands that no user requested: for assignments, and for steps of an enrolment. */
const automaticCommands: ReadonlySet<string> = new Set([...userCommands, ...enrolmentCommands])
/**
 * Whether a person may retry the command. A reset runs only as a whole, so a person cannot retry its single commands. A
 * person can retry an erasure until it succeeds.
 */
export const canRetry = ({ cmd, state, erasure, needs }: SettledCommand): boolean =>
  state !== 'done' &&
  (erasure !== undefined || (needs === undefined && cmd !== 'initsys' && !automaticCommands.has(cmd)))

export const cancelCommand = (table: Table, serialNumber: string, id: string): Promise<void> =>
  again(async () => {
    const command = await table.get(commandKey(serialNumber, id))
    if (!command) throw new Problem(60004, { id: 60004 })
    // The terminal received the command meanwhile. Erasures get 60005 instead, because a person cannot cancel them.
    if (command.state === 'sent' && command.erasure === undefined) throw new Problem(60006)
    if (!canCancel(command)) throw new Problem(60005, { id: 60005 })
    await finish(table, command, { result: 'cancelled' }, Date.now())
  })

/** Queues the command again for the person who retries it, with its full time limit. */
export const retryCommand = async (table: Table, serialNumber: string, id: string, by: string): Promise<string> => {
  const settled = await table.get(settledCommandKey(serialNumber, id))
  if (!settled) throw new Problem(60004, { id: 60004 })
  if (!canRetry(settled)) throw new Problem(60005, { id: 60005 })
  const { cmd, body, mostAttempts, isOnce, subject, deadline, queuedAt, erasure } = settled
  const time = deadline === undefined ? undefined : Date.parse(deadline) - Date.parse(queuedAt)
  // A retried erasure keeps its id, by which the erasure finds the command.
  const command = erasure === undefined ? newId() : id
  await save(
    ...(erasure === undefined ? [] : [table.remove(settledCommandKey(serialNumber, id), settled.version)]),
    queueCommand(table, serialNumber, {
      ...{ id: command, cmd, body, mostAttempts, isOnce, subject, erasure, by },
      ...(time !== undefined && { deadline: new Date(Date.now() + time).toISOString() }),
    }),
  )
  return command
}
