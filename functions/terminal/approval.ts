import { claimHours } from '../../shared/device/claim.ts'
import { deviceKey, type Pending } from '../../shared/device.ts'
import { change } from '../kit/table/change.ts'
import type { Table } from '../kit/table.ts'

/** The same board; where nothing was said of one, whatever speaks so: its address may be another one each time. */
const isSame = (one: Pending | undefined, other: Pending): boolean =>
  one?.cpusn === other.cpusn && one?.mac === other.mac && one?.protocol === other.protocol

/**
 * Another terminal came by the name of one that is bound: somebody has to say whether that is right. What they said no to is not asked
 * about again for a day.
 */
export const awaitApproval = (table: Table, serialNumber: string, pending: Pending) =>
  change(table, deviceKey(serialNumber), known => {
    const { denied } = known
    const isDenied = denied && Date.parse(pending.at) - Date.parse(denied.at) < claimHours * 3_600_000
    if (isDenied && isSame(denied, pending)) return undefined
    return known.state === 'bound' || !isSame(known.pending, pending)
      ? { ...known, state: 'needs approval' as const, pending }
      : undefined
  })
