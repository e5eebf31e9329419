import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { defaultParameters } from '../../shared/attendance/input.ts'
import { addDays, daysBetween } from '../../shared/local-day.ts'
import { changeRules, type RuleBook, rulePeriods, rulesChangedFrom } from '../../shared/rule.ts'

// A change of zone or parameters takes effect from a day on, and earlier days keep their rules. The model stores the rules of each
// day.

const first = '2026-03-01'
const days = daysBetween(first, '2026-04-30')
const last = days.at(-1) ?? ''
const zones = ['Europe/Athens', 'Europe/Madrid', 'Asia/Tokyo']

const changes = fc.array(
  fc.record({
    day: fc.nat(days.length - 1),
    timezone: fc.constantFrom(...zones),
    bounceSeconds: fc.constantFrom(0, 60),
  }),
  { maxLength: 8 },
)
const wordsOf = (timezone: string, bounceSeconds: number) => `${timezone} ${bounceSeconds}`

describe('the rules of a company', () => {
  test('each day has the rules of the last change that covers it', () =>
    fc.assert(
      fc.property(changes, list => {
        let book: RuleBook = { timezone: 'Europe/Athens' }
        const model = new Map(days.map(day => [day, wordsOf('Europe/Athens', defaultParameters.bounceSeconds)]))
        for (const { day, timezone, bounceSeconds } of list) {
          const from = addDays(first, day)
          const next = changeRules(book, { timezone, parameters: { ...defaultParameters, bounceSeconds } }, from)
          for (const later of days.filter(later => later >= from)) model.set(later, wordsOf(timezone, bounceSeconds))
          const changedFrom = rulesChangedFrom(book, next)
          // The reported period of the change covers every changed day.
          for (const day of days.filter(day => changedFrom === undefined || day < changedFrom))
            expect(rulePeriods(next, day, day)).toEqual(rulePeriods(book, day, day))
          book = next
        }
        const actual = rulePeriods(book, first, last).flatMap(({ from, to, timezone, parameters }) =>
          daysBetween(from, to).map(day => [day, wordsOf(timezone, parameters.bounceSeconds)] as const),
        )
        expect(actual).toEqual([...model])
      }),
    ))

  test('a save of the current rules keeps all rules and their version', () => {
    const book = changeRules(
      { timezone: 'Europe/Athens' },
      { timezone: 'Asia/Tokyo', parameters: defaultParameters },
      first,
    )
    expect(book).toMatchObject({ timezone: 'Asia/Tokyo', parameters: { version: 1 } })
    expect(changeRules(book, { timezone: 'Asia/Tokyo', parameters: defaultParameters }, last)).toBe(book)
    expect(rulesChangedFrom(book, { ...book })).toBeUndefined()
  })

  test('two changes from the same day on leave one period of former rules', () => {
    const parameters = { ...defaultParameters, bounceSeconds: 0 }
    const once = changeRules({ timezone: 'Europe/Athens' }, { timezone: 'Asia/Tokyo', parameters }, first)
    const twice = changeRules(once, { timezone: 'Europe/Madrid', parameters }, first)
    expect(twice.formerRules).toEqual([{ timezone: 'Europe/Athens', parameters: defaultParameters, until: first }])
    expect(rulesChangedFrom(once, twice)).toBe(first)
  })
})
