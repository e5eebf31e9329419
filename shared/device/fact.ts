import type { Change } from '../change.ts'
import type { Device } from '../device.ts'
import { owesRecords } from './warning.ts'

/** Attributes whose change refreshes no page. */
const unshown = new Set([
  ...['version', 'lastSeenAt', 'uploadedAt', 'reconcileFrom', 'pageLostAt', 'repeatedHourAt', 'reconciledOn'],
  ...['counted', 'wroteAt', 'clockZone', 'allAsked', 'listed', 'quiet'],
])

export const shown = (device: Device) =>
  JSON.stringify([
    owesRecords(device),
    ...Object.entries(device)
      .filter(([name]) => !unshown.has(name))
      .sort(),
  ])

export const deviceFacts = ({ company, old, new: next }: Change<Device>) => {
  const device = next ?? old
  if (!device || (old && next && shown(old) === shown(next))) return []
  const { serialNumber: sn } = device
  // The company, the state and the content of a terminal decide which users the terminal must hold.
  const isOwed =
    !next ||
    (next.state === 'bound' &&
      (old?.state !== 'bound' ||
        old.department !== next.department ||
        old.emptiedAt !== next.emptiedAt ||
        old.isOwnNumbering !== next.isOwnNumbering ||
        old.fingerAlgorithm !== next.fingerAlgorithm))
  // Other hardware may also hold the earlier users.
  const isNew = old?.state === 'claimed' || (old?.state === 'needs approval' && old.emptiedAt !== next?.emptiedAt)
  return [
    { type: 'device.changed' as const, company, sn },
    ...(isOwed ? [{ type: 'device.owed' as const, company, sn, ...(isNew && { isNew }) }] : []),
  ]
}
