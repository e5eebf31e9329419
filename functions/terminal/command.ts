import { dueTerminalKey } from '../../shared/device/claim.ts'
import { deviceKey } from '../../shared/device.ts'
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

// The queue of what a terminal is to do, whatever protocol it is told by. What is queued is told as a fact, so that it is sent even
// where whoever queued it has died.

export type NewCommand = Pick<
  Command,
  'cmd' | 'body' | 'mostAttempts' | 'isOnce' | 'isFinal' | 'deadline' | 'needs' | 'by' | 'subject' | 'erasure'
> & { id?: string }

/** Queues a command; one with an id of its own is queued once, however often that is said. */
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

/** What became of a command. */
export interface Outcome {
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

/** A command is over. */
const settled = (
  table: Table,
  { version, ...command }: Item<Command>,
  { result, reason }: Outcome,
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

/** How long the terminal is asked whether the person it is to register has done as they were told. */
const enrolSeconds = 90
/**
 * After an enrolment is begun the terminal is asked how it stands, and then for what it took; of a face or palm only whether it has it, for a
 * picture is larger than the managed websocket takes and would end the connection.
 */
const thenOf = new Map([
  ['adduser', 'checkregstatus'],
  ['checkregstatus', 'getuserinfo'],
])

/** Where somebody asked for one of these, a terminal registers something of the person it is about. */
export const enrolmentCommands: ReadonlySet<string> = new Set(['adduser', ...thenOf.values()])

/** Is refused until it is so; whoever hears that waits a little and asks on. */
export const isAskedOn = (cmd: string) => cmd === 'checkregstatus'

/** What follows from a terminal's having done this. */
const effectsOf = async (table: Table, command: Command, now: number): Promise<Write[]> => {
  const { cmd, serialNumber, body, by, subject } = command
  const isLarge = cmd === 'checkregstatus' && Number(body.backupnum) >= backupNumbers.palm
  const then = isLarge ? 'getuserlist' : thenOf.get(cmd)
  if (then && command.attempts > 0) {
    const deadline = new Date(now + enrolSeconds * 1000).toISOString()
    // What it just took it has or not: whoever stands there is told at once.
    const isFinal = isAskedOn(then) ? {} : { isFinal: true as const }
    return [queueCommand(table, serialNumber, { cmd: then, body, by, subject, deadline, ...isFinal })]
  }
  if (cmd !== 'initsys') return []
  const device = await table.get(deviceKey(serialNumber))
  const at = new Date(now).toISOString()
  if (!device) return []
  const held = { users: 0, templates: 0, faces: 0 }
  const nothing = { ...held, records: 0, unsent: 0, counted: { since: at, upTo: at, unsent: 0, held } }
  // What it holds from now on is from no time before.
  const emptied = { emptiedAt: at, resetAt: at, listed: { at }, refusedDeliveries: undefined }
  return [table.replace(deviceKey(serialNumber), { ...device, ...nothing, ...emptied })]
}

/** Whether a terminal that did not answer emptied itself nobody knows: who is to be there is sent there again. */
const doubtOf = async (table: Table, { cmd, serialNumber }: Command, now: number): Promise<Write[]> => {
  const device = cmd === 'initsys' ? await table.get(deviceKey(serialNumber)) : undefined
  return device ? [table.replace(deviceKey(serialNumber), { ...device, emptiedAt: new Date(now).toISOString() })] : []
}

/** Who will not say whom it holds is believed what it tells from then on, and no list. */
const partialOf = async (
  table: Table,
  { body, serialNumber }: Command,
  { result }: Outcome,
  now: number,
): Promise<Write[]> => {
  if (body.isFirst !== true || stateOf[result] !== 'failed') return []
  const device = await table.get(deviceKey(serialNumber))
  if (!device || device.listed) return []
  const listed = { at: new Date(now).toISOString(), isPartial: true as const }
  return [table.replace(deviceKey(serialNumber), { ...device, listed })]
}

const finish = async (table: Table, command: Item<Command>, outcome: Outcome, now: number): Promise<void> =>
  save(
    ...settled(table, command, outcome, now),
    ...(outcome.result === 'ok' ? await effectsOf(table, command, now) : []),
    ...(outcome.result === 'no answer' ? await doubtOf(table, command, now) : []),
    ...(await partialOf(table, command, outcome, now)),
  )

/** A command is given up; where it is not as it was read, somebody else was quicker and has seen to it. */
export const giveUp = async (table: Table, command: Item<Command>, outcome: Outcome, now: number): Promise<void> => {
  try {
    await finish(table, command, outcome, now)
  } catch (error) {
    if (!wasSlower(error)) throw error
  }
}

/** What terminals answer where there is none of what they are to delete or to tell. */
export const missing = '5'
/** Who does not answer so often in a row is asked again when it has registered anew. */
const triesInRow = 3

/**
 * Takes what came of a command that was sent: it is over, or is to be sent again. What the terminal refuses it is asked again when it
 * has registered anew, every two hours at the latest: it may have been busy.
 */
export const takeOutcome = (
  table: Table,
  { serialNumber, id, generation }: { serialNumber: string; id: string; generation: number },
  { result, reason }: Outcome,
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

/** What came of what has to be done before; undefined where it is still to be done. */
const lookAtNeed = async (table: Table, { cmd, serialNumber, needs = '' }: Command): Promise<Outcome | undefined> => {
  if (await table.get(commandKey(serialNumber, needs))) return undefined
  const need = await table.get(settledCommandKey(serialNumber, needs))
  if (need?.state !== 'done') return { result: 'unmet' }
  const { unsent = 0, reconcileFrom } = cmd === 'initsys' ? ((await table.get(deviceKey(serialNumber))) ?? {}) : {}
  // A page was lost since, and is asked for again.
  if (reconcileFrom !== undefined) return undefined
  return unsent > 0 ? { result: 'unmet', reason: String(unsent) } : { result: 'ok' }
}

/**
 * Whether other hardware was approved since, which is not meant by what people asked of the one before it, nor by the questions whom that
 * held and what of them. An erasure is owed, whoever asked for it once more. Looked at last of all.
 */
const isOfFormer = async (table: Table, { cmd, by, erasure, serialNumber, queuedAt }: Command): Promise<boolean> =>
  (cmd === 'getuserlist' || cmd === 'getuserinfo' || (by !== undefined && erasure === undefined)) &&
  queuedAt < ((await table.get(deviceKey(serialNumber)))?.replacedAt ?? '')

/** Who starts anew may answer by being there again. */
const restartSeconds = 300

/** Who it was sent to has gone each time without an answer: it may be what ends the connection, and the others are not to wait for it. */
const isTiring = ({ state, isOnce, attempts, mostAttempts }: Command): boolean =>
  state === 'sent' && !isOnce && (attempts === mostAttempts || attempts % triesInRow === 0)

/** Who comes by HTTP tells of its own what it held when it came: that must not be taken for what it registers. */
const tellsStill = async (table: Table, { serialNumber }: Command): Promise<boolean> => {
  const device = await table.get(deviceKey(serialNumber))
  return device?.protocol === 'adms' && !device.listed
}

/** How many refused deliveries a reset would erase. */
const countErased = async (table: Table, { cmd, serialNumber }: Command): Promise<number> =>
  cmd === 'initsys' ? ((await table.get(deviceKey(serialNumber)))?.refusedDeliveries?.length ?? 0) : 0

/** What a command came to that is not sent any more; `ok` where it may be sent. */
const judge = async (table: Table, command: Command, now: number): Promise<Outcome | 'later'> => {
  const { cmd, state, isOnce, sentAt = '', deadline } = command
  // Whoever it was sent to has gone without an answer.
  if (isOnce && state === 'sent')
    return now - Date.parse(sentAt) < (cmd === 'reboot' ? restartSeconds : answerSeconds) * 1000
      ? 'later'
      : { result: 'no answer' }
  const erased = await countErased(table, command)
  if (deadline !== undefined && Date.parse(deadline) <= now)
    return erased > 0 ? { result: 'unmet', reason: refusedReason(erased) } : { result: 'expired' }
  if (cmd === 'adduser' && (await tellsStill(table, command))) return 'later'
  const need = command.needs === undefined ? ({ result: 'ok' } as const) : await lookAtNeed(table, command)
  if (!need || (need.result === 'ok' && erased > 0)) return 'later'
  return (await isOfFormer(table, command)) ? { result: 'cancelled' } : need
}

/**
 * The first that may be sent in this registration, where there is one; those that are over are settled on the way. None is sent
 * where nobody is there to be sent it.
 */
export const nextCommand = async (
  table: Table,
  serialNumber: string,
  generation: number | undefined,
  now = Date.now(),
  /** Of terminals that are handed several at once: those that were. */
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

/** A command is on its way. A reset holds only if the server refused no delivery before this is saved; undefined where it did. */
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

/** It was sent to nobody, for the connection had ended: it waits as it did. */
export const takeBack = (table: Table, { serialNumber, id, state, attempts, sentAt }: Command): Promise<unknown> =>
  change(table, commandKey(serialNumber, id), known =>
    known.state === 'sent' && known.attempts === attempts + 1 ? { ...known, state, attempts, sentAt } : undefined,
  )

/**
 * Whoever goes through what is due by the minute looks at this terminal again when it may be late; what is due earlier stays, and who is
 * through with that just now finds that it is another one.
 */
export const watch = (company: string, serialNumber: string, dueAt: number): Promise<void> =>
  again(async () => {
    const key = dueTerminalKey(serialNumber)
    const at = new Date(dueAt).toISOString()
    const known = await directory().get(key)
    const due = { company, serialNumber, dueAt: known && known.dueAt < at ? known.dueAt : at }
    await save(known ? directory().replace(key, { ...due, version: known.version }) : directory().insertAnew(key, due))
  })

/** A door that was told to open, or a terminal to begin anew, may have done so: nobody takes that back. */
const mayBeDone = ({ cmd, state }: Command): boolean => state === 'sent' && (cmd === 'opendoor' || cmd === 'reboot')

/** Takes back what was asked of a terminal in whose place other hardware was let in since. */
export const cancelOfFormer = async (table: Table, serialNumber: string): Promise<void> => {
  for (const command of await table.all<Command>({ pk: commandKey(serialNumber, '').pk }))
    if (!mayBeDone(command) && (await isOfFormer(table, command)))
      await giveUp(table, command, { result: 'cancelled' }, Date.now())
}

/**
 * Whether somebody may take it back: an erasure is owed to whoever was erased, and what a terminal held before it was ours has to be told
 * from what is sent to it and registered at it.
 */
export const canCancel = ({ state, erasure, body }: Command): boolean =>
  state === 'queued' && erasure === undefined && body.isFirst !== true && body.isLook !== true
/**
 * What follows from who is to be on a terminal, or from another command, is not asked for by anybody; and what is in a place is looked
 * at anew before somebody registers there.
 */
const unasked: ReadonlySet<string> = new Set([...userCommands, ...enrolmentCommands])
/**
 * What had to be done before another command was sent is not done again by trying that once more: a reset is asked for as a whole. What
 * an erasure waits for is owed until it is done.
 */
export const canRetry = ({ cmd, state, erasure, needs }: SettledCommand): boolean =>
  state !== 'done' && (erasure !== undefined || (needs === undefined && cmd !== 'initsys' && !unasked.has(cmd)))

export const cancelCommand = (table: Table, serialNumber: string, id: string): Promise<void> =>
  again(async () => {
    const command = await table.get(commandKey(serialNumber, id))
    if (!command) throw new Problem(60004, { id: 60004 })
    // It was sent meanwhile. One that is owed to whoever was erased was nobody's to take back at any time.
    if (command.state === 'sent' && command.erasure === undefined) throw new Problem(60006)
    if (!canCancel(command)) throw new Problem(60005, { id: 60005 })
    await finish(table, command, { result: 'cancelled' }, Date.now())
  })

/** The same once more, as whoever asks now asks for it; it has as much time as it had. */
export const retryCommand = async (table: Table, serialNumber: string, id: string, by: string): Promise<string> => {
  const settled = await table.get(settledCommandKey(serialNumber, id))
  if (!settled) throw new Problem(60004, { id: 60004 })
  if (!canRetry(settled)) throw new Problem(60005, { id: 60005 })
  const { cmd, body, mostAttempts, isOnce, subject, deadline, queuedAt, erasure } = settled
  const time = deadline === undefined ? undefined : Date.parse(deadline) - Date.parse(queuedAt)
  // An erasure knows it by its name.
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
