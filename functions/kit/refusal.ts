import { type Device, deviceKey } from '../../shared/device.ts'
import { change } from './change.ts'
import type { Refusal } from './proof.ts'
import type { Table } from './table.ts'

/** Whoever tries on and on is written down so often, and once more where it has tried too often. */
const notedMilliseconds = 60_000

/** Writes down that something came by this serial number and did not prove itself; the answer to it says nothing of that. */
export const noteRefusal = async (table: Table, device: Device, refusal: Refusal, now: number): Promise<void> => {
  const isKnown = ({ refused }: Device) =>
    refused !== undefined &&
    now - Date.parse(refused.at) < notedMilliseconds &&
    (refusal.reason !== 'tries' || refused.reason === 'tries')
  if (isKnown(device)) return
  const refused = { at: new Date(now).toISOString(), ...refusal }
  await change(table, deviceKey(device.serialNumber), known => (isKnown(known) ? undefined : { ...known, refused }))
}
