import { randomBytes } from 'node:crypto'
import { connectionKey } from '../shared/connection.ts'
import { departmentKey } from '../shared/department.ts'
import {
  claimHours,
  type Device,
  deviceKey,
  devicePaths,
  dueTerminalKey,
  isOnline,
  openTerminalKey,
  warningsOf,
} from '../shared/device.ts'
import { employeeKey, firstKeptDay, fullName } from '../shared/employee.ts'
import { Problem } from '../shared/errors.ts'
import { fold } from '../shared/fold.ts'
import { addDays, laterDay, localDay } from '../shared/local-day.ts'
import { type Punch, type Quarantined, quarantinedId, quarantineKey, recognisedBy } from '../shared/punch.ts'
import {
  backupNumbers,
  type Command,
  commandKey,
  type SettledCommand,
  settledCommandKey,
  usualAttempts,
} from '../shared/terminal/command.ts'
import { kindOfCommand } from '../shared/terminal/command-kind.ts'
import { profileNames } from '../shared/terminal/profile.ts'
import { formerUserKey } from '../shared/terminal/user.ts'
import { readCompany } from './company/store.ts'
import { readNames } from './day/rows.ts'
import { readNamesFor } from './employee/store.ts'
import { type Caller, manages, managesEmployee } from './kit/caller.ts'
import { atOnce } from './kit/each.ts'
import { hashSecret, newId } from './kit/id.ts'
import { lambda } from './kit/lambda.ts'
import { disconnect, polls } from './kit/push.ts'
import { again, change } from './kit/table/change.ts'
import { readList } from './kit/table/list.ts'
import { directory, type Item, inSaves, openCursor, type Range, save, sealCursor, type Write } from './kit/table.ts'
import { inOrder } from './kit/words.ts'
import { orphanPunches, seesOrphans } from './record/orphan.ts'
import { feverTenths, openRecords, type Place } from './record/read.ts'
import { claimFor, serialNumberTaken, unclaim } from './terminal/claim.ts'
import {
  canCancel,
  cancelCommand,
  cancelOfFormer,
  canRetry,
  type NewCommand,
  queueCommand,
  retryCommand,
  watch,
} from './terminal/command.ts'
import { file } from './terminal/intake.ts'
import { listRoster, rosterPage } from './terminal/roster.ts'
import { recordsSince, unanswered } from './terminal/talk.ts'
import { askForUsers, forgetTerminal, isWanted, readStaff } from './terminal/user.ts'

const departmentGone = { code: 60004, fields: { department: 60004 } } as const

/** Down to which instant the page before told of numbers that are nobody's. */
type LogPlace = Place & { till?: number }

/** How far back the last records of a terminal are looked for. */
const logDays = 29

/** What a clock that went wrong sent is thrown away together. */
const savesAtOnce = 8

const shownState = (device: Device, now: number) =>
  device.state !== 'bound' ? device.state : isOnline(device, now) ? 'online' : 'offline'

/** A device as callers see one: no secret, no connection. */
const show = (device: Device, now: number) => {
  const claimEnds = Date.parse(device.claimedAt) + claimHours * 3_600_000
  return {
    serialNumber: device.serialNumber,
    name: device.name,
    department: device.department,
    timezone: device.timezone,
    voice: device.voice,
    language: device.language,
    authentication: device.authentication,
    state: device.state,
    online: isOnline(device, now),
    model: device.model,
    firmware: device.firmware,
    cpusn: device.cpusn,
    mac: device.mac,
    registeredAt: device.registeredAt,
    firstOnlineAt: device.firstOnlineAt,
    lastSeenAt: device.lastSeenAt,
    claimEndsAt: device.state === 'claimed' ? new Date(claimEnds).toISOString() : undefined,
    users: device.users,
    templates: device.templates,
    faces: device.faces,
    records: device.records,
    unsent: device.unsent,
    protocol: device.protocol,
    profile: profileNames.find(name => name === device.profile),
    ip: device.ip,
    driftSeconds: device.driftSeconds,
    recovered: device.recovered,
    refusedDeliveries: device.refusedDeliveries?.length ?? 0,
    pending: device.pending,
    warnings: warningsOf(device, now),
    version: device.edition,
  }
}

const managed = async (caller: Caller, serialNumber: string): Promise<Item<Device>> => {
  const device = await caller.table.get(deviceKey(serialNumber))
  if (!device || !manages(caller, device.department)) throw new Problem(60004, { serialNumber: 60004 })
  return device
}

/** By which zone's days a terminal of the caller's is asked for its records. */
const zoneOf = async (caller: Caller, { timezone }: Device): Promise<string> =>
  timezone ?? (await readCompany(caller)).timezone

/** Base32, as it is typed at a terminal's keypad: 26 letters and digits of 5 bits each. */
const newPathSecret = () => Array.from(randomBytes(26), byte => 'abcdefghijklmnopqrstuvwxyz234567'[byte & 31]).join('')

/** Other hardware owes nothing, and has not been asked, told, counted or set to anything. */
const ofOtherHardware = {
  ...{ reconcileFrom: undefined, pageLostAt: undefined, allAsked: undefined, refusedDeliveries: undefined },
  ...{ uploadedAt: undefined, reconciledOn: undefined, recovered: undefined },
  ...{ clockZone: undefined, driftSeconds: undefined, settings: undefined, fingerAlgorithm: undefined },
  ...{ listed: undefined, quiet: undefined },
  ...{ users: undefined, templates: undefined, faces: undefined, records: undefined },
  ...{ unsent: undefined, counted: undefined, wroteAt: undefined },
} satisfies Partial<Device>

/** Without its item a connection speaks for nobody, whatever is on its way or however long it takes to close. */
const end = async (connection: string) => {
  await save(directory().remove(connectionKey(connection)))
  await disconnect(connection)
}

/** Whoever stands before the terminal, or waits at the screen, does not wait longer: then nothing is to happen any more. */
const patienceSeconds = 60
const soon = () => new Date(Date.now() + patienceSeconds * 1000).toISOString()
/** Delivering everything may take a while; who comes back next week is not reset then. */
const resetMinutes = 30

/** `needsLast`: it is done only where the one before it was. */
type Asked = Omit<NewCommand, 'id' | 'by' | 'needs'> & { needsLast?: boolean }

/** Queues commands of the caller for a terminal of theirs, to be done one after the other; answers what the last one is called. */
const ask = async (caller: Caller, serialNumber: string, commands: Asked[], note: Write[] = []) => {
  await managed(caller, serialNumber)
  const now = Date.now()
  let last = ''
  const writes = commands.map(({ needsLast, ...command }, i) => {
    const needs = needsLast ? last : undefined
    // They are done in the order of their ids.
    last = newId(now + i)
    return queueCommand(caller.table, serialNumber, { ...command, id: last, needs, by: caller.employee.id })
  })
  const [deadline] = commands.flatMap(({ deadline }) => deadline ?? [])
  if (deadline !== undefined) await watch(caller.company, serialNumber, Date.parse(deadline))
  await save(...writes, ...note)
  return { command: last }
}

/** What a terminal is asked for its records with is asked so often. */
const pageAttempts = 5
/** It is set up anew with every registration. */
const settingAttempts = 2

const readHeld = async (caller: Caller, id: string): Promise<Item<Quarantined>> => {
  const [sn = '', hash = ''] = id.split('#')
  const [held, device] = await Promise.all([caller.table.get(quarantineKey(sn, hash)), caller.table.get(deviceKey(sn))])
  if (!held || !manages(caller, device?.department ?? '')) throw new Problem(60004, { id: 60004 })
  return held
}

/** What is held of one terminal, or of all. Behind a serial number stands a hash. */
const heldBy = (serialNumber: string | undefined) => ({
  pk: quarantineKey('', '').pk,
  ...(serialNumber && { from: `${serialNumber}#`, to: `${serialNumber}#~` }),
})

const pathWith = async (caller: Caller, secret: string) =>
  `/web?c=${(await readCompany(caller)).company_num}&k=${secret}`

export const handler = lambda(devicePaths, {
  'device/grid': async ({ filters, sort, size, page }, caller) => {
    const search = fold(filters.search ?? '')
    const now = Date.now()
    const found = (await caller.table.all<Device>({ pk: deviceKey('').pk }))
      .filter(device => {
        const { department, name, serialNumber } = device
        return (
          manages(caller, department) &&
          (!filters.department || filters.department === department) &&
          (!filters.state || filters.state === shownState(device, now)) &&
          (!filters.warned || warningsOf(device, now).length > 0) &&
          (fold(name).includes(search) || fold(serialNumber).includes(search))
        )
      })
      .sort((one, other) => {
        // A terminal nobody has seen yet was seen before all others.
        const seen = sort.by === 'lastSeenAt' ? inOrder(one.lastSeenAt ?? '', other.lastSeenAt ?? '') : 0
        const named = sort.by === 'name' ? inOrder(one.name, other.name) : 0
        return seen || named || inOrder(one.serialNumber, other.serialNumber)
      })
    if (sort.descending) found.reverse()
    const { list, next } = await caller.table.slice(
      found.map(device => ({ ...device, id: device.serialNumber })),
      { name: `device ${JSON.stringify([filters, sort])}`, size, page },
    )
    return { count: found.length, list: list.map(device => show(device, now)), ...(next && { next }) }
  },

  'device/get': async ({ serialNumber }, caller) => {
    const [device, company] = await Promise.all([managed(caller, serialNumber), readCompany(caller)])
    const { storesTemplates = false, comm_pwd } = company
    return {
      ...{ ...show(device, Date.now()), storesTemplates },
      ...{ hasPassword: comm_pwd !== undefined, refused: device.refused },
    }
  },

  'device/add': async ({ serialNumber, ...form }, caller) => {
    const { table, company } = caller
    if (!manages(caller, form.department)) throw new Problem(60004, { department: 60004 })
    const usesPath = form.authentication === 'claim+path'
    const secret = newPathSecret()
    const serverPath = usesPath ? await pathWith(caller, secret) : '/web'
    const at = new Date().toISOString()
    // It may have been given up just now, and nobody have come to see to that yet.
    if (!(await table.get(deviceKey(serialNumber)))) await forgetTerminal(table, serialNumber)
    await again(async () =>
      save(
        ...(await claimFor(company, serialNumber, Date.parse(at))),
        table.insert(
          deviceKey(serialNumber),
          {
            serialNumber,
            ...form,
            ...(usesPath && { pathSecretHash: hashSecret(secret) }),
            edition: 1,
            registeredAt: at,
            claimedAt: at,
            state: 'claimed',
            generation: 0,
          },
          serialNumberTaken,
        ),
        table.require(departmentKey(form.department), departmentGone),
      ),
    )
    return { serialNumber, serverPath }
  },

  'device/update': async ({ serialNumber, version, ...form }, caller) => {
    const { table } = caller
    const { edition } = await managed(caller, serialNumber)
    if (!manages(caller, form.department) || !(await table.get(departmentKey(form.department))))
      throw new Problem(60004, { department: 60004 })
    // Another person's change is not one of the terminal's, after which it is tried again.
    if (edition !== version) throw new Problem(60006)
    const ended = await again(async () => {
      const before = await managed(caller, serialNumber)
      if (before.edition !== version) throw new Problem(60006)
      // The zone its records are read in is settled when it registers, so it has to do that again. A page on its way may be lost by it.
      const isMoved = before.timezone !== form.timezone
      const ended = isMoved ? before.connection : undefined
      const line = ended === undefined || ended === polls ? undefined : await directory().get(connectionKey(ended))
      const isLeft = ended !== undefined && ended !== polls
      const device = {
        ...before,
        timezone: undefined,
        ...form,
        ...(isLeft && {
          wroteAt: line?.wroteAt ?? before.wroteAt,
          ...unanswered(before, line, await zoneOf(caller, before)),
        }),
        // By how much its clock was off was measured by the old zone.
        ...(isMoved && { connection: undefined, driftSeconds: undefined }),
        edition: version + 1,
      }
      // Who registers is set up by that.
      const isToldNow =
        device.connection !== undefined &&
        device.protocol === 'ai-face' &&
        (form.voice !== before.voice || form.language !== before.language)
      const setting = { cmd: 'setdevinfo', body: {}, mostAttempts: settingAttempts, by: caller.employee.id }
      await save(
        table.replace(deviceKey(serialNumber), device),
        ...(isToldNow ? [queueCommand(table, serialNumber, setting)] : []),
        // Where it was asked for a page meanwhile, that is one more that may be lost.
        ...(line && ended !== undefined ? [directory().remove(connectionKey(ended), line.version)] : []),
      )
      return ended
    })
    if (ended) await end(ended)
    return {}
  },

  'device/secret': async ({ serialNumber }, caller) => {
    await managed(caller, serialNumber)
    const secret = newPathSecret()
    const device = await change(caller.table, deviceKey(serialNumber), device => ({
      ...device,
      pathSecretHash: hashSecret(secret),
      edition: device.edition + 1,
    }))
    if (device?.connection) await end(device.connection)
    return { serverPath: await pathWith(caller, secret) }
  },

  'device/approve': async ({ serialNumber, isApproved, pendingAt }, caller) => {
    const now = new Date().toISOString()
    const ended = await again(async () => {
      const device = await managed(caller, serialNumber)
      const { pending, connection, refused } = device
      const edition = device.edition + 1
      const key = deviceKey(serialNumber)
      if (isApproved && device.state === 'claimed' && refused?.bare && pendingAt === refused.at) {
        const { cpusn, mac, protocol } = refused.bare
        const seen = { authentication: 'claim' as const, pathSecretHash: undefined, cpusn, mac, protocol }
        const claim = await claimFor(caller.company, serialNumber, Date.parse(now))
        // It kept what was punched since it was claimed.
        const opened = {
          ...device,
          ...seen,
          claimedAt: now,
          recordsFrom: recordsSince(device),
          refused: undefined,
          edition,
        }
        await save(caller.table.replace(key, opened), ...claim)
        return undefined
      }
      if (pendingAt !== undefined && pendingAt !== pending?.at) throw new Problem(60006)
      if (!isApproved) {
        const denied = pending && { ...pending, at: now }
        // Calls over HTTP do not say by which terminal they are made: two behind one address are one.
        if (pending?.protocol === 'adms' && device.protocol === 'adms' && pending.ip === device.ip)
          throw new Problem(60074)
        if (pending)
          await save(caller.table.replace(key, { ...device, state: 'bound', pending: undefined, denied, edition }))
        return undefined
      }
      // What is bound and well stays so, whatever an older page offers.
      if (device.state === 'bound') throw new Problem(60006)
      const { cpusn, mac, protocol } = pending ?? {}
      const isNamed = cpusn !== undefined || mac !== undefined
      const approved: Item<Device> = {
        ...device,
        // What was shown is what is let in; where that said nothing of itself, it is whatever comes next.
        state: isNamed ? 'bound' : 'claimed',
        ...{ claimedAt: now, cpusn, mac, protocol: isNamed ? protocol : undefined },
        // It kept what was punched while somebody had to say this.
        recordsFrom: pending?.at ?? recordsSince(device),
        ...(pending && ofOtherHardware),
        ...{ pending: undefined, denied: undefined, connection: undefined },
        emptiedAt: now,
        ...(pending && { resetAt: now, replacedAt: now }),
        edition,
      }
      const claim = isNamed ? [] : await claimFor(caller.company, serialNumber, Date.parse(now))
      const first = isNamed && protocol !== 'adms' ? [askForUsers(caller.table, serialNumber, { isFirst: true })] : []
      await save(caller.table.replace(key, approved), ...claim, ...first)
      return connection
    })
    if (ended) await end(ended)
    // Of what was asked of the one before it nothing is sent any more; whoever waits for that hears so at once.
    await cancelOfFormer(caller.table, serialNumber)
    return {}
  },

  'device/quarantine': async ({ filters, size, page }, caller) => {
    const { serialNumber } = filters
    const devices = new Map<string, Device | undefined>()
    const { list, ...rest } = await readList<Quarantined>(caller.table, {
      ranges: [heldBy(serialNumber)],
      ...{ name: `quarantine ${serialNumber}`, size, page },
      learn: async rows => {
        const unknown = [...new Set(rows.map(({ sn }) => sn))].filter(sn => !devices.has(sn))
        const found = await caller.table.getMany(unknown.map(deviceKey))
        for (const [i, sn] of unknown.entries()) devices.set(sn, found[i])
      },
      keep: ({ sn }) => manages(caller, devices.get(sn)?.department ?? ''),
    })
    return {
      list: list.map(held => ({
        ...{ id: quarantinedId(held), serialNumber: held.sn, deviceName: devices.get(held.sn)?.name },
        ...{ reason: held.reason, raw: held.raw, receivedAt: held.receivedAt },
      })),
      ...rest,
    }
  },

  'device/quarantine/replay': async ({ id }, caller) => {
    const held = await readHeld(caller, id)
    const [device, company] = await Promise.all([caller.table.get(deviceKey(held.sn)), readCompany(caller)])
    const { filed, left } = await file(
      {
        table: caller.table,
        sn: held.sn,
        zone: held.zone ?? device?.timezone ?? company.timezone,
        generation: device?.generation ?? 0,
        profile: held.profile,
      },
      held,
      Date.now(),
    )
    if (left === 0) await save(caller.table.remove(quarantineKey(held.sn, held.hash)))
    return { filed, left }
  },

  'device/quarantine/delete': async ({ id, serialNumber }, caller) => {
    const { table } = caller
    if (id === undefined && serialNumber === undefined) throw new Problem(10002, { id: 10002 })
    const missing = new Problem(60004, { serialNumber: 60004 })
    const device = serialNumber === undefined ? undefined : await table.get(deviceKey(serialNumber))
    if (serialNumber !== undefined && !manages(caller, device?.department ?? '')) throw missing
    const held = id === undefined ? undefined : await readHeld(caller, id)
    const sn = serialNumber ?? held?.sn ?? ''
    if (held && held.sn !== sn) throw missing
    const all = held ? [held] : await table.all<Quarantined>({ ...heldBy(sn), only: ['hash'] })
    // Of a terminal that was given up this is all that is known.
    if (all.length === 0 && !device) throw missing
    const removal = ({ hash }: Pick<Quarantined, 'hash'>) => table.remove(quarantineKey(sn, hash))
    await atOnce(
      savesAtOnce,
      inSaves(all, one => [removal(one)]),
      some => save(...some.map(removal)),
    )
    return {}
  },

  'device/command/grid': async ({ filters: { serialNumber, kind }, size, page }, caller) => {
    const { table } = caller
    const device = await table.get(deviceKey(serialNumber))
    // What is settled in between may be in both, and is as the first has it: over.
    const both = [settledCommandKey(serialNumber, '').pk, commandKey(serialNumber, '').pk]
    const { list, ...rest } = await readList<Command | SettledCommand>(table, {
      ranges: device && manages(caller, device.department) ? both.map(pk => ({ pk, reverse: true })) : [],
      ...{ name: `commands ${serialNumber} ${kind}`, size, page },
      keep: ({ cmd }) => kind === undefined || kindOfCommand(cmd) === kind,
    })
    // Who asked may be anybody; whom it is about, and of which department they are, not everybody is to know.
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

  'device/user/grid': async (input, caller) => {
    const device = await caller.table.get(deviceKey(input.filters.serialNumber))
    if (device && manages(caller, device.department)) return listRoster(caller, device, input)
    // A page of another list is none of this one either.
    return caller.table.slice([], rosterPage(input))
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

  'device/sync': async ({ serialNumber }, caller) => {
    await managed(caller, serialNumber)
    const emptiedAt = new Date().toISOString()
    await change(caller.table, deviceKey(serialNumber), device => ({ ...device, emptiedAt }))
    return {}
  },

  'device/enroll': async ({ serialNumber, employee: id, kind, sign }, caller) => {
    const employee = await caller.table.get(employeeKey(id))
    if (!employee || !managesEmployee(caller, employee)) throw new Problem(60004, { employee: 60004 })
    const [device, staff] = await Promise.all([managed(caller, serialNumber), readStaff(caller.table)])
    // Whoever has no place on it would stay on it, known to nobody, where what it took never came.
    if (!staff || !isWanted(staff, device, employee)) throw new Problem(60075, { employee: 60075 })
    // What it held when it came comes of its own, and must not be taken for what it registers.
    if (device.protocol === 'adms' && !device.listed) throw new Problem(60076)
    const backupnum = backupNumbers[kind] + (kind === 'finger' ? sign : 0)
    const body = { employee: id, backupnum }
    const former = await caller.table.get(formerUserKey(serialNumber, employee.workno))
    const isUnread = former?.resetAt === device.resetAt && former?.parts[backupnum]?.length === 0
    const isUnseen = !device.listed || device.listed.isPartial || isUnread
    // What is in that place from before must not, either: it is asked for first, and known again by that. A picture is too large.
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
    // It is done once, however often it is asked for: the last time counts, with as much time as any.
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
        // What is punched while all are told is among the new ones. Who comes by HTTP delivers it by itself, and is waited for.
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

  'device/log/grid': async ({ filters: { serialNumber }, size, page }, caller) => {
    const { table } = caller
    const binding = `log ${caller.company} ${serialNumber}`
    const place = page === undefined ? undefined : ((await openCursor(page, binding)) as unknown as LogPlace)
    const device = await table.get(deviceKey(serialNumber))
    if (!device || !manages(caller, device.department)) return { list: [] }
    const company = await readCompany(caller)
    const today = localDay(device.timezone ?? company.timezone, Date.now())
    // A clock may be ahead.
    const days = { from: addDays(today, -logDays), to: addDays(today, 1) }
    const read = await openRecords(caller, company, { ...days, device: serialNumber })
    const { list, place: next } = await read(size, place)
    const [names, nobodys] = await Promise.all([
      readNames(
        table,
        list.map(({ row }) => row),
      ),
      seesOrphans(caller) ? orphanPunches(table, serialNumber) : [],
    ])
    const fever = feverTenths(company)
    const measured = ({ mode, verifymode, temperature, mask }: Partial<Punch>) => ({
      ...{ mode, verifymode, mask },
      ...(temperature !== undefined && { temperature: temperature / 10, isHigh: temperature >= fever }),
    })
    // They stand among the others: on each page those that are older than the page before and not older than its own last row.
    const { till = Number.POSITIVE_INFINITY } = place ?? {}
    const last = list.at(-1)?.at
    const since = next ? (last ?? Number.POSITIVE_INFINITY) : Date.parse(`${days.from}T00:00:00Z`)
    const among = nobodys.filter(({ at }) => Date.parse(at) < till && Date.parse(at) >= since)
    return {
      list: [
        ...list.map(({ row, at, punch }) => {
          const { first_name, last_name, workno } = names.employee(row.employee)
          return {
            ...{ employee: row.employee, first_name, last_name, workno },
            // As the terminal showed it.
            ...{ at: new Date(at).toISOString(), timezone: punch?.zone ?? row.zone },
            ...{ means: punch && recognisedBy(punch), ...measured(punch ?? {}) },
          }
        }),
        ...among.map(punch => ({
          ...{ first_name: '', last_name: '', workno: punch.number },
          ...{ at: punch.at, timezone: punch.zone, means: recognisedBy(punch), ...measured(punch) },
        })),
      ].sort((one, other) => (one.at < other.at ? 1 : one.at > other.at ? -1 : 0)),
      ...(next && { next: await sealCursor({ ...next, till: last ?? place?.till }, binding) }),
    }
  },

  'device/delete': async ({ serialNumber }, caller) => {
    const { table } = caller
    // It may have just registered or been seen; its newest connection is the one to end.
    const connection = await again(async () => {
      const { connection, version } = await managed(caller, serialNumber)
      const ours = await unclaim(caller.company, serialNumber)
      const pointers = ours.length > 0 ? [openTerminalKey(serialNumber), dueTerminalKey(serialNumber)] : []
      await save(
        table.remove(deviceKey(serialNumber), version),
        ...ours,
        ...pointers.map(key => directory().remove(key)),
        ...(connection ? [directory().remove(connectionKey(connection))] : []),
      )
      return connection
    })
    if (connection) await disconnect(connection)
    return {}
  },
})
