import type { Change } from '../change.ts'
import type { Device } from '../device.ts'
import { owesRecords } from './warning.ts'

/** Being seen again changes nothing anybody looks at. */
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

export const deviceFacts = ({ company, old, new: now }: Change<Device>) => {
  const device = now ?? old
  if (!device || (old && now && shown(old) === shown(now))) return []
  const { serialNumber: sn } = device
  // Whose terminal it is, whether it is one already, and what it still holds: by these follows whom it has to know.
  const isOwed =
    !now ||
    (now.state === 'bound' &&
      (old?.state !== 'bound' ||
        old.department !== now.department ||
        old.emptiedAt !== now.emptiedAt ||
        old.fingerAlgorithm !== now.fingerAlgorithm))
  // What other hardware holds is from before, too.
  const isNew = old?.state === 'claimed' || (old?.state === 'needs approval' && old.emptiedAt !== now?.emptiedAt)
  return [
    { type: 'device.changed' as const, company, sn },
    ...(isOwed ? [{ type: 'device.owed' as const, company, sn, ...(isNew && { isNew }) }] : []),
  ]
}
