import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  metresBetween,
  mostAccuracyMetres,
  type Place,
  type Point,
  placeOf,
} from '../../shared/personal/browser-punch.ts'

const point = fc.record({
  latitude: fc.double({ min: -90, max: 90, noNaN: true }),
  longitude: fc.double({ min: -180, max: 180, noNaN: true }),
})
const athens: Point = { latitude: 37.97555, longitude: 23.73489 }
const place = (more: Partial<Place> = {}): Place => ({ name: 'Office', radiusMetres: 100, ...athens, ...more })
/** So many metres north. */
const north = (metres: number, from: Point = athens): Point => ({ ...from, latitude: from.latitude + metres / 111_195 })
/** Floating point, over the whole earth. */
const slackMetres = 0.5
/** Half the way around. */
const furthestMetres = 20_015_115

describe('the distance of two points', () => {
  test.each([
    // Published great-circle distances, which take the earth for the same ball.
    ['Athens and London', athens, { latitude: 51.5074, longitude: -0.1278 }, 2_391_000],
    [
      'New York and Tokyo',
      { latitude: 40.7128, longitude: -74.006 },
      { latitude: 35.6762, longitude: 139.6503 },
      10_849_000,
    ],
    ['both sides of the date line', { latitude: 0, longitude: 179.9 }, { latitude: 0, longitude: -179.9 }, 22_239],
    ['pole and pole', { latitude: 90, longitude: 0 }, { latitude: -90, longitude: 77 }, furthestMetres],
  ])('%s', (_, one, other, metres) => {
    expect(Math.abs(metresBetween(one, other) - metres)).toBeLessThan(metres / 200)
  })

  test('is the same both ways, nothing to itself, never longer than half around, and never longer by a third point', () => {
    fc.assert(
      fc.property(point, point, point, (one, other, third) => {
        const metres = metresBetween(one, other)
        expect(Math.abs(metres - metresBetween(other, one))).toBeLessThan(slackMetres)
        expect(metresBetween(one, one)).toBeLessThan(slackMetres)
        expect(metres).toBeLessThanOrEqual(furthestMetres + slackMetres)
        expect(metres).toBeLessThanOrEqual(metresBetween(one, third) + metresBetween(third, other) + slackMetres)
      }),
    )
  })

  test('is the same whichever name a longitude has', () => {
    fc.assert(
      fc.property(point, point, (one, { latitude }) => {
        const [east, west] = [180, -180].map(longitude => metresBetween(one, { latitude, longitude }))
        expect(Math.abs((east ?? 0) - (west ?? 1))).toBeLessThan(slackMetres)
      }),
    )
  })
})

describe('whether somebody is in a place', () => {
  test('up to its radius, and as far beyond it as their browser is in doubt, to a limit', () => {
    const isIn = (metres: number, accuracyMetres?: number) =>
      placeOf({ ...north(metres), ...(accuracyMetres !== undefined && { accuracyMetres }) }, [place()]) !== undefined
    expect([isIn(0), isIn(99), isIn(101), isIn(101, 5), isIn(140, 30)]).toEqual([true, true, false, true, false])
    expect([isIn(299, 5000), isIn(301, 5000)]).toEqual([true, false])
  })

  test('is in the nearest of several, and in none of none', () => {
    const places = [place({ name: 'Far', ...north(150), radiusMetres: 500 }), place({ name: 'Near', ...north(40) })]
    expect(placeOf(athens, places)?.name).toBe('Near')
    expect(placeOf(athens, [])).toBeUndefined()
  })

  test('whoever is in with some doubt is in with more, and in whatever larger place', () => {
    const metres = fc.integer({ min: 0, max: 2000 })
    fc.assert(
      fc.property(point, point, metres, metres, metres, metres, (at, of, accuracy, doubt, radius, more) => {
        const near = { ...of, latitude: of.latitude + (at.latitude - of.latitude) / 1e5, longitude: of.longitude }
        const isIn = (accuracyMetres: number, radiusMetres: number) =>
          placeOf({ ...near, accuracyMetres }, [{ name: '', ...of, radiusMetres }]) !== undefined
        if (isIn(accuracy, radius)) expect(isIn(accuracy + doubt, radius + more)).toBe(true)
        expect(isIn(mostAccuracyMetres, radius)).toBe(isIn(mostAccuracyMetres + doubt, radius))
      }),
    )
  })
})
