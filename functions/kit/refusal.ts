import { type Device, deviceKey } from '../../shared/device.ts'
import { change } from './change.ts'
import type { Table } from './table.ts'

/** Whoever tries on and on is written down so often, whatever they bring. */
const notedMilliseconds = 60_000

/** Writes down that something came by this serial number and did not prove itself; the answer to it says nothing of that. */
export const noteRefusal = async (table: Table, device: Device, now: number): Promise<void> => {
  const { serialNumber, authentication } = device
  const isRecent = ({ refused }: Device) => refused !== undefined && now - Date.parse(refused.at) < notedMilliseconds
  if (isRecent(device)) return
  const reason = authentication === 'claim+password' ? ('password' as const) : ('path' as const)
  const refused = { at: new Date(now).toISOString(), reason }
  await change(table, deviceKey(serialNumber), known => (isRecent(known) ? undefined : { ...known, refused }))
}
