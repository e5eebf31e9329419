import { describe, expect, test } from 'vitest'
import { holidayCountries, publicHolidays } from '../../functions/holiday/public.ts'
import { type Holiday, holidayCalendar } from '../../shared/holiday/day.ts'

const departments = ['top', 'kitchen', 'bakery', 'yard']
const holiday = (from: string, to: string, departments?: string[]): Holiday => ({
  ...{ id: from, name: 'Holiday', from, to },
  ...(departments && { departments }),
})

describe('a calendar of holidays', () => {
  const calendar = holidayCalendar(
    [
      holiday('2026-01-01', '2026-01-01'),
      holiday('2026-08-10', '2026-08-14', ['kitchen']),
      holiday('2026-08-14', '2026-08-14', ['yard', 'bakery']),
    ],
    '2026-01-01',
    '2026-12-31',
  )
  const departmentsOff = (day: string) => departments.filter(department => calendar(department, day))

  test('applies to every department if it names no department', () => {
    expect(departmentsOff('2026-01-01')).toEqual(departments)
    expect(departmentsOff('2026-01-02')).toEqual([])
  })

  test('applies only to the departments that it names', () => {
    expect(departmentsOff('2026-08-10')).toEqual(['kitchen'])
    expect(departmentsOff('2026-08-14')).toEqual(['kitchen', 'bakery', 'yard'])
    expect(departmentsOff('2026-08-15')).toEqual([])
  })

  test('covers only the requested days of a longer holiday', () => {
    const short = holidayCalendar([holiday('2026-08-01', '2026-08-31')], '2026-08-10', '2026-08-11')
    const days = ['2026-08-09', '2026-08-10', '2026-08-11', '2026-08-12']
    expect(days.filter(day => short('kitchen', day))).toEqual(['2026-08-10', '2026-08-11'])
  })
})

describe('public holidays', () => {
  test('of a country have names in the user’s language', async () => {
    const holidays = await publicHolidays({ country: 'GR', year: 2026 }, 'en')
    expect(holidays).toContainEqual({ name: 'Whit Monday', from: '2026-06-01', to: '2026-06-01' })
    expect(holidays?.map(({ from }) => from)).toContain('2026-08-15')
    expect((await publicHolidays({ country: 'GR', year: 2026 }, 'el'))?.[0]?.name).toBe('Πρωτοχρονιά')
  })

  test('of a state include the holidays of its country and further holidays', async () => {
    const [bavaria, germany] = [
      await publicHolidays({ country: 'DE', state: 'BY', year: 2026 }, 'en'),
      await publicHolidays({ country: 'DE', year: 2026 }, 'en'),
    ]
    const days = (list: typeof germany) => list?.map(({ from }) => from) ?? []
    expect(days(bavaria)).toContain('2026-06-04')
    expect(days(germany)).not.toContain('2026-06-04')
    expect(days(bavaria)).toEqual(expect.arrayContaining(days(germany)))
  })

  test('of several days have a first and last day, and begin on the date after their first sunset', async () => {
    const holidays = await publicHolidays({ country: 'SA', year: 2026 }, 'en')
    expect(holidays?.filter(({ from, to }) => from < to)).toMatchObject([
      { from: '2026-03-19', to: '2026-03-22' },
      { from: '2026-05-26', to: '2026-05-29' },
    ])
  })

  test('are undefined for an unknown country or state', async () => {
    expect(await publicHolidays({ country: 'XX', year: 2026 }, 'en')).toBeUndefined()
    expect(await publicHolidays({ country: 'DE', state: 'XX', year: 2026 }, 'en')).toBeUndefined()
  })

  test('exist for every offered country, and countries have names in the user’s language', async () => {
    const countries = await holidayCountries('es')
    expect(countries.find(({ id }) => id === 'DE')).toMatchObject({ name: 'Alemania' })
    expect(countries.length).toBeGreaterThan(150)
    const names = countries.map(({ name }) => name)
    expect(names).toEqual(names.toSorted(new Intl.Collator('es', { numeric: true }).compare))
    for (const { id } of countries) {
      const holidays = await publicHolidays({ country: id, year: 2026 }, 'en')
      expect(holidays, id).toBeDefined()
      for (const { from, to, name } of holidays ?? []) {
        expect(from, `${id} ${name}`).toMatch(/^20(25|26|27)-\d\d-\d\d$/)
        expect(to >= from, `${id} ${name}`).toBe(true)
        expect(name.trim(), id).not.toBe('')
      }
    }
  })
})
