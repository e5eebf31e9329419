import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { dayNumber } from '../../shared/attendance/calendar.ts'
import { wallMinutes, wallTime } from '../../shared/attendance/wall-time.ts'
import { addDays, daysBetween } from '../../shared/local-day.ts'
import {
  engineRequest,
  momentOf,
  overlaps,
  type Request,
  type RequestStatus,
  requestOfPunch,
  requestPunch,
  requestStatus,
  type ShiftRequest,
} from '../../shared/request.ts'

// Tests the overlap of two requests, and the instant at which a clock shows a time.

const zones = ['Europe/Athens', 'America/New_York', 'Asia/Kathmandu', 'Australia/Lord_Howe', 'Pacific/Apia', 'Etc/UTC']
/** A short range, so that requests overlap, with clock changes in most of the zones. */
const firstDay = '2026-03-26'
const aDay = fc.integer({ min: 0, max: 4 }).map(after => addDays(firstDay, after))
/** A time from the previous date to the next date. */
const aTime = fc.integer({ min: -1440, max: 2879 }).map(minutes => wallTime(minutes))
const aStatus = fc.constantFrom<RequestStatus[]>(0, 0, 1, 1, 2, 3)

const iso = (at: number) => new Date(at).toISOString()
interface Parts {
  type: 1 | 2 | 3
  day: string
  /** The length of leave, in days after the first. */
  length: number
  times: [string, string]
  isAllDay: boolean
  status: RequestStatus
  n: number
}

/** Builds a request like the form; undefined if the form refuses the values. */
const buildRequest = (zone: string, { type, day, length, times, isAllDay, status, n }: Parts): Request | undefined => {
  const toDay = type === 2 ? addDays(day, length) : day
  const common = {
    ...{ id: `${toDay}-${String(n).padStart(16, '0')}`, employee: 'e', status, day, toDay, zone },
    ...{ createdAt: '2026-01-01T00:00:00Z', steps: [] },
  }
  const from = momentOf(zone, day, times[0])
  if (from === undefined) return undefined
  if (type === 1) return { ...common, type, at: iso(from) }
  const to = momentOf(zone, toDay, times[1], true)
  if (type === 2 && isAllDay) return { ...common, type, leaveType: 3, total: { days: 1, minutes: 480 } }
  if (to === undefined || to <= from) return undefined
  if (type === 3) return { ...common, type, from: iso(from), to: iso(to) }
  return { ...common, type, leaveType: 3, from: iso(from), to: iso(to), total: { days: 1, minutes: 480 } }
}
const partArbitraries: { [K in keyof Parts]: fc.Arbitrary<Parts[K]> } = {
  type: fc.constantFrom<Parts['type'][]>(1, 2, 3),
  day: aDay,
  length: fc.integer({ min: 0, max: 3 }),
  times: fc.tuple(aTime, aTime),
  isAllDay: fc.boolean(),
  status: aStatus,
  n: fc.integer({ min: 0, max: 999 }),
}
const aPair = fc
  .tuple(fc.constantFrom(...zones), fc.record(partArbitraries), fc.record(partArbitraries))
  .map(([zone, first, second]) => [buildRequest(zone, first), buildRequest(zone, second)] as const)
  .filter((pair): pair is readonly [Request, Request] => pair[0] !== undefined && pair[1] !== undefined)

const counts = ({ status }: Request) => status === requestStatus.pending || status === requestStatus.approved
const datesOf = ({ day, toDay }: Request) => new Set(daysBetween(day, toDay))
/** Every minute of a request. */
const minutesOf = (request: Request): Set<number> => {
  if (request.type === 1) return new Set([Math.floor(Date.parse(request.at) / 60_000)])
  const [from, to] = [Date.parse(request.from ?? '') / 60_000, Date.parse(request.to ?? '') / 60_000]
  return new Set(Array.from({ length: to - from }, (_, i) => from + i))
}
const isWhole = (request: Request) => request.type === 2 && request.from === undefined

describe('two requests', () => {
  test('overlap symmetrically', () => {
    fc.assert(fc.property(aPair, ([a, b]) => overlaps(a, b) === overlaps(b, a)))
  })

  test('overlap if both count and share a minute, or share a date if one request takes whole days', () => {
    let overlapCount = 0
    fc.assert(
      fc.property(aPair, ([a, b]) => {
        const isSame = a.id === b.id || a.type !== b.type
        const areWhole = isWhole(a) || isWhole(b)
        const [left, right] = areWhole ? [datesOf(a), datesOf(b)] : [minutesOf(a), minutesOf(b)]
        const isShared = !(left as Set<unknown>).isDisjointFrom(right as Set<unknown>)
        const expected = !isSame && counts(a) && counts(b) && isShared
        if (expected) overlapCount++
        expect(overlaps(a, b)).toBe(expected)
      }),
      { numRuns: 2000 },
    )
    expect(overlapCount).toBeGreaterThan(50)
  })

  test('overlap only if the server reads both', () => {
    fc.assert(
      fc.property(aPair, ([a, b]) => {
        // The server reads requests whose last day is at most two days earlier.
        if (overlaps(a, b)) expect(b.toDay >= addDays(a.day, -2)).toBe(true)
      }),
      { numRuns: 2000 },
    )
  })
})

describe('the moment a clock shows a time', () => {
  /** The reading of a clock, computed by the platform only. */
  const readingOf = (zone: string, at: number) =>
    new Intl.DateTimeFormat('sv', { timeZone: zone, dateStyle: 'short', timeStyle: 'short' }).format(at)
  const expectedReading = (day: string, time: string) => {
    const minutes = wallMinutes(time)
    const date = addDays(day, Math.floor(minutes / 1440))
    return `${date} ${wallTime(minutes - Math.floor(minutes / 1440) * 1440)}`
  }

  test('is the only instant with the time or the chosen instant of two, and undefined for a skipped time', () => {
    const counted = { twice: 0, skipped: 0 }
    fc.assert(
      fc.property(
        fc.constantFrom(...zones),
        fc.constantFrom('2026-03-08', '2026-03-29', '2026-04-05', '2026-10-04', '2026-10-25', '2026-11-01'),
        aTime,
        (zone, day, time) => {
          const reading = expectedReading(day, time)
          const middle = Date.parse(`${day}T00:00:00Z`) + wallMinutes(time) * 60_000
          // Every zone is within 15 hours of UTC, and changes by at least half an hour.
          const at: number[] = []
          for (let hours = -15; hours <= 15; hours += 0.25)
            if (readingOf(zone, middle + hours * 3_600_000) === reading) at.push(middle + hours * 3_600_000)
          expect(momentOf(zone, day, time)).toBe(at[0])
          expect(momentOf(zone, day, time, true)).toBe(at.at(-1))
          if (at.length > 1) counted.twice++
          if (at.length === 0) counted.skipped++
        },
      ),
      {
        numRuns: 300,
        examples: [
          ['America/New_York', '2026-11-01', '01:30'],
          ['America/New_York', '2026-03-08', '02:30'],
          ['Australia/Lord_Howe', '2026-10-04', '02:15'],
        ],
      },
    )
    expect(counted.twice).toBeGreaterThan(0)
    expect(counted.skipped).toBeGreaterThan(1)
  })
})

test('the punch of a correction names its request, and no other punch does', () => {
  const request: ShiftRequest = {
    ...{ id: '2026-03-01-0000000000000001', employee: 'e', type: 1, status: 1, day: '2026-03-01', toDay: '2026-03-01' },
    ...{ zone: 'Etc/UTC', at: '2026-03-01T09:00:00.000Z', inout: 1, createdAt: '', steps: [] },
  }
  const punch = requestPunch(request)
  expect(punch).toEqual({ at: Date.UTC(2026, 2, 1, 9), key: `REQUEST#${request.id}`, state: 'out' })
  expect(requestOfPunch(punch.key)).toBe(request.id)
  expect(requestOfPunch('12#2026-03-01T09:00:00#T1')).toBeUndefined()
})

test('the engine receives leave with days or instants, and overtime with instants', () => {
  const common = {
    ...{ id: 'x', employee: 'e', status: 1 as const, day: '2026-03-01', toDay: '2026-03-02', zone: 'Etc/UTC' },
    ...{ createdAt: '', steps: [], leaveType: 3, total: { days: 1, minutes: 480 } },
  }
  const times = { from: '2026-03-01T09:00:00.000Z', to: '2026-03-01T10:00:00.000Z' }
  const [from, to] = [Date.UTC(2026, 2, 1, 9), Date.UTC(2026, 2, 1, 10)]
  expect(dayNumber('2026-03-01')).toBe(Date.UTC(2026, 2, 1) / 86_400_000)
  expect(engineRequest({ ...common, type: 2 })).toEqual({
    ...{ kind: 'leave', leaveType: 3, fromDay: '2026-03-01', toDay: '2026-03-02' },
  })
  expect(engineRequest({ ...common, ...times, type: 2 })).toEqual({ kind: 'leave', leaveType: 3, from, to })
  expect(engineRequest({ ...common, ...times, type: 3 })).toEqual({ kind: 'overtime', from, to })
})
