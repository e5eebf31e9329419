import { claimHours } from '../../shared/device/claim.ts'
import { deviceKey } from '../../shared/device/key.ts'
import type { Pending } from '../../shared/device.ts'
import { change } from '../kit/table/change.ts'
import type { Table } from '../kit/table.ts'

/** Whether two reports have the same board data and protocol. The address may differ each time. */
const isSame = (a: Pending | undefined, b: Pending): boolean =>
  a?.cpusn === b.cpusn && a?.mac === b.mac && a?.protocol === b.protocol

/**
 * Lets a manager decide about other hardware with the serial number of a bound terminal. Ignores denied hardware for a
 * day.
 */
export const awaitApproval = (table: Table, serialNumber: string, pending: Pending) =>
  change(table, deviceKey(serialNumber), device => {
    const { denied } = device
    const isDenied = denied && Date.parse(pending.at) - Date.parse(denied.at) < claimHours * 3_600_000
    if (isDenied && isSame(denied, pending)) return undefined
    return device.state === 'bound' || !isSame(device.pending, pending)
      ? { ...device, state: 'needs approval' as const, pending }
      : undefined
  })
