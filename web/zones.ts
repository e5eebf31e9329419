import { currentZone, listZones } from '../shared/zone-name.ts'

/** The current name of the browser's own zone. */
export const ownZone = () => currentZone(Intl.DateTimeFormat().resolvedOptions().timeZone)

/** The browser's time zones with today's offset, sorted by offset: `[Europe/Athens, (UTC+02:00) Europe/Athens]`. */
export const zones = () => {
  const now = new Date()
  const offsetOf = (timeZone: string) => {
    const parts = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' }).formatToParts(now)
    return parts.find(({ type }) => type === 'timeZoneName')?.value.replace('GMT', '') || '+00:00'
  }
  return [...new Set([...listZones(), ownZone()])]
    .map(zone => ({ zone, offset: offsetOf(zone) }))
    .sort((a, b) => Number(a.offset.replace(':', '')) - Number(b.offset.replace(':', '')) || (a.zone < b.zone ? -1 : 1))
    .map(({ zone, offset }) => [zone, `(UTC${offset}) ${zone.replaceAll('_', ' ')}`] as const)
}
