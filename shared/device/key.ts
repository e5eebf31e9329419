import type { Audited } from '../change.ts'
import type { Device } from '../device.ts'
import type { Key } from '../table.ts'

// Apart from the shapes of terminals, because functions that only read a terminal's name need none of them.

/** The audit records only people's decisions about a terminal. */
const audited: Audited<Device> = {
  noun: 'device',
  id: ({ serialNumber }) => serialNumber,
  name: ({ name }) => name,
}

export const deviceKey = (serialNumber: string): Key<Device> => ({ pk: 'DEVICE', sk: serialNumber, audited })
