import { type Claim, claimHours, serialNumberKey } from '../../shared/device/claim.ts'
import { type Device, deviceKey } from '../../shared/device.ts'
import { Problem } from '../../shared/errors.ts'
import { directory, type Item, type Table, type Write } from '../kit/table.ts'

// Whose terminal a serial number is. Whoever claims it has it for a day, and for good once a terminal came by it: a slip of the
// keyboard, or somebody unfriendly, keeps nobody out for longer.

export const serialNumberTaken = { code: 60015, fields: { serialNumber: 60015 } } as const

/** Claims a serial number, or opens the company's claim anew. Throws 60015 where it is another company's. */
export const claimFor = async (company: string, serialNumber: string, now: number): Promise<Write[]> => {
  const key = serialNumberKey(serialNumber)
  const known = await directory().get(key)
  const claim = { company, openUntil: new Date(now + claimHours * 3_600_000).toISOString() }
  if (!known) return [directory().insert(key, claim, serialNumberTaken)]
  const hasLapsed = known.openUntil !== undefined && Date.parse(known.openUntil) < now
  if (known.company !== company && !hasLapsed) throw new Problem(60015, serialNumberTaken.fields)
  return known.openUntil === undefined ? [] : [directory().replace(key, { ...claim, version: known.version })]
}

/** Writes down what a terminal says that came by a claim; of one that another company has taken over meanwhile nothing is. */
export const bindTo =
  (table: Table, { company, version }: Item<Claim>) =>
  (before: Device, now: Item<Device>): Write[] => [
    table.replace(deviceKey(now.serialNumber), now),
    ...(before.state === 'claimed' && now.state === 'bound'
      ? [directory().replace(serialNumberKey(now.serialNumber), { company, version }, serialNumberTaken)]
      : []),
  ]

/** Gives a serial number back, where it is the company's still. */
export const unclaim = async (company: string, serialNumber: string): Promise<Write[]> => {
  const known = await directory().get(serialNumberKey(serialNumber))
  return known?.company === company ? [directory().remove(serialNumberKey(serialNumber), known.version)] : []
}
