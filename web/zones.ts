/** The browser's time zones with today's offset, sorted by offset: `[Europe/Athens, (UTC+02:00) Europe/Athens]`. */
export const zones = () => {
  const ownZone = Intl.DateTimeFormat().resolvedOptions().timeZone
  const now = new Date()
  const offsetOf = (timeZone: string) => {
    const parts = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' }).formatToParts(now)
    return parts.find(({ type }) => type === 'timeZoneName')?.value.replace('GMT', '') || '+00:00'
  }
  return [...new Set([...Intl.supportedValuesOf('timeZone'), ownZone, 'UTC'])]
    .map(zone => ({ zone, offset: offsetOf(zone) }))
    .sort((a, b) => Number(a.offset.replace(':', '')) - Number(b.offset.replace(':', '')) || (a.zone < b.zone ? -1 : 1))
    .map(({ zone, offset }) => [zone, `(UTC${offset}) ${zone.replaceAll('_', ' ')}`] as const)
}
