import { type Claim, claimHours, serialNumberKey } from '../../shared/device/claim.ts'
import { deviceKey } from '../../shared/device/key.ts'
import type { Device } from '../../shared/device.ts'
import { Problem } from '../../shared/errors.ts'
import { directory, type Item, type Table, type Write } from '../kit/table.ts'

// A claim ties a serial number to a company: for a day at first, and permanently once a terminal connects. So a typing
// error or a hostile claim blocks the owner for a day at most.

export const serialNumberTaken = { code: 60015, fields: { serialNumber: 60015 } } as const

/** Claims a serial number, or renews the company's own claim. Throws 60015 if another company holds the claim. */
export const claimFor = async (company: string, serialNumber: string, now: number): Promise<Write[]> => {
  const key = serialNumberKey(serialNumber)
  const existing = await directory().get(key)
  const claim = { company, openUntil: new Date(now + claimHours * 3_600_000).toISOString() }
  if (!existing) return [directory().insert(key, claim, serialNumberTaken)]
  const hasLapsed = existing.openUntil !== undefined && Date.parse(existing.openUntil) < now
  if (existing.company !== company && !hasLapsed) throw new Problem(60015, serialNumberTaken.fields)
  return existing.openUntil === undefined ? [] : [directory().replace(key, { ...claim, version: existing.version })]
}

/**
 * Saves a terminal that connected under a claim. The first connection makes the claim permanent, unless another company
 * has taken it over meanwhile.
 */
export const bindTo =
  (table: Table, { company, version }: Item<Claim>) =>
  (before: Device, after: Item<Device>): Write[] => [
    table.replace(deviceKey(after.serialNumber), after),
    ...(before.state === 'claimed' && after.state === 'bound'
      ? [directory().replace(serialNumberKey(after.serialNumber), { company, version }, serialNumberTaken)]
      : []),
  ]

/** Releases a serial number, if the company still holds it. */
export const unclaim = async (company: string, serialNumber: string): Promise<Write[]> => {
  const claim = await directory().get(serialNumberKey(serialNumber))
  return claim?.company === company ? [directory().remove(serialNumberKey(serialNumber), claim.version)] : []
}
