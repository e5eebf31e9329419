import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { browserSn, type Punch, punchKey } from '../../shared/punch.ts'
import { rightBefore } from '../kit/right-before.ts'
import { openWorked } from '../kit/worked.ts'

// An erasure runs while other jobs save the same items.

let worked: Awaited<ReturnType<typeof openWorked>>
beforeAll(async () => {
  worked = await openWorked()
})
afterAll(() => worked.world.close())
afterEach(() => {
  vi.restoreAllMocks()
})

test('the erasure of places keeps the position that a list of records gives a punch meanwhile', async () => {
  const { erasePlaces } = await import('../../functions/erasure/punch.ts')
  const { change } = await import('../../functions/kit/table/change.ts')
  const { table } = await worked.found(1)
  const number = '71'
  const punch = {
    ...{ number, sn: browserSn, localTime: '2026-02-02T09:00:00', at: Date.parse('2026-02-02T08:00:00Z') },
    ...{ generation: 1, source: 'browser', receivedAt: 0, zone: 'Europe/Berlin', place: 'Office' },
  } as unknown as Punch
  const key = punchKey(punch)
  await worked.save(table.insert(key, punch))
  const hasMoved = rightBefore(
    input => input.includes('2026-02-02T09:00:00') && /"(Put|TransactItems|Item)"/.test(input),
    () => change(table, key, current => ({ ...current, position: '2026-02-02T10:00:00.000Z' })),
  )
  await erasePlaces(table, 'a'.repeat(16), [number])
  expect(hasMoved()).toBe(true)
  const kept = await table.get(key)
  expect(kept).toMatchObject({ position: '2026-02-02T10:00:00.000Z' })
  expect(kept).not.toHaveProperty('place')
})
