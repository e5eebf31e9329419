import { setTimeout as wait } from 'node:timers/promises'
import { type Connection, connectionKey, type PendingQuestion } from '../../shared/connection.ts'
import { deviceKey } from '../../shared/device/key.ts'
import type { Device } from '../../shared/device.ts'
import { employeeKey } from '../../shared/employee.ts'
import { countIn, type Fields, readHeldUser, readUserList } from '../../shared/terminal/ai-face.ts'
import { type Command, commandKey, type SettledCommand, settledCommandKey } from '../../shared/terminal/command.ts'
import { notKept } from '../../shared/terminal/command-kind.ts'
import { push } from '../kit/push.ts'
import { again, change } from '../kit/table/change.ts'
import { directory, type Item, openTable, save, type Table } from '../kit/table.ts'
import { type CommandOutcome, isAskedOn, missing, takeOutcome } from './command.ts'
import { isBlank, takeHeld, takeListed } from './enrolment.ts'
import { askOnMilliseconds, goOn, pageMark } from './talk.ts'
import { shedFormer } from './user.ts'

/** Stores a page of the user list and requests the next one. After a hardware replacement the list starts again. */
const takeListPage = async (
  company: string,
  { id, connection, now }: { id: string; connection: Connection; now: number },
  fields: Fields,
): Promise<'more' | 'over' | 'gone'> => {
  const { asked: question, sn = '' } = connection
  const { users, isLast } = readUserList(fields)
  const table = openTable(company)
  const [command, device] = await Promise.all([table.get(commandKey(sn, question?.id ?? '')), table.get(deviceKey(sn))])
  if (device?.connection !== id) return 'gone'
  // A person cancelled the command.
  if (!command || !question) return 'over'
  await takeListed(company, { device, isEnrolment: command.subject !== undefined }, users)
  const lastPage = pageMark(fields)
  const at = new Date(now).toISOString()
  // A terminal that repeats a page has no further pages.
  if (isLast || lastPage === question.lastPage) {
    // An empty list is wrong if the terminal reports users.
    const isAll = isLast && (users.length > 0 || question.lastPage !== undefined || !device.users)
    await change(table, deviceKey(sn), current =>
      current.connection === id && (!current.listed || (current.listed.isPartial && isAll))
        ? { ...current, listed: { at, ...(!isAll && { isPartial: true as const }) } }
        : undefined,
    )
    return 'over'
  }
  const turned = await change(directory(), connectionKey(id), current =>
    current.asked?.at === question.at ? { ...current, asked: { ...question, at, lastPage } } : undefined,
  )
  if (turned?.asked?.at !== at) return 'over'
  await push(id, { cmd: 'getuserlist', stn: false })
  return 'more'
}

/** Deletes the record of former content for a slot that is now empty. */
const forgetFormer = async (table: Table, sn: string, number: string, part: string): Promise<void> =>
  again(async () => {
    const device = await table.get(deviceKey(sn))
    const shed = device ? await shedFormer(table, device, number, slot => slot === part) : []
    if (shed.length > 0) await save(...shed)
  })

/** The command that a reply answers, open or settled; undefined if a person cancelled the command. */
const readCommand = async (table: Table, sn: string, id: string): Promise<Command | SettledCommand | undefined> => {
  const open = await table.get(commandKey(sn, id))
  const over = open ? undefined : await table.get(settledCommandKey(sn, id))
  return open ?? (over?.result === 'cancelled' ? undefined : over)
}

const bringsNothing = ({ record }: Fields, backupnum: number): boolean => {
  const content = record ?? ''
  return (
    (typeof content === 'string' || typeof content === 'number') &&
    isBlank({ backupnum, record: String(content).trim() })
  )
}

/** Stores the credential that an enrolment fetches. Without a stored credential the enrolment fails. */
const takeFetched = async (
  { company, sn, question }: { company: string; sn: string; question: PendingQuestion },
  reply: CommandOutcome,
  fields: Fields,
): Promise<CommandOutcome> => {
  const table = openTable(company)
  const command = await readCommand(table, sn, question.id ?? '')
  const { by, body = {} } = command ?? {}
  const part = Number(body.backupnum)
  const isNone = reply.result === 'ok' ? bringsNothing(fields, part) : reply.reason === missing
  if (isNone) {
    // Some firmware sends slot 0 in an empty reply.
    const isThere = [0, part].includes(countIn(fields.backupnum) ?? part)
    if (command && isThere && question.enrollid) await forgetFormer(table, sn, String(question.enrollid), String(part))
    return { result: 'refused', reason: missing }
  }
  if (reply.result !== 'ok') return reply
  const held = readHeldUser(fields)
  const employee = by && (await table.get(employeeKey(String(body.employee))))
  const isAsked = held && employee && employee.workno === held.number && part === held.backupnum
  const of = isAsked ? { by, isFresh: true } : { isLook: body.isLook === true }
  const unkept = held && (await takeHeld({ company, serialNumber: sn, ...of }, [held]))
  if (by === undefined || (isAsked && !unkept)) return reply
  return { result: 'refused', reason: (isAsked && unkept) || notKept }
}

const isOfAnother = ({ enrollid }: PendingQuestion, fields: Fields) =>
  enrollid !== undefined && Number(fields.enrollid) > 0 && Number(fields.enrollid) !== enrollid

/** Settles the pending question and asks the next one. Ignores an unexpected reply. */
export const takeAnswer = async (
  company: string,
  { id, connection, now }: { id: string; connection: Item<Connection>; now: number },
  { command, ok, fields }: { command: string; ok: boolean; fields: Fields },
): Promise<void> => {
  const { asked: question, sn, generation } = connection
  if (question?.command !== command || sn === undefined || generation === undefined) return
  // A late reply may concern another person.
  if (isOfAnother(question, fields)) return
  const table = openTable(company)
  const reply: CommandOutcome = ok ? { result: 'ok' } : { result: 'refused', reason: reasonIn(fields) }
  const isFetch = question.id !== undefined && command === 'getuserinfo'
  const outcome = isFetch ? await takeFetched({ company, sn, question }, reply, fields) : reply
  const isListed = ok && command === 'getuserlist'
  if (isListed && (await takeListPage(company, { id, connection, now }, fields)) !== 'over') return
  if (question.id) await takeOutcome(table, { serialNumber: sn, id: question.id, generation }, outcome, now)
  // A terminal reports drift only when it registers. A manager may have approved other hardware since then.
  let device: Item<Device> | undefined
  if (ok && command === 'settime')
    device = await change(table, deviceKey(sn), current =>
      current.connection === id && current.driftSeconds ? { ...current, driftSeconds: 0 } : undefined,
    )
  if (question.settings !== undefined) {
    const settings = ok ? question.settings : undefined
    device = await change(table, deviceKey(sn), current =>
      current.connection !== id || current.settings === settings ? undefined : { ...current, settings },
    )
  }
  if (!ok && isAskedOn(command)) await wait(askOnMilliseconds)
  await goOn(company, sn, now, { askedAt: question.at, id, connection, device })
}

const reasonIn = ({ reason }: Fields): string | undefined =>
  typeof reason === 'number' || typeof reason === 'string' ? String(reason) : undefined
