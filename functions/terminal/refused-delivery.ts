import { deviceKey } from '../../shared/device/key.ts'
import type { Device } from '../../shared/device.ts'
import { addRefused, withoutTaken } from '../../shared/refused-delivery.ts'
import { hashSecret } from '../kit/id.ts'
import { change } from '../kit/table/change.ts'
import type { Item, Table } from '../kit/table.ts'

export interface Delivery {
  /** The terminal's name for the table. */
  table: string
  /** The records, if any; the server recognises a retry by them. */
  lines?: readonly string[] | undefined
}

/** Records that a websocket terminal pushes, under any name that its firmware uses. */
export const pushed = 'sendlog'
export const pushOf = ({ record, records }: { record?: unknown; records?: unknown }): Delivery => {
  const rows = [record, records].flatMap(list => list ?? [])
  return { table: pushed, ...(rows.length > 0 && { lines: rows.map(row => JSON.stringify(row)) }) }
}

const markOf = (line: string) => hashSecret(line.trim()).slice(0, 16)

/** Notes a refused delivery before the terminal gets the answer. From then on no reset erases the delivery. */
export const noteRefusedDelivery = (
  table: Table,
  serialNumber: string,
  { table: name, lines = [] }: Delivery,
  status: number,
): Promise<Item<Device> | undefined> => {
  const ends = lines.length > 0 ? [lines[0] ?? '', lines.at(-1) ?? ''].map(markOf) : []
  const refused = { table: name, status, at: new Date().toISOString() }
  return change(table, deviceKey(serialNumber), device => {
    const refusedDeliveries = addRefused(device.refusedDeliveries ?? [], refused, ends)
    return refusedDeliveries && { ...device, refusedDeliveries }
  })
}

/** The device without the refused deliveries that this delivery repeats; undefined if it repeats none. */
export const withoutRefused = (device: Item<Device>, { table, lines }: Delivery): Item<Device> | undefined => {
  const open = device.refusedDeliveries ?? []
  if (!open.some(refused => refused.table === table)) return undefined
  const left = withoutTaken(open, table, lines && new Set(lines.map(markOf)))
  const isLess = JSON.stringify(left) !== JSON.stringify(open)
  return isLess ? { ...device, refusedDeliveries: left.length > 0 ? left : undefined } : undefined
}

/**
 * Closes the refused deliveries that the server has now taken; returns whether it closed any. `device` is the state
 * before the delivery.
 */
export const noteTakenDelivery = async (table: Table, device: Item<Device>, delivery: Delivery): Promise<boolean> => {
  if (!withoutRefused(device, delivery)) return false
  await change(table, deviceKey(device.serialNumber), current => withoutRefused(current, delivery))
  return true
}

interface Delivered {
  table: Table
  device: Item<Device>
  delivery: Delivery | undefined
  /** Counts the delivery as refused until the server has taken it, because the function may end before it answers. */
  isLong: boolean
}

/** Answers a delivery over HTTP. Notes a refusal before the terminal gets the answer. */
export const answerDelivery = async <R extends { statusCode?: number | undefined }>(
  { table, device, delivery, isLong }: Delivered,
  give: () => Promise<R>,
): Promise<R> => {
  if (!delivery) return give()
  const { serialNumber } = device
  const before = isLong ? await noteRefusedDelivery(table, serialNumber, delivery, 503) : device
  const result = await give()
  const { statusCode = 200 } = result
  if (statusCode < 400) await noteTakenDelivery(table, before ?? device, delivery)
  // A 403 goes to other hardware, and this terminal does not hold the deliveries of other hardware.
  else if (statusCode !== 403) await noteRefusedDelivery(table, serialNumber, delivery, statusCode)
  return result
}
