import { afterEach, expect, test, vi } from 'vitest'

afterEach(() => {
  vi.unstubAllEnvs()
})

test('the server does not acknowledge records that it cannot store', async () => {
  // No engine listens at this address, so the table is unreachable.
  vi.stubEnv('DYNAMODB_ENDPOINT', 'http://127.0.0.1:1')
  vi.stubEnv('AWS_REGION', 'local')
  vi.stubEnv('TABLE', 'attendance')
  const { ingest } = await import('../../../functions/terminal/intake.ts')
  const { openTable } = await import('../../../functions/kit/table.ts')
  const origin = { table: openTable('c'), sn: 'T1', zone: 'Europe/Athens', generation: 1 }
  const punch = { kind: 'punch', number: '7', localTime: '2026-03-02T08:59:00' } as const
  expect(await ingest(origin, [punch], 'sendlog', Date.now())).toEqual({ isKept: false, added: [] })
  expect(await ingest(origin, [], 'sendlog', Date.now())).toEqual({ isKept: true, added: [] })
})
