import { expect, test } from 'vitest'
import { isOnline, warningsOf } from '../../shared/device/warning.ts'
import type { Device } from '../../shared/device.ts'

const now = Date.parse('2026-03-10T09:00:00Z')
const device: Device = {
  ...{ serialNumber: 'GATE01', name: 'Gate', department: 'd', voice: 3, language: 0, authentication: 'claim+path' },
  ...{ edition: 1, registeredAt: '2026-03-01T09:00:00.000Z', claimedAt: '2026-03-01T09:00:00.000Z' },
  ...{ state: 'bound', generation: 1, protocol: 'ai-face', settings: '{}' },
}

test('a terminal shows the warning about recovered records for a week', () => {
  const warningsAfterRecovery = (day: string) =>
    warningsOf({ ...device, recovered: { count: 2, at: `${day}T09:00:01Z` } }, now)
  expect(warningsOf(device, now)).toEqual([])
  expect(warningsAfterRecovery('2026-03-10')).toEqual(['recovered'])
  expect(warningsAfterRecovery('2026-03-03')).toEqual(['recovered'])
  expect(warningsAfterRecovery('2026-03-02')).toEqual([])
})

test('a terminal is offline if its last message is older than its protocol allows', () => {
  const isOnlineAfter = (minutesAgo: number, protocol: Device['protocol']) =>
    isOnline(
      { ...device, protocol, connection: 'c', lastSeenAt: new Date(now - minutesAgo * 60_000).toISOString() },
      now,
    )
  expect([11, 13].map(minutes => isOnlineAfter(minutes, 'ai-face'))).toEqual([true, false])
  expect([2, 4].map(minutes => isOnlineAfter(minutes, 'adms'))).toEqual([true, false])
})
