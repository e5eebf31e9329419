import { deviceKey } from '../../shared/device/key.ts'
import type { devicePaths } from '../../shared/device.ts'
import { firstKeptDay } from '../../shared/employee.ts'
import { Problem } from '../../shared/errors.ts'
import { laterDay, localDay } from '../../shared/local-day.ts'
import { fullName } from '../../shared/person-name.ts'
import {
  backupNumbers,
  type Command,
  commandKey,
  type SettledCommand,
  settledCommandKey,
  usualAttempts,
} from '../../shared/terminal/command.ts'
import { kindOfCommand } from '../../shared/terminal/command-kind.ts'
import { formerUserKey } from '../../shared/terminal/user.ts'
import { readCompany } from '../company/store.ts'
import { readNames } from '../day/rows.ts'
import { readManaged, readNamesFor } from '../employee/store.ts'
import { type Caller, manages } from '../kit/caller.ts'
import { newId } from '../kit/id.ts'
import type { Handlers } from '../kit/lambda.ts'
import { readList } from '../kit/table/list.ts'
import { type Range, save, type Write } from '../kit/table.ts'
import {
  canCancel,
  cancelCommand,
  canRetry,
  type NewCommand,
  queueCommand,
  retryCommand,
  watch,
} from '../terminal/command.ts'
import { recordsSince } from '../terminal/talk.ts'
import { isWanted, readStaff } from '../terminal/user.ts'
import { managed } from './managed.ts'

/** A command with a waiting author expires after this time, because the door must not open later. */
const patienceSeconds = 60

const soon = () => new Date(Date.now() + patienceSeconds * 1000).toISOString()

/** A reset expires after this time, so that it cannot erase a terminal that reconnects next week. */
const resetMinutes = 30

/** A command to queue. With `needsLast`, the command requires the success of the previous one. */
type Asked = Omit<NewCommand, 'id' | 'by' | 'needs'> & { needsLast?: boolean }

/** Queues commands for a terminal of the caller, in order. Returns the id of the last command. */
const ask = async (caller: Caller, serialNumber: string, commands: Asked[], note: Write[] = []) => {
  await managed(caller, serialNumber)
  const now = Date.now()
  let last = ''
  const writes = commands.map(({ needsLast, ...command }, i) => {
    const needs = needsLast ? last : undefined
    // Ids decide the order of the queue.
    last = newId(now + i)
    return queueCommand(caller.table, serialNumber, { ...command, id: last, needs, by: caller.employee.id })
  })
  const [deadline] = commands.flatMap(({ deadline }) => deadline ?? [])
  if (deadline !== undefined) await watch(caller.company, serialNumber, Date.parse(deadline))
  await save(...writes, ...note)
  return { command: last }
}

/** The most attempts of a command that requests records. */
const pageAttempts = 5

export const commandHandlers = {
  'device/command/grid': async ({ filters: { serialNumber, kind }, size, page }, caller) => {
    const { table } = caller
    const device = await table.get(deviceKey(serialNumber))
    // A command that settles meanwhile is in both partitions. The settled version wins.
    const both = [settledCommandKey(serialNumber, '').pk, commandKey(serialNumber, '').pk]
    const { list, ...rest } = await readList<Command | SettledCommand>(table, {
      ranges: device && manages(caller, device.department) ? both.map(pk => ({ pk, reverse: true })) : [],
      ...{ name: `commands ${serialNumber} ${kind}`, size, page },
      keep: ({ cmd }) => kind === undefined || kindOfCommand(cmd) === kind,
    })
    // Every manager may see the command's author, but the subject only within their departments.
    const [askers, subjects] = await Promise.all([
      readNames(
        table,
        list.flatMap(({ by }) => (by ? [{ employee: by, shift: null }] : [])),
      ),
      readNamesFor(
        caller,
        list.flatMap(({ subject }) => subject ?? []),
      ),
    ])
    return {
      list: list.map(command => {
        const { id, cmd, state, attempts, queuedAt, sentAt, deadline, body } = command
        const settled = 'result' in command ? command : undefined
        const { backupnum, doornum } = body
        return {
          ...{ id, cmd, state, attempts, queuedAt, sentAt, deadline },
          ...{ result: settled?.result, reason: settled?.reason, settledAt: settled?.settledAt },
          ...(command.by && { by: fullName(askers.employee(command.by)) }),
          ...(command.subject && { subject: subjects.get(command.subject) }),
          ...(typeof backupnum === 'number' && { backupnum }),
          ...(typeof doornum === 'number' && { door: doornum }),
          canCancel: !settled && canCancel(command as Command),
          canRetry: settled !== undefined && canRetry(settled),
        }
      }),
      ...rest,
    }
  },

  'device/command/cancel': async ({ serialNumber, id }, caller) => {
    await managed(caller, serialNumber)
    await cancelCommand(caller.table, serialNumber, id)
    return {}
  },

  'device/command/retry': async ({ serialNumber, id }, caller) => {
    await managed(caller, serialNumber)
    return { command: await retryCommand(caller.table, serialNumber, id, caller.employee.id) }
  },

  'device/open': ({ serialNumber, door }, caller) =>
    ask(caller, serialNumber, [
      { cmd: 'opendoor', body: door === undefined ? {} : { doornum: door }, isOnce: true, deadline: soon() },
    ]),

  'device/reboot': ({ serialNumber }, caller) =>
    ask(caller, serialNumber, [{ cmd: 'reboot', body: {}, isOnce: true, deadline: soon() }]),

  'device/poll': ({ serialNumber }, caller) =>
    ask(caller, serialNumber, [{ cmd: 'getnewlog', body: {}, mostAttempts: pageAttempts }]),

  'device/reconcile': async ({ serialNumber, from }, caller) => {
    const [{ timezone }, company] = await Promise.all([managed(caller, serialNumber), readCompany(caller)])
    const today = localDay(timezone ?? company.timezone, Date.now())
    if (from > today) throw new Problem(10002, { from: 10002 })
    const body = { from: laterDay(from, firstKeptDay(company, today)) }
    return ask(caller, serialNumber, [{ cmd: 'getalllog', body, mostAttempts: pageAttempts }])
  },

  'device/enroll': async ({ serialNumber, employee: id, kind, sign }, caller) => {
    const employee = await readManaged(caller, id)
    const [device, staff] = await Promise.all([managed(caller, serialNumber), readStaff(caller.table)])
    // Require an assigned person: the data of an unassigned person would stay on the terminal unnoticed if the
    // enrolment failed.
    if (!staff || device.isOwnNumbering || !isWanted(staff, device, employee))
      throw new Problem(60075, { employee: 60075 })
    // The server would mistake the terminal's backlog for the new credential.
    if (device.protocol === 'adms' && !device.listed) throw new Problem(60076)
    const backupnum = backupNumbers[kind] + (kind === 'finger' ? sign : 0)
    const body = { employee: id, backupnum }
    const former = await caller.table.get(formerUserKey(serialNumber, employee.workno))
    const isUnread = former?.resetAt === device.resetAt && former?.parts[backupnum]?.length === 0
    const isUnseen = !device.listed || device.listed.isPartial || isUnread
    // A fetch before the enrolment records the old content of the slot. A picture is too large to fetch.
    const look = {
      cmd: 'getuserinfo',
      body: { ...body, isLook: true },
      mostAttempts: usualAttempts,
      isFinal: true as const,
      deadline: soon(),
    }
    return ask(
      caller,
      serialNumber,
      [{ cmd: 'adduser', body, isOnce: true, deadline: soon(), subject: id }],
      isUnseen && backupnum < backupNumbers.palm
        ? [queueCommand(caller.table, serialNumber, { ...look, id: newId(Date.now() - 1) })]
        : [],
    )
  },

  'device/reset': async ({ serialNumber, isForced }, caller) => {
    const device = await managed(caller, serialNumber)
    const resets = { pk: commandKey(serialNumber, '').pk, where: [['cmd', '=', 'initsys']] } satisfies Range<Command>
    const open = await caller.table.all<Command>(resets)
    const begun = open.find(({ state }) => state === 'sent')
    if (begun) return { command: begun.id }
    // A new request replaces the queued reset and restarts its deadline.
    for (const { id } of open) await cancelCommand(caller.table, serialNumber, id)
    const company = await readCompany(caller)
    const dayAt = (instant: number) => localDay(device.timezone ?? company.timezone, instant)
    const from = laterDay(dayAt(Date.parse(recordsSince(device))), firstKeptDay(company, dayAt(Date.now())))
    const deadline = new Date(Date.now() + resetMinutes * 60_000).toISOString()
    const all = { cmd: 'getalllog', body: { from }, mostAttempts: pageAttempts, deadline }
    const fresh = { cmd: 'getnewlog', body: {}, mostAttempts: pageAttempts, deadline }
    return ask(
      caller,
      serialNumber,
      [
        // Request new records after the full read, because people punch meanwhile. An ADMS terminal pushes new records
        // without a request.
        ...(device.protocol === 'adms' ? [fresh, all] : [all, { ...fresh, needsLast: !isForced }]),
        { cmd: 'initsys', body: {}, isOnce: true, needsLast: !isForced, deadline },
      ],
      [
        caller.table.note({
          ...{ noun: 'device', id: serialNumber, name: device.name, change: 'changed' },
          fields: { reset: { after: true }, isForced: { after: isForced } },
        }),
      ],
    )
  },
} satisfies Pick<
  Handlers<typeof devicePaths>,
  | 'device/command/grid'
  | 'device/command/cancel'
  | 'device/command/retry'
  | 'device/open'
  | 'device/reboot'
  | 'device/poll'
  | 'device/reconcile'
  | 'device/enroll'
  | 'device/reset'
>
