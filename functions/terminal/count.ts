import { connectionKey } from '../../shared/connection.ts'
import { deviceKey } from '../../shared/device/key.ts'
import type { Device } from '../../shared/device.ts'
import { iso } from '../../shared/local-day.ts'
import { type Punch, receivedPk, settleSeconds } from '../../shared/punch.ts'
import { type DeviceUser, deviceUserKey, type Tally, tallyOf } from '../../shared/terminal/user.ts'
import { polls } from '../kit/push.ts'
import { change } from '../kit/table/change.ts'
import { directory, type Item, openTable, type Table } from '../kit/table.ts'
import { watch } from './command.ts'

// Counts the people, fingerprints, faces and records on a terminal. Websocket terminals report these figures only at
// registration, every two hours, so the server counts the changes in between. ADMS terminals report new figures by
// themselves.

/** After this pause the server has applied the outcome of every command. */
const quietMilliseconds = 20_000
const settleMilliseconds = settleSeconds * 1000
/** Each run checks the punches of several minutes, so one missed run loses none. */
const countedMilliseconds = 3 * 60_000

type Reset = Pick<Device, 'serialNumber' | 'resetAt'>

const readHolds = (table: Table, { serialNumber }: Reset): Promise<Pick<DeviceUser, 'holds' | 'emptiedAt'>[]> =>
  table.all<DeviceUser>({ pk: deviceUserKey(serialNumber, '').pk, only: ['holds', 'emptiedAt'] })

/** The content that the server knows on a terminal. */
const tallyHeld = async (table: Table, device: Reset): Promise<Tally> => tallyOf(await readHolds(table, device), device)

/** A figure that the terminal never reported stays undefined. */
const plus = (figure: number | undefined, more: number) =>
  figure === undefined ? undefined : Math.max(0, figure + more)

const ofEach = (figure: (kind: keyof Tally) => number): Tally => ({
  users: figure('users'),
  templates: figure('templates'),
  faces: figure('faces'),
})

/**
 * Stores the known content of a terminal before the first change since its report. Doubtful content, such as users sent
 * again, counts only up to the reported figures.
 */
export const startCounting = async (table: Table, device: Item<Device>, connection: string): Promise<void> => {
  if (!device.counted || device.counted.held) return
  const users = await readHolds(table, device)
  const certain = tallyOf(users, device)
  const most = tallyOf(users, device, true)
  const held = ofEach(kind => Math.max(certain[kind], Math.min(most[kind], device[kind] ?? 0)))
  const begin = ({ counted, ...current }: Item<Device>) =>
    current.connection === connection && counted && !counted.held
      ? { ...current, counted: { ...counted, held } }
      : undefined
  await change(table, deviceKey(device.serialNumber), begin, undefined, device)
}

/** Raises the known count for content that the terminal's report already included. */
export const noteFound = async (
  table: Table,
  sn: string,
  { before, after }: { before: Tally; after: Tally },
): Promise<void> => {
  await change(table, deviceKey(sn), ({ counted, ...device }) => {
    const base = counted?.held
    if (!base) return undefined
    const held = ofEach(kind => {
      const old = base[kind]
      const all = old + after[kind] - before[kind]
      return Math.min(all, Math.max(old, device[kind] ?? all))
    })
    return { ...device, counted: { ...counted, held } }
  })
}

/** Notes that the terminal reported users. The server counts its content once the reports stop. */
export const noteTold = async (company: string, sn: string, connection: string, now: number): Promise<void> => {
  await change(directory(), connectionKey(connection), current => ({ ...current, wroteAt: iso(now) }))
  await watch(company, sn, now + quietMilliseconds)
}

/**
 * Counts a terminal's people after changes; returns the time of the next attempt if changes may still arrive. `isOver`
 * counts at once, because no command is in flight, and again after the quiet time.
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
  await change(table, deviceKey(sn), ({ users, templates, faces, counted, ...current }) => {
    const base = counted?.held
    if (!base || current.connection !== id) return undefined
    return {
      ...current,
      users: plus(users, held.users - base.users),
      templates: plus(templates, held.templates - base.templates),
      faces: plus(faces, held.faces - base.faces),
      counted: { ...counted, held },
      ...(id === undefined && isQuiet && { wroteAt: undefined }),
    }
  })
  if (!isQuiet) return quietAt
  if (id !== undefined)
    await change(directory(), connectionKey(id), ({ wroteAt: last, ...current }) =>
      last === wroteAt ? current : undefined,
    )
  return undefined
}

/** Adds newly delivered records to the counts of a company's terminals. Counts each record once. */
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
          // A full read returns records that the terminal had already counted, except newer ones.
          .filter(({ source, at }) => source !== 'getalllog' || at > since)
          .map(({ receivedAt }) => receivedAt)
        if (!counted || records === undefined || fresh.length === 0) return undefined
        // The terminal's own figure already includes the records that it had not delivered then. After an empty page it
        // has delivered them all.
        const isDelivered = uploadedAt >= counted.since
        const kept = isDelivered ? fresh.filter(at => at <= uploadedAt).length : fresh.length
        const before = Math.min(kept, counted.unsent)
        const unsent = isDelivered && uploadedAt <= to ? 0 : counted.unsent - before
        return { ...device, records: records + fresh.length - before, counted: { ...counted, upTo: to, unsent } }
      })
}
