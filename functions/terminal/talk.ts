import { type Connection, connectionKey, type DialogueStep, type PendingQuestion } from '../../shared/connection.ts'
import { deviceKey } from '../../shared/device/key.ts'
import type { Device } from '../../shared/device.ts'
import { addDays, laterDay, localDay } from '../../shared/local-day.ts'
import { askLog, type Fields, frameLimitBytes, isPageCommand } from '../../shared/terminal/ai-face.ts'
import { localTimeAt } from '../../shared/terminal/clock.ts'
import { answerSeconds, type Command } from '../../shared/terminal/command.ts'
import { tellsOfPeople, writesPeople } from '../../shared/terminal/command-kind.ts'
import { profileNamed } from '../../shared/terminal/profile.ts'
import { hashSecret } from '../kit/id.ts'
import { push } from '../kit/push.ts'
import { change, saves } from '../kit/table/change.ts'
import { directory, type Item, openTable, type Table, type Write } from '../kit/table.ts'
import { type CommandOutcome, giveUp, nextCommand, sendingOf, takeBack, takeOutcome, watch } from './command.ts'
import { compose } from './compose.ts'
import { startCounting } from './count.ts'
import { desiredSettings } from './settings.ts'

// The conversation with a websocket terminal. Answers carry no number, so the server asks one question at a time. The
// steps of a registration or a periodic check come first, then the queued commands.

/** Delay before polling the enrolment status again. */
export const askOnMilliseconds = 2000

const isOverdue = ({ at }: PendingQuestion, now: number) => now - Date.parse(at) >= answerSeconds * 1000

const isDue = ({ notBefore = '' }: DialogueStep, now: number) => notBefore <= new Date(now).toISOString()

/** Whether a conversation is stalled: an answer is overdue, or no process has sent a due step. */
export const standsStill = ({ asked: pending, steps = [] }: Connection, now: number): boolean =>
  pending ? isOverdue(pending, now) : steps.some(step => isDue(step, now))

/** The largest message that the server pushes, with a margin below the websocket's limit. */
const mostFrameBytes = frameLimitBytes - 8 * 1024

interface Question {
  message: Fields
  asked: Omit<PendingQuestion, 'at'>
  isOnce?: boolean | undefined
}

/** The question of a step. `desired` are its settings if the caller has just read them. */
export const questionOf = async (
  table: Table,
  device: Device,
  zone: string,
  step: DialogueStep,
  now: number,
  desired?: Fields,
): Promise<Question> => {
  const { command, from, isDaily, isOwed } = step
  if (isPageCommand(command))
    return {
      message: askLog(command, true, { from, to: localDay(zone, now) }),
      asked: { command, from, isDaily, isOwed },
    }
  if (command === 'settime')
    return { message: { cmd: command, cloudtime: localTimeAt(zone, now).replace('T', ' ') }, asked: { command } }
  if (command === 'enabledevice') return { message: { cmd: command }, asked: { command } }
  const settings = desired ?? (await desiredSettings(table, device))
  return { message: { cmd: command, ...settings }, asked: { command, settings: JSON.stringify(settings) } }
}

/** The question of a queued command. The server requests pages until one is empty. */
const questionFor = (
  command: Command,
  message: Fields,
  { reconcileFrom }: Device,
  zone: string,
  now: number,
): Question => {
  const { id, cmd, body } = command
  if (isPageCommand(cmd)) {
    const from = typeof body.from === 'string' ? body.from : undefined
    const pending = { command: cmd, id, from, ...(reconcileFrom === undefined && { isNothingLost: true }) }
    return { message: askLog(cmd, true, { from, to: localDay(zone, now) }), asked: pending }
  }
  const { cmd: _, ...settings } = message
  const pending = {
    ...{ command: cmd, id },
    ...(typeof message.enrollid === 'number' && { enrollid: message.enrollid }),
    ...(cmd === 'setdevinfo' && { settings: JSON.stringify(settings) }),
  }
  return { message, asked: pending, isOnce: command.isOnce }
}

interface Talk {
  table: Table
  company: string
  device: Item<Device>
  id: string
  connection: Item<Connection>
  now: number
}

/** The late reply that may still arrive after the server gave up a question. */
export const lateOf = ({ command }: PendingQuestion): Partial<Connection> => ({
  ...(isPageCommand(command) && { isPageLate: true }),
  ...(command === 'settime' && { isClockLate: true }),
})
/**
 * Whether a page may answer an earlier request, because the terminal never answered the `settime` that separates two
 * page requests.
 */
export const isDoubtful = ({ isPageLate, isClockLate }: Connection): boolean =>
  isPageLate === true && isClockLate === true

/**
 * Ends a terminal's connection: the terminal is offline, and its last answer may be lost. The connection's item stays
 * for the gateway's disconnect event.
 */
export const unbind = (
  table: Table,
  id: string,
  connection: Connection,
  more: Partial<Device> = {},
): Promise<Item<Device> | undefined> => {
  const { sn = '', zone = 'UTC' } = connection
  return change(table, deviceKey(sn), device => {
    const isBound = device.connection === id
    // Another process already recorded the end, and this call adds no reason.
    if (!isBound && (device.connection !== undefined || Object.keys(more).length === 0)) return undefined
    return {
      ...device,
      ...more,
      connection: undefined,
      // Keep the time of the last user change, so that the server counts the change although the terminal is offline.
      ...(isBound && { wroteAt: connection.wroteAt, ...unanswered(device, connection, zone) }),
    }
  })
}

/**
 * Sends a question. Returns `again` if another process was faster. Returns `gone` and unbinds the terminal if the
 * connection has ended.
 */
const ask = async (
  { table, id, connection, now }: Talk,
  { message, asked: pending, isOnce }: Question,
  then: Partial<Connection>,
  ...along: Write[]
): Promise<'sent' | 'gone' | 'again'> => {
  const at = new Date(now).toISOString()
  const isSaved = await saves(
    directory().replace(connectionKey(id), {
      ...connection,
      asked: { ...pending, at },
      ...(pending.settings !== undefined && { settings: pending.settings }),
      ...then,
    }),
    ...along,
  )
  if (!isSaved) return 'again'
  if (await push(id, message, { isOnce })) return 'sent'
  // The terminal never received the request, so the server expects no reply.
  await unbind(table, id, connection)
  return 'gone'
}

/** Sends the next command: `again` if another process was faster, `passed` if the command ended unsent. */
const sendCommand = async (talk: Talk, command: Item<Command>): Promise<'sent' | 'gone' | 'again' | 'passed'> => {
  const { table, company, device, connection, now } = talk
  const composed = await compose({ table, company, device, command })
  const refusal: CommandOutcome | undefined =
    composed === undefined
      ? { result: 'ok' }
      : composed === 'unsupported'
        ? { result: 'unsupported' }
        : Buffer.byteLength(JSON.stringify(composed.message)) > mostFrameBytes
          ? { result: 'refused', reason: 'too large' }
          : undefined
  if (refusal || composed === undefined || composed === 'unsupported') {
    // An earlier attempt may have changed the terminal's content, so the content is unknown.
    await giveUp(table, { ...command, holds: undefined }, refusal ?? { result: 'ok' }, now)
    return 'passed'
  }
  const { message, holds } = composed
  await watch(company, device.serialNumber, now + answerSeconds * 1000)
  const question = questionFor(command, message, device, connection.zone ?? 'UTC', now)
  const changesUsers = tellsOfPeople.has(command.cmd)
  if (changesUsers) await startCounting(table, device, talk.id)
  const sending = await sendingOf(table, { ...command, holds }, now)
  if (!sending) return 'again'
  const isUnanswered = command.cmd === 'reboot'
  const then = {
    ...(changesUsers && { wroteAt: new Date(now).toISOString() }),
    ...(isUnanswered && { asked: undefined }),
  }
  const result = await ask(talk, question, then, ...sending)
  if (result === 'gone') await takeBack(table, command)
  if (result === 'sent' && isUnanswered) {
    const place = { serialNumber: device.serialNumber, id: command.id, generation: device.generation }
    await takeOutcome(table, place, { result: 'ok' }, now)
  }
  return result
}

/** Sets `reconcileFrom`, because the next page may get lost. The server then requests all records since that day. */
export const noteOwedPage = (table: Table, serialNumber: string, id: string, zone: string) =>
  change(table, deviceKey(serialNumber), device =>
    device.connection !== id || device.reconcileFrom !== undefined
      ? undefined
      : { ...device, reconcileFrom: chooseReconcileDay(device, zone) },
  )

/** Counts another request for all records. */
export const noteAllAsked = (table: Table, serialNumber: string, now: number) =>
  change(table, deviceKey(serialNumber), device => ({
    ...device,
    allAsked: { at: new Date(now).toISOString(), times: (device.allAsked?.times ?? 0) + 1 },
  }))

/** Notes lost records, so that the server requests all records, even if the terminal reports none undelivered. */
export const noteLostPage = (table: Table, serialNumber: string, zone: string) => {
  const pageLostAt = new Date().toISOString()
  return change(table, deviceKey(serialNumber), device => ({
    ...device,
    ...{ pageLostAt, reconcileFrom: device.reconcileFrom ?? chooseReconcileDay(device, zone) },
  }))
}

/** A terminal that has just answered: the time of the question, the connection, and the items read meanwhile. */
interface Heard {
  askedAt: string
  id: string
  connection: Item<Connection>
  device?: Item<Device> | undefined
}

type Progress = 'sent' | 'gone' | 'idle' | 'again' | 'passed'

const tryGoOn = async (
  company: string,
  serialNumber: string,
  now: number,
  answeredAt?: string,
  read?: Heard,
): Promise<Progress> => {
  const table = openTable(company)
  let device = read?.device ?? (await table.get(deviceKey(serialNumber)))
  const id = device?.connection
  const cached = id !== undefined && id === read?.id ? read.connection : undefined
  const stored = id === undefined ? undefined : (cached ?? (await directory().get(connectionKey(id))))
  const isCurrent = stored?.sn === serialNumber && stored.generation === device?.generation
  if (!device || id === undefined || !stored || !isCurrent) {
    // The terminal is offline, but overdue commands still expire.
    await nextCommand(table, serialNumber, undefined, now)
    return 'idle'
  }
  const { asked: pending } = stored
  const isAnswered = pending !== undefined && pending.at === answeredAt
  const isOwed = !isAnswered && owesPage(stored, device)
  const connection = {
    ...stored,
    ...(pending && !isAnswered && lateOf(pending)),
    // A page may be lost, so an empty page no longer proves that all records arrived.
    ...(isOwed && { steps: stored.steps?.map(step => (step.command === 'getnewlog' ? { ...step, isOwed } : step)) }),
  }
  if (pending && !isAnswered && !isOverdue(pending, now)) return 'idle'
  const place = { serialNumber, id: pending?.id ?? '', generation: device.generation }
  if (pending?.id && !isAnswered) await takeOutcome(table, place, { result: 'no answer' }, now)
  const zone = connection.zone ?? 'UTC'
  if (isOwed || (!isAnswered && mayBeSet(stored))) {
    const note = (current: Item<Device>) =>
      current.connection === id ? { ...current, ...unanswered(current, stored, zone) } : undefined
    device = (await change(table, deviceKey(serialNumber), note)) ?? device
  }
  const talk = { table, company, device, id, connection, now }
  // Replies carry no number. A dummy question keeps a late reply from matching the next question of the same name.
  const isLate = pending !== undefined && !isAnswered && (pending.id !== undefined || isPageCommand(pending.command))
  if (isLate && !(isDoubtful(connection) && isPageCommand(pending.command))) {
    await watch(company, serialNumber, now + answerSeconds * 1000)
    return ask(talk, await questionOf(table, device, zone, { command: 'settime' }, now), {})
  }
  return goOnWith(talk, pending !== undefined)
}

/** Sends the next due step, or else the next queued command. */
const goOnWith = async (talk: Talk, wasAsked: boolean): Promise<Progress> => {
  const { table, device, id, connection, now } = talk
  const { serialNumber } = device
  const { steps = [], zone = 'UTC' } = connection
  const step = steps.find(candidate => isDue(candidate, now))
  if (step) {
    const left = steps.filter(other => other !== step)
    return ask(talk, await questionOf(table, device, zone, step, now), { steps: left })
  }
  const command = await nextCommand(table, serialNumber, device.generation, now)
  const isForPeople = command !== undefined && writesPeople.has(command.cmd)
  if (profileNamed(device.profile).isDisabledForUsers && isForPeople !== (connection.isDisabled ?? false)) {
    const cmd = isForPeople ? 'disabledevice' : 'enabledevice'
    return ask(talk, { message: { cmd }, asked: { command: cmd } }, { isDisabled: isForPeople })
  }
  if (command) return sendCommand(talk, command)
  if (!wasAsked) return 'idle'
  if (!(await saves(directory().replace(connectionKey(id), { ...connection, asked: undefined })))) return 'again'
  // If an author queued a command meanwhile, this process sends it, because the author's process saw the terminal busy.
  return (await nextCommand(table, serialNumber, device.generation, now)) ? 'passed' : 'idle'
}

/**
 * The first day of a full read: one day before the terminal last reported an empty queue, because clocks differ. Never
 * before the claim, because older records may belong to another company.
 */
export const chooseReconcileDay = (device: Device, zone: string): string => {
  const day = (at: string) => localDay(zone, Date.parse(at))
  const first = day(recordsSince(device))
  return device.uploadedAt ? laterDay(first, addDays(day(device.uploadedAt), -1)) : first
}

/** The time from which the terminal's records belong to its company. */
export const recordsSince = ({ recordsFrom, claimedAt }: Device): string => recordsFrom ?? claimedAt

/** Whether a requested page may be lost: the terminal may treat it as delivered. After an empty page none is lost. */
const owesPage = ({ asked: pending }: Pick<Connection, 'asked'>, { uploadedAt = '' }: Pick<Device, 'uploadedAt'>) =>
  pending !== undefined && isPageCommand(pending.command) && uploadedAt <= pending.at

/** Whether the terminal has not answered its settings, so it may or may not have applied them. */
const mayBeSet = ({ asked: pending }: Pick<Connection, 'asked'>) => pending?.settings !== undefined

/** The fields that an unanswered question leaves in doubt: all of them if the connection is unknown. */
export const unanswered = (
  device: Device,
  line: Pick<Connection, 'asked'> | undefined,
  zone: string,
): Pick<Device, 'reconcileFrom' | 'settings'> => ({
  ...((!line || owesPage(line, device)) && { reconcileFrom: device.reconcileFrom ?? chooseReconcileDay(device, zone) }),
  ...((!line || mayBeSet(line)) && { settings: undefined }),
})

const mostTries = 8

/**
 * Sends a terminal its next question, if the terminal is online and owes no answer. Gives up an overdue answer. Uses
 * the items in `heard` until another process is faster.
 */
export const goOn = async (company: string, serialNumber: string, now = Date.now(), heard?: Heard): Promise<void> => {
  let read = heard
  for (let tries = 0; tries < mostTries; read = undefined) {
    const result = await tryGoOn(company, serialNumber, now, heard?.askedAt, read)
    if (result === 'again') tries++
    else if (result !== 'passed') return
  }
}

/** Adds steps ahead of the queued commands, each once, and continues the conversation. */
export const lead = async (
  company: string,
  serialNumber: string,
  id: string,
  steps: DialogueStep[],
  now = Date.now(),
) => {
  await change(directory(), connectionKey(id), ({ steps: planned = [], ...connection }) => {
    const more = steps.filter(({ command }) => !planned.some(step => step.command === command))
    return more.length > 0 ? { ...connection, steps: [...planned, ...more] } : undefined
  })
  await goOn(company, serialNumber, now)
}

/** A hash that recognises a repeated page by its records, because other fields may differ each time. */
export const pageMark = (fields: Fields): string =>
  hashSecret(JSON.stringify(fields.record ?? fields.records ?? fields))
