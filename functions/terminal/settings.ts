import { type Company, companyKey, defaultPrevention } from '../../shared/company.ts'
import type { Device } from '../../shared/device.ts'
import type { Fields } from '../../shared/terminal/ai-face.ts'
import { profileNamed, settingsFor } from '../../shared/terminal/profile.ts'
import type { Table } from '../kit/table.ts'

/** The settings that the company wants on a terminal. */
export const settingsIn = (company: Company | undefined, device: Device): Fields =>
  settingsFor(profileNamed(device.profile), device, company?.prevention ?? defaultPrevention)

export const desiredSettings = async (table: Table, device: Device): Promise<Fields> =>
  settingsIn(await table.get(companyKey()), device)
