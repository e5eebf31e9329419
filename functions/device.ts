import { randomBytes } from 'node:crypto'
import { connectionKey } from '../shared/connection.ts'
import { departmentKey } from '../shared/department.ts'
import { claimHours, dueTerminalKey, openTerminalKey } from '../shared/device/claim.ts'
import { deviceKey } from '../shared/device/key.ts'
import { isOnline, warningsOf } from '../shared/device/warning.ts'
import { type Device, devicePaths } from '../shared/device.ts'
import { Problem } from '../shared/errors.ts'
import { searchQuery, searchText } from '../shared/search.ts'
import { profileNames } from '../shared/terminal/profile.ts'
import { readCompany } from './company/store.ts'
import { approveHandlers } from './device/approve.ts'
import { commandHandlers } from './device/command.ts'
import { logHandlers } from './device/log.ts'
import { end, managed, zoneOf } from './device/managed.ts'
import { numberHandlers } from './device/number.ts'
import { quarantineHandlers } from './device/quarantine.ts'
import { type Caller, manages } from './kit/caller.ts'
import { hashSecret } from './kit/id.ts'
import { lambda } from './kit/lambda.ts'
import { disconnect, polls } from './kit/push.ts'
import { again, change } from './kit/table/change.ts'
import { directory, save } from './kit/table.ts'
import { inOrder } from './kit/words.ts'
import { keepNumbering, readNumbering } from './record/terminal-number.ts'
import { claimFor, serialNumberTaken, unclaim } from './terminal/claim.ts'
import { queueCommand } from './terminal/command.ts'
import { listRoster, rosterPage } from './terminal/roster.ts'
import { unanswered } from './terminal/talk.ts'
import { forgetTerminal } from './terminal/user.ts'

const departmentGone = { code: 60004, fields: { department: 60004 } } as const

const shownState = (device: Device, now: number) =>
  device.state !== 'bound' ? device.state : isOnline(device, now) ? 'online' : 'offline'

/** A terminal as callers see it, without its secret and its connection. */
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
    isOwnNumbering: device.isOwnNumbering,
    warnings: warningsOf(device, now),
    version: device.edition,
  }
}

/** Base32, because an installer types the secret at a terminal's keypad: 26 characters of 5 bits each. */
const newPathSecret = () => Array.from(randomBytes(26), byte => 'abcdefghijklmnopqrstuvwxyz234567'[byte & 31]).join('')

/** Few attempts, because every registration sends the settings again. */
const settingAttempts = 2

const pathWith = async (caller: Caller, secret: string) =>
  `/web?c=${(await readCompany(caller)).company_num}&k=${secret}`

export const handler = lambda(devicePaths, {
  ...approveHandlers,
  ...commandHandlers,
  ...logHandlers,
  ...numberHandlers,
  ...quarantineHandlers,

  'device/grid': async ({ filters, sort, size, page }, caller) => {
    const search = searchQuery(filters.search ?? '')
    const now = Date.now()
    const matching = (await caller.table.all<Device>({ pk: deviceKey('').pk }))
      .filter(device => {
        const { department, name, serialNumber } = device
        return (
          manages(caller, department) &&
          (!filters.department || filters.department === department) &&
          (!filters.state || filters.state === shownState(device, now)) &&
          (!filters.warned || warningsOf(device, now).length > 0) &&
          (searchText(name).includes(search) || searchText(serialNumber).includes(search))
        )
      })
      .sort((a, b) => {
        // A terminal that never connected sorts first.
        const seen = sort.by === 'lastSeenAt' ? inOrder(a.lastSeenAt ?? '', b.lastSeenAt ?? '') : 0
        const named = sort.by === 'name' ? inOrder(a.name, b.name) : 0
        return seen || named || inOrder(a.serialNumber, b.serialNumber)
      })
    if (sort.descending) matching.reverse()
    const { list, next } = await caller.table.slice(
      matching.map(device => ({ ...device, id: device.serialNumber })),
      { name: `device ${JSON.stringify([filters, sort])}`, size, page },
    )
    return { count: matching.length, list: list.map(device => show(device, now)), ...(next && { next }) }
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
    if (!manages(caller, form.department) || !(await table.get(departmentKey(form.department))))
      throw new Problem(60004, { department: 60004 })
    const usesPath = form.authentication === 'claim+path'
    const secret = newPathSecret()
    const serverPath = usesPath ? await pathWith(caller, secret) : '/web'
    const at = new Date().toISOString()
    // A manager may just have deleted the terminal, and the cleanup may be incomplete.
    if (!(await table.get(deviceKey(serialNumber)))) await forgetTerminal(table, serialNumber)
    const numbering = await readNumbering(table, serialNumber)
    await again(async () =>
      save(
        ...(await claimFor(company, serialNumber, Date.parse(at))),
        table.insert(
          deviceKey(serialNumber),
          {
            serialNumber,
            ...form,
            ...numbering,
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
    // Another user's change is a conflict. A change by the terminal only causes a retry.
    if (edition !== version) throw new Problem(60006)
    const ended = await again(async () => {
      const before = await managed(caller, serialNumber)
      if (before.edition !== version) throw new Problem(60006)
      // The server reads records in the zone of the registration, so a new zone requires another registration. The
      // reconnect may lose a page in flight.
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
        // The drift refers to the former zone.
        ...(isMoved && { connection: undefined, driftSeconds: undefined }),
        edition: version + 1,
      }
      // Send the settings only to a connected terminal: each registration sends them anyway.
      const isToldNow =
        device.connection !== undefined &&
        device.protocol === 'ai-face' &&
        (form.voice !== before.voice || form.language !== before.language)
      const setting = { cmd: 'setdevinfo', body: {}, mostAttempts: settingAttempts, by: caller.employee.id }
      await save(
        table.replace(deviceKey(serialNumber), device),
        // A department with a deletion mark accepts no terminal.
        table.require(departmentKey(form.department), departmentGone),
        ...(isToldNow ? [queueCommand(table, serialNumber, setting)] : []),
        // Fail if the connection changed, because a page requested meanwhile may get lost.
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

  'device/user/grid': async (input, caller) => {
    const device = await caller.table.get(deviceKey(input.filters.serialNumber))
    if (device && manages(caller, device.department)) return listRoster(caller, device, input)
    // Reject a page cursor of another list here, too.
    return caller.table.slice([], rosterPage(input))
  },

  'device/sync': async ({ serialNumber }, caller) => {
    await managed(caller, serialNumber)
    const emptiedAt = new Date().toISOString()
    await change(caller.table, deviceKey(serialNumber), device => ({ ...device, emptiedAt }))
    return {}
  },

  'device/delete': async ({ serialNumber }, caller) => {
    const { table } = caller
    // If the terminal reconnected meanwhile, end its newest connection.
    const connection = await again(async () => {
      const device = await managed(caller, serialNumber)
      const { connection, version } = device
      const ours = await unclaim(caller.company, serialNumber)
      const pointers = ours.length > 0 ? [openTerminalKey(serialNumber), dueTerminalKey(serialNumber)] : []
      await save(
        table.remove(deviceKey(serialNumber), version),
        ...keepNumbering(table, device),
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
