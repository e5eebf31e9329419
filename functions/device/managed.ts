import { connectionKey } from '../../shared/connection.ts'
import { deviceKey } from '../../shared/device/key.ts'
import type { Device } from '../../shared/device.ts'
import { Problem } from '../../shared/errors.ts'
import { readCompany } from '../company/store.ts'
import { type Caller, manages } from '../kit/caller.ts'
import { disconnect } from '../kit/push.ts'
import { directory, type Item, save } from '../kit/table.ts'

export const managed = async (caller: Caller, serialNumber: string): Promise<Item<Device>> => {
  const device = await caller.table.get(deviceKey(serialNumber))
  if (!device || !manages(caller, device.department)) throw new Problem(60004, { serialNumber: 60004 })
  return device
}

/** The zone of the days that the server requests from the terminal. */
export const zoneOf = async (caller: Caller, { timezone }: Device): Promise<string> =>
  timezone ?? (await readCompany(caller)).timezone

/** Ends a connection. Removes its item first, so that frames in flight belong to no terminal. */
export const end = async (connection: string) => {
  await save(directory().remove(connectionKey(connection)))
  await disconnect(connection)
}
