import { setTimeout as wait } from 'node:timers/promises'
import { type Connection, connectionKey, type PendingQuestion } from '../../shared/connection.ts'
import { type Device, deviceKey } from '../../shared/device.ts'
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

/** Takes a page of the user list and asks for the next one. Replaced hardware starts the list again. */
const takeListPage = async (
  company: string,
  { id, connection, now }: { id: string; connection: Connection; now: number },
  fields: Fields,
): Promise<'more' | 'over' | 'gone'> => {
  const { asked, sn = '' } = connection
  const { users, isLast } = readUserList(fields)
  const table = openTable(company)
  const [command, device] = await Promise.all([table.get(commandKey(sn, asked?.id ?? '')), table.get(deviceKey(sn))])
  if (device?.connection !== id) return 'gone'
  // The command was cancelled.
  if (!command || !asked) return 'over'
  await takeListed(company, { device, isEnrolment: command.subject !== undefined }, users)
  const lastPage = pageMark(fields)
  const at = new Date(now).toISOString()
  // A repeated page means that the terminal does not page.
  if (isLast || lastPage === asked.lastPage) {
    // An empty list is wrong if the terminal reports users.
    const isAll = isLast && (users.length > 0 || asked.lastPage !== undefined || !device.users)
    await change(table, deviceKey(sn), known =>
      known.connection === id && (!known.listed || (known.listed.isPartial && isAll))
        ? { ...known, listed: { at, ...(!isAll && { isPartial: true as const }) } }
        : undefined,
    )
    return 'over'
  }
  const turned = await change(directory(), connectionKey(id), known =>
    known.asked?.at === asked.at ? { ...known, asked: { ...asked, at, lastPage } } : undefined,
  )
  if (turned?.asked?.at !== at) return 'over'
  await push(id, { cmd: 'getuserlist', stn: false })
  return 'more'
}

/** An empty place has no former content. */
const forgetFormer = async (table: Table, sn: string, number: string, part: string): Promise<void> =>
  again(async () => {
    const device = await table.get(deviceKey(sn))
    const shed = device ? await shedFormer(table, device, number, one => one === part) : []
    if (shed.length > 0) await save(...shed)
  })

/** The command behind a reply, even if it has ended; undefined if it was cancelled. */
const readQuestion = async (table: Table, sn: string, id: string): Promise<Command | SettledCommand | undefined> => {
  const open = await table.get(commandKey(sn, id))
  const over = open ? undefined : await table.get(settledCommandKey(sn, id))
  return open ?? (over?.result === 'cancelled' ? undefined : over)
}

const bringsNothing = ({ record }: Fields, backupnum: number): boolean => {
  const said = record ?? ''
  return (typeof said === 'string' || typeof said === 'number') && isBlank({ backupnum, record: String(said).trim() })
}

/** Takes the credential that an enrolment fetches. An enrolment succeeds only if its credential is stored. */
const takeFetched = async (
  { company, sn, asked }: { company: string; sn: string; asked: PendingQuestion },
  said: CommandOutcome,
  fields: Fields,
): Promise<CommandOutcome> => {
  const table = openTable(company)
  const question = await readQuestion(table, sn, asked.id ?? '')
  const { by, body = {} } = question ?? {}
  const part = Number(body.backupnum)
  const isNone = said.result === 'ok' ? bringsNothing(fields, part) : said.reason === missing
  if (isNone) {
    // Firmware may name place 0 in an empty reply.
    const isThere = [0, part].includes(countIn(fields.backupnum) ?? part)
    if (question && isThere && asked.enrollid) await forgetFormer(table, sn, String(asked.enrollid), String(part))
    return { result: 'refused', reason: missing }
  }
  if (said.result !== 'ok') return said
  const held = readHeldUser(fields)
  const employee = by && (await table.get(employeeKey(String(body.employee))))
  const isAsked = held && employee && employee.workno === held.number && part === held.backupnum
  const of = isAsked ? { by, isFresh: true } : { isLook: body.isLook === true }
  const unkept = held && (await takeHeld({ company, serialNumber: sn, ...of }, [held]))
  if (by === undefined || (isAsked && !unkept)) return said
  return { result: 'refused', reason: (isAsked && unkept) || notKept }
}

const isOfAnother = ({ enrollid }: PendingQuestion, said: Fields) =>
  enrollid !== undefined && Number(said.enrollid) > 0 && Number(said.enrollid) !== enrollid

/** Settles the pending question and asks the next one. Ignores a reply that nothing waits for. */
export const takeAnswer = async (
  company: string,
  { id, connection, now }: { id: string; connection: Item<Connection>; now: number },
  { command, ok, fields }: { command: string; ok: boolean; fields: Fields },
): Promise<void> => {
  const { asked, sn, generation } = connection
  if (asked?.command !== command || sn === undefined || generation === undefined) return
  // A late reply about another person.
  if (isOfAnother(asked, fields)) return
  const table = openTable(company)
  const said: CommandOutcome = ok ? { result: 'ok' } : { result: 'refused', reason: reasonIn(fields) }
  const isFetch = asked.id !== undefined && command === 'getuserinfo'
  const outcome = isFetch ? await takeFetched({ company, sn, asked }, said, fields) : said
  const isListed = ok && command === 'getuserlist'
  if (isListed && (await takeListPage(company, { id, connection, now }, fields)) !== 'over') return
  if (asked.id) await takeOutcome(table, { serialNumber: sn, id: asked.id, generation }, outcome, now)
  // A terminal reports drift only when it registers. A manager may have approved other hardware since.
  let device: Item<Device> | undefined
  if (ok && command === 'settime')
    device = await change(table, deviceKey(sn), known =>
      known.connection === id && known.driftSeconds ? { ...known, driftSeconds: 0 } : undefined,
    )
  if (asked.settings !== undefined) {
    const settings = ok ? asked.settings : undefined
    device = await change(table, deviceKey(sn), known =>
      known.connection !== id || known.settings === settings ? undefined : { ...known, settings },
    )
  }
  if (!ok && isAskedOn(command)) await wait(askOnMilliseconds)
  await goOn(company, sn, now, { askedAt: asked.at, id, connection, device })
}

const reasonIn = ({ reason }: Fields): string | undefined =>
  typeof reason === 'number' || typeof reason === 'string' ? String(reason) : undefined
