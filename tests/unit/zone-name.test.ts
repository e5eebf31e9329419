import { expect, test } from 'vitest'
import { currentZone, listZones } from '../../shared/zone-name.ts'

test('the list of zones contains current names only, each once', () => {
  const zones = listZones()
  expect(new Set(zones).size).toBe(zones.length)
  expect(zones).toEqual(expect.arrayContaining(['Europe/Kyiv', 'Asia/Kolkata', 'America/Nuuk', 'UTC']))
  for (const old of ['Europe/Kiev', 'Asia/Calcutta', 'America/Godthab']) expect(zones).not.toContain(old)
  expect(zones.map(currentZone)).toEqual(zones)
})

test('a zone has the same clock under its old and its current name', () => {
  const replaced = Intl.supportedValuesOf('timeZone').filter(zone => currentZone(zone) !== zone)
  const clock = (timeZone: string, at: number) =>
    new Intl.DateTimeFormat('en', { timeZone, dateStyle: 'short', timeStyle: 'long' })
      .format(at)
      .replace(/[A-Z]{3,}/, '')
  for (const zone of replaced)
    for (let year = 1990; year < 2030; year++) {
      const at = Date.UTC(year, (year * 7) % 12, 1)
      expect(clock(currentZone(zone), at)).toBe(clock(zone, at))
    }
})
