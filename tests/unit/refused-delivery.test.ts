import { describe, expect, test } from 'vitest'
import {
  addRefused,
  countRefused,
  type RefusedDelivery,
  refusedReason,
  withoutTaken,
} from '../../shared/refused-delivery.ts'

const refuse = (open: RefusedDelivery[], table: string, ...marks: string[]) =>
  addRefused(open, { table, status: 413, at: '2026-03-02T08:00:00Z' }, marks) ?? open
const take = (open: RefusedDelivery[], table: string, ...marks: string[]) =>
  withoutTaken(open, table, marks.length > 0 ? new Set(marks) : undefined)

describe('a refused delivery of records', () => {
  const open = refuse([], 'ATTLOG', 'a', 'b', 'c')

  test('stays open while other records of its table are taken', () => {
    expect(take(open, 'ATTLOG', 'd')).toEqual(open)
    expect(take(open, 'ATTLOG', 'b', 'c')).toHaveLength(1)
    expect(take(open, 'OPERLOG', 'a', 'b', 'c')).toEqual(open)
  })

  test('is closed once its first and last line came, in one delivery or in pieces', () => {
    expect(take(open, 'ATTLOG', 'a', 'b', 'c', 'd')).toEqual([])
    expect(take(take(open, 'ATTLOG', 'a', 'b'), 'ATTLOG', 'c')).toEqual([])
  })

  test('is one however often it is refused, and has to come as it was refused last', () => {
    expect(addRefused(open, { table: 'ATTLOG', status: 503, at: '2026-03-02T09:00:00Z' }, ['a', 'c'])).toBeUndefined()
    const longer = refuse(open, 'ATTLOG', 'a', 'd')
    expect(longer).toHaveLength(1)
    expect(take(longer, 'ATTLOG', 'a', 'c')).toHaveLength(1)
    expect(take(longer, 'ATTLOG', 'a', 'd')).toEqual([])
  })

  test('leaves a piece open that is refused by itself', () => {
    const both = refuse(take(open, 'ATTLOG', 'a'), 'ATTLOG', 'b', 'c')
    expect(both).toHaveLength(2)
    expect(take(both, 'ATTLOG', 'b', 'c')).toEqual([])
  })
})

test('a refused delivery of anything else is closed by the next one of its table that is taken', () => {
  const open = refuse(refuse([], 'OPERLOG'), 'UNKNOWN')
  expect(refuse(open, 'OPERLOG')).toHaveLength(2)
  expect(take(open, 'OPERLOG').map(({ table }) => table)).toEqual(['UNKNOWN'])
})

test('a refused delivery whose lines nobody read stays open while records are taken', () => {
  const open = refuse([], 'sendlog')
  expect(take(open, 'sendlog', 'a')).toEqual(open)
})

test('no terminal fills its device with refused deliveries', () => {
  let open: RefusedDelivery[] = []
  for (let i = 0; i < 100; i++) open = refuse(open, 'ATTLOG', `${i}`)
  expect(open.length).toBeLessThan(50)
})

test('a reason is read as it was written, and no other as one', () => {
  expect(countRefused(refusedReason(3))).toBe(3)
  expect([countRefused(), countRefused('30'), countRefused('refused')]).toEqual([undefined, undefined, undefined])
})
