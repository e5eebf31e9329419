import { createHash } from 'node:crypto'
import { deviceKey } from '../../shared/device/key.ts'
import { iso } from '../../shared/local-day.ts'
import { goesOn, isOver } from '../../shared/quiet.ts'
import { composeCommand, nothingToDo, outcomeOf, readReturns, translate } from '../../shared/terminal/adms.ts'
import { answerSeconds, type Command, commandKey } from '../../shared/terminal/command.ts'
import { stampKey } from '../../shared/terminal/stamp.ts'
import { change, saves } from '../kit/table/change.ts'
import type { Item, Table } from '../kit/table.ts'
import { giveUp, nextCommand, sendingOf, takeOutcome, watch } from './command.ts'
import { compose } from './compose.ts'
import { hour, type IdentifiedTerminal, type Result, second, text, type Visit } from './visit.ts'

// Sends queued commands to an ADMS terminal when it polls, and takes their results.

/** The most commands per poll, with one command per person to keep their order. */
const mostTogether = 20
/** How long a terminal may take to return the results of one poll. */
const owedMilliseconds = 3 * answerSeconds * second
/** The server retries refused commands every two hours, as at each registration of a websocket terminal. */
const roundMilliseconds = 2 * hour

/** Whether the command ends the batch, because the terminal restarts or erases its content. */
const isLast = (cmd: string) => cmd === 'reboot' || cmd === 'initsys'

/** Some firmware accepts only numeric command ids. */
export const numberOf = (id: string): string =>
  String((createHash('sha256').update(id).digest().readUInt32BE() >>> 1) + 1)

export const openCommands = (table: Table, sn: string) => table.all<Command>({ pk: commandKey(sn, '').pk })

/**
 * Checks that the terminal has delivered its records and then stayed quiet, so that a reset erases no undelivered
 * record.
 */
const isQuiet = async (table: Table, command: Item<Command>, now: number): Promise<boolean> => {
  const { cmd, needs, serialNumber, quiet } = command
  if (cmd !== 'initsys' || needs === undefined) return true
  const stamp = await table.get(stampKey(serialNumber, 'ATTLOG'))
  const hasDelivered = stamp !== undefined && stamp.at >= (quiet?.since ?? '')
  const extended = goesOn(hasDelivered ? undefined : quiet, now)
  if (isOver(extended, now)) return true
  await saves(table.replace(commandKey(serialNumber, command.id), { ...command, quiet: extended }))
  return false
}

/** Ends the backlog of a new terminal after a time of polls without a delivery. */
export const noteListed = async ({ sn, now }: Visit, { table, device }: IdentifiedTerminal): Promise<void> => {
  if (device.listed || !device.quiet) return
  await change(table, deviceKey(sn), current => {
    if (current.listed || !current.quiet) return undefined
    const quiet = goesOn(current.quiet, now)
    return isOver(quiet, now) ? { ...current, quiet: undefined, listed: { at: iso(now) } } : { ...current, quiet }
  })
}

const personOf = ({ id, body }: Command) => String(body.employee ?? body.enrollid ?? id)

/** Whether the terminal still owes results of its last poll. Gives up overdue results. */
const owes = async (table: Table, sn: string, round: number, now: number): Promise<boolean> => {
  for (const { id, state, isOnce, sentAt = '' } of await openCommands(table, sn)) {
    if (state !== 'sent') continue
    if (now - Date.parse(sentAt) < (isOnce ? answerSeconds * second : owedMilliseconds)) return true
    if (!isOnce) await takeOutcome(table, { serialNumber: sn, id, generation: round }, { result: 'no answer' }, now)
  }
  return false
}

/** Takes the next commands off the queue, in order. */
export const handOver = async (
  { sn, now }: Visit,
  { table, company, device, localNow }: IdentifiedTerminal,
): Promise<string[]> => {
  const round = Math.floor(now / roundMilliseconds)
  if (await owes(table, sn, round, now)) return []
  const lines: string[] = []
  const seen = new Set<string>()
  const people = new Set<string>()
  while (lines.length < mostTogether) {
    const command = await nextCommand(table, sn, round, now, seen)
    if (!command || people.has(personOf(command)) || (isLast(command.cmd) && lines.length > 0)) break
    // A parallel request of this terminal sent the command.
    if (command.state === 'sent') break
    if (!(await isQuiet(table, command, now))) break
    seen.add(command.id)
    const composed = await compose({ table, company, device, command })
    const { message, holds } = typeof composed === 'object' ? composed : {}
    const line = message ? translate(message, localNow) : composed === undefined ? 'done' : 'unsupported'
    if (line === 'done' || line === 'unsupported') {
      const outcome = { result: line === 'done' ? ('ok' as const) : ('unsupported' as const) }
      // ADMS terminals carry out some commands without a message, so these commands succeed at once.
      const attempts = command.attempts + (message && line === 'done' ? 1 : 0)
      await giveUp(table, { ...command, attempts, holds: undefined }, outcome, now)
      continue
    }
    if (lines.length === 0) await watch(company, sn, now + owedMilliseconds)
    const sending = await sendingOf(table, { ...command, holds }, now)
    if (!sending || !(await saves(...sending))) break
    people.add(personOf(command))
    lines.push(composeCommand(numberOf(command.id), line))
    if (isLast(command.cmd)) break
  }
  return lines
}

export const takeReturns = async ({ sn, body, now }: Visit, { table }: IdentifiedTerminal): Promise<Result> => {
  const open = await openCommands(table, sn)
  const generation = Math.floor(now / roundMilliseconds)
  for (const { number, code } of readReturns(body)) {
    const command = open.find(({ id }) => numberOf(id) === number)
    if (!command) continue
    const result = outcomeOf(command.cmd, code)
    const outcome = result === 'ok' ? { result } : { result, reason: code }
    await takeOutcome(table, { serialNumber: sn, id: command.id, generation }, outcome, now)
  }
  return text(200, nothingToDo)
}
