import { connectionKey } from '../../shared/connection.ts'
import { type Device, deviceKey } from '../../shared/device.ts'
import { iso } from '../../shared/local-day.ts'
import { type Punch, receivedPk, settleSeconds } from '../../shared/punch.ts'
import { type DeviceUser, deviceUserKey, type Tally, tallyOf } from '../../shared/terminal/user.ts'
import { polls } from '../kit/push.ts'
import { change } from '../kit/table/change.ts'
import { directory, type Item, openTable, type Table } from '../kit/table.ts'
import { watch } from './command.ts'

// How many people, fingers, faces and records a terminal holds. Those of the websocket family say so when they register, every two
// hours, and have no command that says it in between: there is one for settings, and one that lists credentials and knows nobody who
// has none. What they took and delivered since is known here, so it is counted from there on. Those that come by HTTP tell it by
// themselves.

/** What became of a command is taken in by then. */
const quietMilliseconds = 20_000
const settleMilliseconds = settleSeconds * 1000
/** Of so many minutes punches are looked at each minute, so that one minute may be missed. */
const countedMilliseconds = 3 * 60_000

type Reset = Pick<Device, 'serialNumber' | 'resetAt'>

const readHolds = (table: Table, { serialNumber }: Reset): Promise<Pick<DeviceUser, 'holds' | 'emptiedAt'>[]> =>
  table.all<DeviceUser>({ pk: deviceUserKey(serialNumber, '').pk, only: ['holds', 'emptiedAt'] })

/** Whom and what a terminal is known to hold. */
const tallyHeld = async (table: Table, device: Reset): Promise<Tally> => tallyOf(await readHolds(table, device), device)

/** A figure the terminal never said is not known by what was added to it. */
const plus = (figure: number | undefined, more: number) =>
  figure === undefined ? undefined : Math.max(0, figure + more)

const ofEach = (figure: (kind: keyof Tally) => number): Tally => ({
  users: figure('users'),
  templates: figure('templates'),
  faces: figure('faces'),
})

/**
 * Writes down whom and what a terminal is known to hold, before the first that it tells or is told of people since it said how many
 * of each it holds. Of what is in doubt, as all is that is sent again, so many are there as what it said leaves room for.
 */
export const startCounting = async (table: Table, device: Item<Device>, connection: string): Promise<void> => {
  if (!device.counted || device.counted.held) return
  const users = await readHolds(table, device)
  const known = tallyOf(users, device)
  const most = tallyOf(users, device, true)
  const held = ofEach(kind => Math.max(known[kind], Math.min(most[kind], device[kind] ?? 0)))
  const begin = ({ counted, ...now }: Item<Device>) =>
    now.connection === connection && counted && !counted.held ? { ...now, counted: { ...counted, held } } : undefined
  await change(table, deviceKey(device.serialNumber), begin, undefined, device)
}

/** What became known of some people was there already when the terminal counted; as much of it as is not in what was known then. */
export const noteFound = async (
  table: Table,
  sn: string,
  { before, now }: { before: Tally; now: Tally },
): Promise<void> => {
  await change(table, deviceKey(sn), ({ counted, ...device }) => {
    const base = counted?.held
    if (!base) return undefined
    const held = ofEach(kind => {
      const old = base[kind]
      const all = old + now[kind] - before[kind]
      return Math.min(all, Math.max(old, device[kind] ?? all))
    })
    return { ...device, counted: { ...counted, held } }
  })
}

/** The terminal told something of people: what it holds of them is counted once it is quiet. */
export const noteTold = async (company: string, sn: string, connection: string, now: number): Promise<void> => {
  await change(directory(), connectionKey(connection), known => ({ ...known, wroteAt: iso(now) }))
  await watch(company, sn, now + quietMilliseconds)
}

/**
 * Counts a terminal's people where it was told of them; answers when that is to be looked at again, where it is too early. Where nothing
 * is under way any more they are counted at once, and once more when what became of everything must have been taken in.
 */
export const countPeople = async (
  table: Table,
  sn: string,
  now: number,
  { isOver = false } = {},
): Promise<number | undefined> => {
  const device = await table.get(deviceKey(sn))
  const id = device?.connection
  if (!device || id === polls) return undefined
  const { wroteAt } = (id === undefined ? device : await directory().get(connectionKey(id))) ?? {}
  if (wroteAt === undefined) return undefined
  const quietAt = Date.parse(wroteAt) + quietMilliseconds
  const isQuiet = now >= quietAt
  if (!isQuiet && !isOver) return quietAt
  const held = await tallyHeld(table, device)
  await change(table, deviceKey(sn), ({ users, templates, faces, counted, ...known }) => {
    const base = counted?.held
    if (!base || known.connection !== id) return undefined
    return {
      ...known,
      users: plus(users, held.users - base.users),
      templates: plus(templates, held.templates - base.templates),
      faces: plus(faces, held.faces - base.faces),
      counted: { ...counted, held },
      ...(id === undefined && isQuiet && { wroteAt: undefined }),
    }
  })
  if (!isQuiet) return quietAt
  if (id !== undefined)
    await change(directory(), connectionKey(id), ({ wroteAt: last, ...known }) =>
      last === wroteAt ? known : undefined,
    )
  return undefined
}

/** Adds what came in of some of a company's terminals to what they hold, each record once. */
export const countRecords = async (company: string, terminals: ReadonlySet<string>, now: number): Promise<void> => {
  const table = openTable(company)
  const settledAt = now - settleMilliseconds
  const to = iso(settledAt)
  const range = { index: 'byDay', pk: receivedPk, from: iso(settledAt - countedMilliseconds), to } as const
  const received = new Map([...terminals].map(sn => [sn, [] as Pick<Punch, 'receivedAt' | 'source' | 'at'>[]]))
  for await (const punch of table.each<Punch>({ ...range, only: ['sn', 'receivedAt', 'source', 'at'] }))
    received.get(punch.sn)?.push(punch)
  for (const [sn, punches] of received)
    if (punches.length > 0)
      await change(table, deviceKey(sn), device => {
        const { records, counted, uploadedAt = '' } = device
        const { since = '', upTo = '' } = counted ?? {}
        const fresh = punches
          .filter(({ receivedAt }) => receivedAt > upTo && receivedAt <= to)
          // What is found where all are asked for was held already when it counted, but for what was made since.
          .filter(({ source, at }) => source !== 'getalllog' || at > since)
          .map(({ receivedAt }) => receivedAt)
        if (!counted || records === undefined || fresh.length === 0) return undefined
        // What it had not delivered when it counted is counted already; behind an empty page there is none of that any more.
        const isDelivered = uploadedAt >= counted.since
        const kept = isDelivered ? fresh.filter(at => at <= uploadedAt).length : fresh.length
        const before = Math.min(kept, counted.unsent)
        const unsent = isDelivered && uploadedAt <= to ? 0 : counted.unsent - before
        return { ...device, records: records + fresh.length - before, counted: { ...counted, upTo: to, unsent } }
      })
}
