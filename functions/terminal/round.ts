import { type Connection, connectionKey, type DialogueStep } from '../../shared/connection.ts'
import { partOf } from '../../shared/day.ts'
import { type DueTerminal, dueTerminalKey, type OpenTerminal, openTerminalKey } from '../../shared/device/claim.ts'
import { deviceKey } from '../../shared/device/key.ts'
import { isAllDue } from '../../shared/device/warning.ts'
import { type Device, isClockMoved, pollMinutes } from '../../shared/device.ts'
import { addDays } from '../../shared/local-day.ts'
import { isPageCommand } from '../../shared/terminal/ai-face.ts'
import { localTimeAt } from '../../shared/terminal/clock.ts'
import { answerSeconds, type Command, commandKey, firstOfAll } from '../../shared/terminal/command.ts'
import { tryEach } from '../kit/each.ts'
import { disconnect, polls } from '../kit/push.ts'
import { change, saves } from '../kit/table/change.ts'
import { directory, type Item, openTable, type Table } from '../kit/table.ts'
import { queueCommand } from './command.ts'
import { countPeople } from './count.ts'
import { desiredSettings } from './settings.ts'
import { goOn, isDoubtful, lead, noteAllAsked, unanswered, unbind } from './talk.ts'

// Periodic work for terminals, and work for all terminals of a company.

const terminalsAtOnce = 16

/** A terminal that missed two polls is offline, even if its connection is open. */
const silentMilliseconds = (2 * pollMinutes + 1) * 60_000

/** The time of the next action for a terminal: an overdue answer, or the expiry of a command. */
const nextDue = async (table: Table, serialNumber: string): Promise<number | undefined> => {
  const commands = await table.all<Command>({ pk: commandKey(serialNumber, '').pk })
  const times = commands.flatMap(({ state, sentAt, deadline }) => [
    ...(state === 'sent' && sentAt ? [Date.parse(sentAt) + answerSeconds * 1000] : []),
    ...(deadline ? [Date.parse(deadline)] : []),
  ])
  return times.length > 0 ? Math.min(...times) : undefined
}

/** Expires overdue answers and commands. */
export const settleOverdue = async (due: Item<DueTerminal>, now: number): Promise<void> => {
  const { company, serialNumber } = due
  await goOn(company, serialNumber, now)
  const table = openTable(company)
  const times = [await nextDue(table, serialNumber), await countPeople(table, serialNumber, now)]
  const next = times.filter(time => time !== undefined).sort((a, b) => a - b)[0]
  const key = dueTerminalKey(serialNumber)
  // If the server sent a command meanwhile, the entry has changed and stays.
  await saves(
    next === undefined
      ? directory().remove(key, due.version)
      : directory().replace(key, { ...due, dueAt: new Date(Math.max(next, now)).toISOString() }),
  )
}

const minutesOfDay = 24 * 60

/** Each terminal has its own minute of the day. An offline terminal has its check a little later. */
const isReconcileDue = ({ serialNumber, reconciledOn = '' }: Device, localNow: string): boolean => {
  const minute = Number(localNow.slice(11, 13)) * 60 + Number(localNow.slice(14, 16))
  return reconciledOn < localNow.slice(0, 10) && minute >= partOf(serialNumber, minutesOfDay)
}

/** Whether a terminal has its settings, or has just refused them. */
const isSet = async (table: Table, device: Device, connection: Connection): Promise<boolean> => {
  const settings = JSON.stringify(await desiredSettings(table, device))
  return settings === device.settings || settings === connection.settings
}

/** Sends all online terminals of a company their settings. Offline terminals get their settings when they reconnect. */
export const setTerminals = async (company: string): Promise<void> => {
  const table = openTable(company)
  const devices = await table.all<Device>({ pk: deviceKey('').pk })
  const set = async (device: Device) => {
    const { serialNumber, connection: id } = device
    const connection = id === undefined || id === polls ? undefined : await directory().get(connectionKey(id))
    if (id !== undefined && connection && !(await isSet(table, device, connection)))
      await lead(company, serialNumber, id, [{ command: 'setdevinfo' }])
  }
  // The periodic round retries failed terminals.
  await tryEach(
    { job: 'command', atOnce: terminalsAtOnce, nameOf: device => ({ company, sn: device.serialNumber }) },
    devices,
    set,
  )
}

/** The requests that are due in the periodic round: records and settings. */
const stepsOf = async (table: Table, device: Device, connection: Connection, now: number): Promise<DialogueStep[]> => {
  const { asked: pending, steps = [], zone = 'UTC' } = connection
  const localNow = localTimeAt(zone, now)
  const all: DialogueStep[] = [
    ...(isClockMoved(zone, now, 2 * pollMinutes) ? [{ command: 'settime' as const }] : []),
    ...((await isSet(table, device, connection)) ? [] : [{ command: 'setdevinfo' as const }]),
  ]
  if ((pending && isPageCommand(pending.command)) || steps.some(({ command }) => isPageCommand(command))) return all
  const { reconcileFrom } = device
  const isOwed = reconcileFrom !== undefined
  if (!isAllDue(device, now)) return [...all, { command: 'getnewlog', ...(isOwed && { isOwed }) }]
  return [
    ...all,
    { command: 'getnewlog' },
    ...(isOwed
      ? [{ command: 'getalllog' as const, from: reconcileFrom }]
      : isReconcileDue(device, localNow)
        ? [{ command: 'getalllog' as const, from: addDays(localNow.slice(0, 10), -1), isDaily: true }]
        : []),
  ]
}

const isSilent = ({ lastSeenAt = '' }: Pick<Device, 'lastSeenAt'>, now: number) =>
  !(now - Date.parse(lastSeenAt) <= silentMilliseconds)

/**
 * Marks a terminal as offline after two missed polls, but not after a short interruption. Returns whether the terminal
 * is offline.
 */
const markSilent = async ({ company, serialNumber, connection }: OpenTerminal, now: number): Promise<boolean> => {
  const device = await change(openTable(company), deviceKey(serialNumber), current =>
    current.isSilent || !isSilent(current, now)
      ? undefined
      : { ...current, isSilent: true as const, ...(current.connection !== connection && { connection: undefined }) },
  )
  return !device || device.isSilent === true
}

/** Removes an offline terminal from the periodic round until it returns. */
const dropMissing = async (open: Item<OpenTerminal>, now: number): Promise<void> => {
  if (await markSilent(open, now)) await saves(directory().remove(openTerminalKey(open.serialNumber), open.version))
}

/**
 * The server cannot push to ADMS terminals, so it queues commands. Once a day it requests the records of two days, and
 * after a clock change it sends the time.
 */
const checkPolling = async (open: Item<OpenTerminal>, device: Item<Device>, now: number): Promise<void> => {
  const { company, serialNumber, zone } = open
  const table = openTable(company)
  if (isSilent(device, now)) {
    await change(table, deviceKey(serialNumber), current =>
      current.connection === polls && isSilent(current, now) ? { ...current, connection: undefined } : undefined,
    )
    return dropMissing(open, now)
  }
  const localNow = localTimeAt(zone, now)
  const today = localNow.slice(0, 10)
  const queue = (cmd: string, body: Record<string, unknown>, first = '') =>
    queueCommand(table, serialNumber, { id: `${first}${cmd}-${today}`, cmd, body, mostAttempts: 3 })
  if (isClockMoved(zone, now, 2 * pollMinutes)) await saves(queue('settime', {}, firstOfAll))
  if (isReconcileDue(device, localNow))
    await saves(
      queue('getalllog', { from: addDays(today, -1) }),
      table.replace(deviceKey(serialNumber), { ...device, reconciledOn: today }),
    )
}

/** Requests records from a connected terminal, or disconnects a silent terminal so that it can reconnect. */
export const lookAfter = async (open: Item<OpenTerminal>, now: number): Promise<void> => {
  const { company, serialNumber, connection: id } = open
  const table = openTable(company)
  const [connection, device] = await Promise.all([
    directory().get(connectionKey(id)),
    table.get(deviceKey(serialNumber)),
  ])
  if (device?.connection === polls && id === polls) return checkPolling(open, device, now)
  if (!connection || device?.connection !== id) {
    // The gateway may not have reported the end of the connection.
    await change(table, deviceKey(serialNumber), current =>
      !connection && current.connection === id
        ? { ...current, connection: undefined, ...unanswered(current, undefined, open.zone) }
        : undefined,
    )
    return dropMissing(open, now)
  }
  if (isSilent(device, now)) {
    await markSilent(open, now)
    // The connection had already ended without a report.
    if (!(await disconnect(id))) await unbind(table, id, connection)
    return
  }
  const steps = await stepsOf(table, device, connection, now)
  if (steps.some(({ command }) => command === 'getalllog')) {
    await noteAllAsked(table, serialNumber, now)
    // A late page may still arrive on this connection. Request the records after the terminal reconnects.
    if (isDoubtful(connection)) return void (await disconnect(id))
  }
  await lead(company, serialNumber, id, steps, now)
}
