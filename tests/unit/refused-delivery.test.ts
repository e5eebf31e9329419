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
const accept = (open: RefusedDelivery[], table: string, ...marks: string[]) =>
  withoutTaken(open, table, marks.length > 0 ? new Set(marks) : undefined)

describe('a refused delivery of records', () => {
  const open = refuse([], 'ATTLOG', 'a', 'b', 'c')

  test('stays open while the server accepts different records of its table', () => {
    expect(accept(open, 'ATTLOG', 'd')).toEqual(open)
    expect(accept(open, 'ATTLOG', 'b', 'c')).toHaveLength(1)
    expect(accept(open, 'OPERLOG', 'a', 'b', 'c')).toEqual(open)
  })

  test('closes once its first and last line arrive, in one delivery or in parts', () => {
    expect(accept(open, 'ATTLOG', 'a', 'b', 'c', 'd')).toEqual([])
    expect(accept(accept(open, 'ATTLOG', 'a', 'b'), 'ATTLOG', 'c')).toEqual([])
  })

  test('counts once after repeated refusals, and closes when its latest lines arrive', () => {
    expect(addRefused(open, { table: 'ATTLOG', status: 503, at: '2026-03-02T09:00:00Z' }, ['a', 'c'])).toBeUndefined()
    const longer = refuse(open, 'ATTLOG', 'a', 'd')
    expect(longer).toHaveLength(1)
    expect(accept(longer, 'ATTLOG', 'a', 'c')).toHaveLength(1)
    expect(accept(longer, 'ATTLOG', 'a', 'd')).toEqual([])
  })

  test('stays open for a part that the server refuses again in a smaller delivery', () => {
    const both = refuse(accept(open, 'ATTLOG', 'a'), 'ATTLOG', 'b', 'c')
    expect(both).toHaveLength(2)
    expect(accept(both, 'ATTLOG', 'b', 'c')).toEqual([])
  })
})

test('the next accepted delivery of a table closes a refused delivery without records', () => {
  const open = refuse(refuse([], 'OPERLOG'), 'UNKNOWN')
  expect(refuse(open, 'OPERLOG')).toHaveLength(2)
  expect(accept(open, 'OPERLOG').map(({ table }) => table)).toEqual(['UNKNOWN'])
})

test('a refused delivery with unread lines stays open while the server accepts records', () => {
  const open = refuse([], 'sendlog')
  expect(accept(open, 'sendlog', 'a')).toEqual(open)
})

test('the server keeps fewer than 50 refused deliveries of a terminal', () => {
  let open: RefusedDelivery[] = []
  for (let i = 0; i < 100; i++) open = refuse(open, 'ATTLOG', `${i}`)
  expect(open.length).toBeLessThan(50)
})

test('countRefused reads only reasons of refusedReason', () => {
  expect(countRefused(refusedReason(3))).toBe(3)
  expect([countRefused(), countRefused('30'), countRefused('refused')]).toEqual([undefined, undefined, undefined])
})
