import { type Connection, connectionKey, type DialogueStep, type PendingQuestion } from '../../shared/connection.ts'
import { type Device, deviceKey } from '../../shared/device.ts'
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

// The conversation with a terminal of the websocket family. One thing is asked at a time, as its answers carry no number: first the
// steps everyone is led through who registers or is looked after, and then what is queued.

/** Somebody is just putting a finger down. */
export const askOnMilliseconds = 2000

const isOverdue = ({ at }: PendingQuestion, now: number) => now - Date.parse(at) >= answerSeconds * 1000

const isDue = ({ notBefore = '' }: DialogueStep, now: number) => notBefore <= new Date(now).toISOString()

/** Whether a conversation stands still until the terminal is looked after: an answer never came, or nobody began the steps. */
export const standsStill = ({ asked, steps = [] }: Connection, now: number): boolean =>
  asked ? isOverdue(asked, now) : steps.some(step => isDue(step, now))

/** The frame must fit into what the managed websocket takes, with something to spare. */
const mostFrameBytes = frameLimitBytes - 8 * 1024

interface Question {
  message: Fields
  asked: Omit<PendingQuestion, 'at'>
  isOnce?: boolean | undefined
}

/** A step as it is asked; `known` are the settings it is to have, where somebody has just looked. */
export const questionOf = async (
  table: Table,
  device: Device,
  zone: string,
  step: DialogueStep,
  now: number,
  known?: Fields,
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
  const settings = known ?? (await desiredSettings(table, device))
  return { message: { cmd: command, ...settings }, asked: { command, settings: JSON.stringify(settings) } }
}

/** A command as it is asked; pages are asked for until one is empty, whoever wants them. */
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
    const asked = { command: cmd, id, from, ...(reconcileFrom === undefined && { isNothingLost: true }) }
    return { message: askLog(cmd, true, { from, to: localDay(zone, now) }), asked }
  }
  const { cmd: _, ...settings } = message
  const asked = {
    ...{ command: cmd, id },
    ...(typeof message.enrollid === 'number' && { enrollid: message.enrollid }),
    ...(cmd === 'setdevinfo' && { settings: JSON.stringify(settings) }),
  }
  return { message, asked, isOnce: command.isOnce }
}

interface Talk {
  table: Table
  company: string
  device: Item<Device>
  id: string
  connection: Item<Connection>
  now: number
}

/** What may still come over a connection where a question was given up. */
export const lateOf = ({ command }: PendingQuestion): Partial<Connection> => ({
  ...(isPageCommand(command) && { isPageLate: true }),
  ...(command === 'settime' && { isClockLate: true }),
})
/** A page that comes may answer what was asked long before, and what is asked between two pages tells nothing of that any more. */
export const isDoubtful = ({ isPageLate, isClockLate }: Connection): boolean =>
  isPageLate === true && isClockLate === true

/**
 * A terminal's connection has ended, whoever noticed: the terminal is there no more, and what it was asked for may be lost. The
 * connection itself stays for whoever is told that it ended.
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
    // Somebody noticed before, and did not know why.
    if (!isBound && (device.connection !== undefined || Object.keys(more).length === 0)) return undefined
    return {
      ...device,
      ...more,
      connection: undefined,
      // What it was told last is counted though it has gone.
      ...(isBound && { wroteAt: connection.wroteAt, ...unanswered(device, connection, zone) }),
    }
  })
}

/**
 * Asks, and answers whether it was this call that did, and whether anybody heard it; of a connection that has ended and nobody said so,
 * that is written down.
 */
const ask = async (
  { table, id, connection, now }: Talk,
  { message, asked, isOnce }: Question,
  then: Partial<Connection>,
  ...along: Write[]
): Promise<'sent' | 'gone' | 'again'> => {
  const at = new Date(now).toISOString()
  const isMine = await saves(
    directory().replace(connectionKey(id), {
      ...connection,
      asked: { ...asked, at },
      ...(asked.settings !== undefined && { settings: asked.settings }),
      ...then,
    }),
    ...along,
  )
  if (!isMine) return 'again'
  if (await push(id, message, { isOnce })) return 'sent'
  // What it was asked just now it owes to nobody.
  await unbind(table, id, connection)
  return 'gone'
}

/** Sends the next command; `again` where somebody else was quicker, `passed` where it is over without being sent. */
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
    // What it was to hold by an earlier sending it may hold or not.
    await giveUp(table, { ...command, holds: undefined }, refusal ?? { result: 'ok' }, now)
    return 'passed'
  }
  const { message, holds } = composed
  await watch(company, device.serialNumber, now + answerSeconds * 1000)
  const question = questionFor(command, message, device, connection.zone ?? 'UTC', now)
  const isTold = tellsOfPeople.has(command.cmd)
  if (isTold) await startCounting(table, device, talk.id)
  const sending = await sendingOf(table, { ...command, holds }, now)
  if (!sending) return 'again'
  const isUnanswered = command.cmd === 'reboot'
  const then = {
    ...(isTold && { wroteAt: new Date(now).toISOString() }),
    ...(isUnanswered && { asked: undefined }),
  }
  const came = await ask(talk, question, then, ...sending)
  if (came === 'gone') await takeBack(table, command)
  if (came === 'sent' && isUnanswered) {
    const place = { serialNumber: device.serialNumber, id: command.id, generation: device.generation }
    await takeOutcome(table, place, { result: 'ok' }, now)
  }
  return came
}

/** From here on a page may be lost: where it is, all records since are asked for. */
export const noteOwedPage = (table: Table, serialNumber: string, id: string, zone: string) =>
  change(table, deviceKey(serialNumber), device =>
    device.connection !== id || device.reconcileFrom !== undefined
      ? undefined
      : { ...device, reconcileFrom: chooseReconcileDay(device, zone) },
  )

/** It was asked for all its records once more, or is about to be. */
export const noteAllAsked = (table: Table, serialNumber: string, now: number) =>
  change(table, deviceKey(serialNumber), device => ({
    ...device,
    allAsked: { at: new Date(now).toISOString(), times: (device.allAsked?.times ?? 0) + 1 },
  }))

/** Records are lost, over whatever connection, and whatever the terminal says that it has not delivered: all are asked for. */
export const noteLostPage = (table: Table, serialNumber: string, zone: string) => {
  const pageLostAt = new Date().toISOString()
  return change(table, deviceKey(serialNumber), device => ({
    ...device,
    ...{ pageLostAt, reconcileFrom: device.reconcileFrom ?? chooseReconcileDay(device, zone) },
  }))
}

/** A terminal that has just been heard: over which connection, what was read of both meanwhile, and when it was asked what it answered. */
interface Heard {
  askedAt: string
  id: string
  connection: Item<Connection>
  device?: Item<Device> | undefined
}

type Went = 'sent' | 'gone' | 'idle' | 'again' | 'passed'

const tryGoOn = async (
  company: string,
  serialNumber: string,
  now: number,
  answeredAt?: string,
  read?: Heard,
): Promise<Went> => {
  const table = openTable(company)
  let device = read?.device ?? (await table.get(deviceKey(serialNumber)))
  const id = device?.connection
  const known = id !== undefined && id === read?.id ? read.connection : undefined
  const found = id === undefined ? undefined : (known ?? (await directory().get(connectionKey(id))))
  const isTheirs = found?.sn === serialNumber && found.generation === device?.generation
  if (!device || id === undefined || !found || !isTheirs) {
    // Nobody is there; what has waited too long is over all the same.
    await nextCommand(table, serialNumber, undefined, now)
    return 'idle'
  }
  const { asked } = found
  const isAnswered = asked !== undefined && asked.at === answeredAt
  const isOwed = !isAnswered && owesPage(found, device)
  const connection = {
    ...found,
    ...(asked && !isAnswered && lateOf(asked)),
    // What is new by then does not say that nothing is lost, though it was to be asked for when nothing was.
    ...(isOwed && { steps: found.steps?.map(step => (step.command === 'getnewlog' ? { ...step, isOwed } : step)) }),
  }
  if (asked && !isAnswered && !isOverdue(asked, now)) return 'idle'
  const place = { serialNumber, id: asked?.id ?? '', generation: device.generation }
  if (asked?.id && !isAnswered) await takeOutcome(table, place, { result: 'no answer' }, now)
  const zone = connection.zone ?? 'UTC'
  if (isOwed || (!isAnswered && mayBeSet(found))) {
    const note = (known: Item<Device>) =>
      known.connection === id ? { ...known, ...unanswered(known, found, zone) } : undefined
    device = (await change(table, deviceKey(serialNumber), note)) ?? device
  }
  const talk = { table, company, device, id, connection, now }
  // An answer does not say what it answers. One that still comes is no answer to what is asked in the same words next, where something
  // else is asked between them.
  const isLate = asked !== undefined && !isAnswered && (asked.id !== undefined || isPageCommand(asked.command))
  if (isLate && !(isDoubtful(connection) && isPageCommand(asked.command))) {
    await watch(company, serialNumber, now + answerSeconds * 1000)
    return ask(talk, await questionOf(table, device, zone, { command: 'settime' }, now), {})
  }
  return goOnWith(talk, asked !== undefined)
}

/** Sends the next due registration step, or else the next queued command. */
const goOnWith = async (talk: Talk, wasAsked: boolean): Promise<Went> => {
  const { table, device, id, connection, now } = talk
  const { serialNumber } = device
  const { steps = [], zone = 'UTC' } = connection
  const step = steps.find(one => isDue(one, now))
  if (step) {
    const left = steps.filter(one => one !== step)
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
  // Whoever queued something since it was looked for saw the terminal busy, and left it to us.
  return (await nextCommand(table, serialNumber, device.generation, now)) ? 'passed' : 'idle'
}

/** The day before it last had nothing left to deliver, for clocks differ, but not before the claim: it may remember others. */
export const chooseReconcileDay = (device: Device, zone: string): string => {
  const day = (at: string) => localDay(zone, Date.parse(at))
  const first = day(recordsSince(device))
  return device.uploadedAt ? laterDay(first, addDays(day(device.uploadedAt), -1)) : first
}

/** From when on what it remembers is its company's. */
export const recordsSince = ({ recordsFrom, claimedAt }: Device): string => recordsFrom ?? claimedAt

/** Whether a page was asked for that never came: the terminal may count it as delivered. None is owed behind an empty one. */
const owesPage = ({ asked }: Pick<Connection, 'asked'>, { uploadedAt = '' }: Pick<Device, 'uploadedAt'>) =>
  asked !== undefined && isPageCommand(asked.command) && uploadedAt <= asked.at

/** Whether it was asked to be set and did not answer: it may be or not, and is nothing it has confirmed. */
const mayBeSet = ({ asked }: Pick<Connection, 'asked'>) => asked?.settings !== undefined

/** What a terminal leaves in doubt that did not answer what it was asked last over a line; where nobody knows that any more, it may be anything. */
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
 * Asks a terminal the next thing, where it is there and owes no answer. What it owes for too long is given up. What was read when it
 * was heard is believed, and read again where somebody else was quicker.
 */
export const goOn = async (company: string, serialNumber: string, now = Date.now(), heard?: Heard): Promise<void> => {
  let read = heard
  for (let tries = 0; tries < mostTries; read = undefined) {
    const came = await tryGoOn(company, serialNumber, now, heard?.askedAt, read)
    if (came === 'again') tries++
    else if (came !== 'passed') return
  }
}

/** Puts steps before whatever is queued, each once, and takes the first. */
export const lead = async (
  company: string,
  serialNumber: string,
  id: string,
  steps: DialogueStep[],
  now = Date.now(),
) => {
  await change(directory(), connectionKey(id), ({ steps: known = [], ...connection }) => {
    const more = steps.filter(({ command }) => !known.some(step => step.command === command))
    return more.length > 0 ? { ...connection, steps: [...known, ...more] } : undefined
  })
  await goOn(company, serialNumber, now)
}

/** By what a page is known again that was given before; what else is told with it may be another each time. */
export const pageMark = (fields: Fields): string =>
  hashSecret(JSON.stringify(fields.record ?? fields.records ?? fields))
