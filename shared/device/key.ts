import type { Audited } from '../change.ts'
import type { Device } from '../device.ts'
import type { Key } from '../table.ts'

// A separate file, so that functions that only read a terminal's name do not load the shapes of terminals.

/** The audit records only people's decisions about a terminal. */
const audited: Audited<Device> = {
  noun: 'device',
  id: ({ serialNumber }) => serialNumber,
  name: ({ name }) => name,
}

export const deviceKey = (serialNumber: string): Key<Device> => ({ pk: 'DEVICE', sk: serialNumber, audited })
