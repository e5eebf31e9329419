import { companyKey, defaultPrevention } from '../../shared/company.ts'
import type { Device } from '../../shared/device.ts'
import type { Fields } from '../../shared/terminal/ai-face.ts'
import { profileNamed, settingsFor } from '../../shared/terminal/profile.ts'
import type { Table } from './table.ts'

/** What a terminal is to be set to. */
export const desiredSettings = async (table: Table, device: Device): Promise<Fields> => {
  const prevention = (await table.get(companyKey()))?.prevention ?? defaultPrevention
  return settingsFor(profileNamed(device.profile), device, prevention)
}
