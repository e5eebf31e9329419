import { describe, expect, test } from 'vitest'
import { holidayCountries, publicHolidays } from '../../functions/holiday/public.ts'
import { type Holiday, holidayCalendar } from '../../shared/holiday.ts'

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
  const freed = (day: string) => departments.filter(department => calendar(department, day))

  test('frees everybody where no department is named', () => {
    expect(freed('2026-01-01')).toEqual(departments)
    expect(freed('2026-01-02')).toEqual([])
  })

  test('frees the departments it names, and no other', () => {
    expect(freed('2026-08-10')).toEqual(['kitchen'])
    expect(freed('2026-08-14')).toEqual(['kitchen', 'bakery', 'yard'])
    expect(freed('2026-08-15')).toEqual([])
  })

  test('holds for the days it was asked for, of holidays that begin before and end after them', () => {
    const short = holidayCalendar([holiday('2026-08-01', '2026-08-31')], '2026-08-10', '2026-08-11')
    const days = ['2026-08-09', '2026-08-10', '2026-08-11', '2026-08-12']
    expect(days.filter(day => short('kitchen', day))).toEqual(['2026-08-10', '2026-08-11'])
  })
})

describe('public holidays', () => {
  test('of a country, in the language of who asks', async () => {
    const found = await publicHolidays({ country: 'GR', year: 2026 }, 'en')
    expect(found).toContainEqual({ name: 'Whit Monday', from: '2026-06-01', to: '2026-06-01' })
    expect(found?.map(({ from }) => from)).toContain('2026-08-15')
    expect((await publicHolidays({ country: 'GR', year: 2026 }, 'el'))?.[0]?.name).toBe('Πρωτοχρονιά')
  })

  test('of a state, which has more than its country', async () => {
    const [bavaria, germany] = [
      await publicHolidays({ country: 'DE', state: 'BY', year: 2026 }, 'en'),
      await publicHolidays({ country: 'DE', year: 2026 }, 'en'),
    ]
    const days = (list: typeof germany) => list?.map(({ from }) => from) ?? []
    expect(days(bavaria)).toContain('2026-06-04')
    expect(days(germany)).not.toContain('2026-06-04')
    expect(days(bavaria)).toEqual(expect.arrayContaining(days(germany)))
  })

  test('that last several days have a first and a last one, and begin on the date after their sunset', async () => {
    const found = await publicHolidays({ country: 'SA', year: 2026 }, 'en')
    expect(found?.filter(({ from, to }) => from < to)).toMatchObject([
      { from: '2026-03-19', to: '2026-03-22' },
      { from: '2026-05-26', to: '2026-05-29' },
    ])
  })

  test('are not known of a country or state there is not', async () => {
    expect(await publicHolidays({ country: 'XX', year: 2026 }, 'en')).toBeUndefined()
    expect(await publicHolidays({ country: 'DE', state: 'XX', year: 2026 }, 'en')).toBeUndefined()
  })

  test('are known of every country that is offered, and each is named in the language of who asks', async () => {
    const countries = await holidayCountries('es')
    expect(countries.find(({ id }) => id === 'DE')).toMatchObject({ name: 'Alemania' })
    expect(countries.length).toBeGreaterThan(150)
    const names = countries.map(({ name }) => name)
    expect(names).toEqual(names.toSorted(new Intl.Collator('es', { numeric: true }).compare))
    for (const { id } of countries) {
      const found = await publicHolidays({ country: id, year: 2026 }, 'en')
      expect(found, id).toBeDefined()
      for (const { from, to, name } of found ?? []) {
        expect(from, `${id} ${name}`).toMatch(/^20(25|26|27)-\d\d-\d\d$/)
        expect(to >= from, `${id} ${name}`).toBe(true)
        expect(name.trim(), id).not.toBe('')
      }
    }
  })
})
