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
/** A point `metres` north of another. */
const north = (metres: number, from: Point = athens): Point => ({ ...from, latitude: from.latitude + metres / 111_195 })
/** The floating-point error over the whole earth. */
const toleranceMetres = 0.5
/** Half the circumference of the earth. */
const furthestMetres = 20_015_115

describe('the distance of two points', () => {
  test.each([
    // Published great-circle distances for the same radius of the earth.
    ['Athens and London', athens, { latitude: 51.5074, longitude: -0.1278 }, 2_391_000],
    [
      'New York and Tokyo',
      { latitude: 40.7128, longitude: -74.006 },
      { latitude: 35.6762, longitude: 139.6503 },
      10_849_000,
    ],
    ['both sides of the date line', { latitude: 0, longitude: 179.9 }, { latitude: 0, longitude: -179.9 }, 22_239],
    ['pole and pole', { latitude: 90, longitude: 0 }, { latitude: -90, longitude: 77 }, furthestMetres],
  ])('%s', (_, first, second, metres) => {
    expect(Math.abs(metresBetween(first, second) - metres)).toBeLessThan(metres / 200)
  })

  test('is symmetric, 0 to itself, at most half the circumference, and satisfies the triangle inequality', () => {
    fc.assert(
      fc.property(point, point, point, (first, second, third) => {
        const metres = metresBetween(first, second)
        expect(Math.abs(metres - metresBetween(second, first))).toBeLessThan(toleranceMetres)
        expect(metresBetween(first, first)).toBeLessThan(toleranceMetres)
        expect(metres).toBeLessThanOrEqual(furthestMetres + toleranceMetres)
        expect(metres).toBeLessThanOrEqual(metresBetween(first, third) + metresBetween(third, second) + toleranceMetres)
      }),
    )
  })

  test('is the same for longitude 180 and -180', () => {
    fc.assert(
      fc.property(point, point, (first, { latitude }) => {
        const [east, west] = [180, -180].map(longitude => metresBetween(first, { latitude, longitude }))
        expect(Math.abs((east ?? 0) - (west ?? 1))).toBeLessThan(toleranceMetres)
      }),
    )
  })
})

describe('the location of a punch', () => {
  test('matches within the radius plus the accuracy of the browser, up to a limit', () => {
    const isIn = (metres: number, accuracyMetres?: number) =>
      placeOf({ ...north(metres), ...(accuracyMetres !== undefined && { accuracyMetres }) }, [place()]) !== undefined
    expect([isIn(0), isIn(99), isIn(101), isIn(101, 5), isIn(140, 30)]).toEqual([true, true, false, true, false])
    expect([isIn(299, 5000), isIn(301, 5000)]).toEqual([true, false])
  })

  test('is the nearest of several locations, and undefined without locations', () => {
    const places = [place({ name: 'Far', ...north(150), radiusMetres: 500 }), place({ name: 'Near', ...north(40) })]
    expect(placeOf(athens, places)?.name).toBe('Near')
    expect(placeOf(athens, [])).toBeUndefined()
  })

  test('that matches still matches with a larger accuracy value or radius', () => {
    const metres = fc.integer({ min: 0, max: 2000 })
    fc.assert(
      fc.property(point, point, metres, metres, metres, metres, (at, of, accuracy, moreAccuracy, radius, more) => {
        const near = { ...of, latitude: of.latitude + (at.latitude - of.latitude) / 1e5, longitude: of.longitude }
        const isIn = (accuracyMetres: number, radiusMetres: number) =>
          placeOf({ ...near, accuracyMetres }, [{ name: '', ...of, radiusMetres }]) !== undefined
        if (isIn(accuracy, radius)) expect(isIn(accuracy + moreAccuracy, radius + more)).toBe(true)
        expect(isIn(mostAccuracyMetres, radius)).toBe(isIn(mostAccuracyMetres + moreAccuracy, radius))
      }),
    )
  })
})
