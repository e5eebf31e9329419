import { randomBytes } from 'node:crypto'
import { connectionKey } from '../shared/connection.ts'
import { departmentKey } from '../shared/department.ts'
import { claimHours, type Device, deviceKey, devicePaths, isOnline, serialNumberKey } from '../shared/device.ts'
import { Problem } from '../shared/errors.ts'
import { fold } from '../shared/fold.ts'
import { type Quarantined, quarantineKey } from '../shared/punch.ts'
import { again } from './kit/again.ts'
import { type Caller, manages } from './kit/caller.ts'
import { change } from './kit/change.ts'
import { readCompany } from './kit/company.ts'
import { lambda } from './kit/lambda.ts'
import { disconnect } from './kit/push.ts'
import { directory, type Item, save } from './kit/table.ts'
import { hashSecret } from './kit/token.ts'

const serialNumberTaken = { code: 60015, fields: { serialNumber: 60015 } } as const
const departmentGone = { code: 60004, fields: { department: 60004 } } as const

const byName = new Intl.Collator('en', { numeric: true }).compare

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
    registeredAt: device.registeredAt,
    firstOnlineAt: device.firstOnlineAt,
    lastSeenAt: device.lastSeenAt,
    claimEndsAt: device.state === 'claimed' ? new Date(claimEnds).toISOString() : undefined,
    users: device.users,
    templates: device.templates,
    faces: device.faces,
    records: device.records,
    unsent: device.unsent,
    version: device.edition,
  }
}

const managed = async (caller: Caller, serialNumber: string): Promise<Item<Device>> => {
  const device = await caller.table.get(deviceKey(serialNumber))
  if (!device || !manages(caller, device.department)) throw new Problem(60004, { serialNumber: 60004 })
  return device
}

/** Base32, as it is typed at a terminal's keypad: 26 letters and digits of 5 bits each. */
const newPathSecret = () => Array.from(randomBytes(26), byte => 'abcdefghijklmnopqrstuvwxyz234567'[byte & 31]).join('')

/** Without its item a connection speaks for nobody, whatever is on its way or however long it takes to close. */
const end = async (connection: string) => {
  await save(directory().remove(connectionKey(connection)))
  await disconnect(connection)
}

const pathWith = async (caller: Caller, secret: string) =>
  `/web?c=${(await readCompany(caller)).company_num}&k=${secret}`

export const handler = lambda(devicePaths, {
  'device/grid': async ({ filters, sort, size, page }, caller) => {
    const search = fold(filters.search ?? '')
    const found = (await caller.table.all<Device>({ pk: deviceKey('').pk }))
      .filter(
        ({ department, name, serialNumber }) =>
          manages(caller, department) &&
          (!filters.department || filters.department === department) &&
          (fold(name).includes(search) || fold(serialNumber).includes(search)),
      )
      .sort((one, other) => {
        // A terminal nobody has seen yet was seen before all others.
        const seen = sort.by === 'lastSeenAt' ? byName(one.lastSeenAt ?? '', other.lastSeenAt ?? '') : 0
        const named = sort.by === 'name' ? byName(one.name, other.name) : 0
        return seen || named || byName(one.serialNumber, other.serialNumber)
      })
    if (sort.descending) found.reverse()
    const { list, next } = await caller.table.slice(
      found.map(device => ({ ...device, id: device.serialNumber })),
      { name: `device ${JSON.stringify([filters.department, search, sort])}`, size, page },
    )
    const now = Date.now()
    return { count: found.length, list: list.map(device => show(device, now)), ...(next && { next }) }
  },

  'device/get': async ({ serialNumber }, caller) => show(await managed(caller, serialNumber), Date.now()),

  'device/add': async ({ serialNumber, ...form }, caller) => {
    const { table, company } = caller
    if (!manages(caller, form.department)) throw new Problem(60004, { department: 60004 })
    const usesPath = form.authentication === 'claim+path'
    const secret = newPathSecret()
    const serverPath = usesPath ? await pathWith(caller, secret) : '/web'
    const at = new Date().toISOString()
    await save(
      directory().insert(serialNumberKey(serialNumber), { company }, serialNumberTaken),
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
    )
    return { serialNumber, serverPath }
  },

  'device/update': async ({ serialNumber, version, ...form }, caller) => {
    const { table } = caller
    await managed(caller, serialNumber)
    if (!manages(caller, form.department) || !(await table.get(departmentKey(form.department))))
      throw new Problem(60004, { department: 60004 })
    let ended: string | undefined
    await change(table, deviceKey(serialNumber), device => {
      if (device.edition !== version) throw new Problem(60006)
      // The zone its records are read in is settled when it registers, so it has to do that again.
      ended = device.timezone === form.timezone ? undefined : device.connection
      const connection = ended ? undefined : device.connection
      return { ...device, timezone: undefined, ...form, connection, edition: version + 1 }
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
    if (device?.connection) await disconnect(device.connection)
    return { serverPath: await pathWith(caller, secret) }
  },

  'device/approve': async ({ serialNumber }, caller) => {
    await managed(caller, serialNumber)
    await change(caller.table, deviceKey(serialNumber), device => ({
      ...device,
      state: 'claimed' as const,
      claimedAt: new Date().toISOString(),
      cpusn: undefined,
      mac: undefined,
      // Other hardware owes nothing, and may remember whom it served before.
      reconcileFrom: undefined,
      edition: device.edition + 1,
    }))
    return {}
  },

  'device/quarantine': async ({ size, page }, caller) => {
    const { list, next } = await caller.table.page<Quarantined>({ pk: quarantineKey('', '').pk, size, page })
    const devices = await caller.table.getMany(list.map(({ sn }) => deviceKey(sn)))
    return {
      list: list
        .filter((_, i) => manages(caller, devices[i]?.department ?? ''))
        .map(({ sn, reason, raw, receivedAt }) => ({ serialNumber: sn, reason, raw, receivedAt })),
      ...(next && { next }),
    }
  },

  'device/delete': async ({ serialNumber }, caller) => {
    const { table } = caller
    // It may have just registered or been seen; its newest connection is the one to end.
    const connection = await again(async () => {
      const { connection, version } = await managed(caller, serialNumber)
      await save(
        table.remove(deviceKey(serialNumber), version),
        directory().remove(serialNumberKey(serialNumber)),
        ...(connection ? [directory().remove(connectionKey(connection))] : []),
      )
      return connection
    })
    if (connection) await disconnect(connection)
    return {}
  },
})
