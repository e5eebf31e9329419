import { type Device, deviceKey, type Hardware } from '../../shared/device.ts'
import { change } from '../kit/table/change.ts'
import type { Table } from '../kit/table.ts'
import type { Proof, Refusal } from './proof.ts'

/** Whoever tries on and on is written down so often, and once more where it has tried too often. */
const notedMilliseconds = 60_000

/**
 * Writes down that something came by this serial number and did not prove itself; the answer to it says nothing of that. What a terminal
 * is that brought nothing, as firmware that takes no path, is written down with it until one is let in.
 */
export const noteRefusal = async (
  table: Table,
  device: Device,
  { path, ...refusal }: Refusal & Pick<Proof, 'path'>,
  hardware: Hardware,
  now: number,
): Promise<void> => {
  const isKnown = ({ refused }: Device) =>
    refused !== undefined &&
    now - Date.parse(refused.at) < notedMilliseconds &&
    (refusal.reason !== 'tries' || refused.reason === 'tries')
  if (isKnown(device)) return
  const isBare = refusal.reason === 'path' && path.companyNumber === undefined && path.pathSecretHash === undefined
  const bare = device.state === 'claimed' && isBare ? { bare: hardware } : {}
  const refused = { at: new Date(now).toISOString(), ...refusal, ...bare }
  await change(table, deviceKey(device.serialNumber), known => (isKnown(known) ? undefined : { ...known, refused }))
}
