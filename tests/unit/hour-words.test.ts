import { readFileSync } from 'node:fs'
import i18next from 'i18next'
import { describe, expect, test } from 'vitest'
import { readySets } from '../../shared/attendance/hours/ready.ts'
import type { BaseRule, HourConditions } from '../../shared/attendance/hours/set.ts'
import { languages } from '../../shared/language.ts'
import { hourWordsOf } from '../../web/parts/day/hour-sentence.ts'

// The sentences of hour kinds, with the real texts of each language.

const textsOf = (language: string, noun: string) =>
  JSON.parse(readFileSync(`shared/locales/${language}/${noun}.json`, 'utf8'))

const wordsIn = async (language: string) => {
  const i18n = i18next.createInstance()
  await i18n.init({
    lng: language,
    ns: ['hour-rule', 'shell'],
    defaultNS: 'hour-rule',
    resources: { [language]: { 'hour-rule': textsOf(language, 'hour-rule'), shell: textsOf(language, 'shell') } },
    interpolation: { escapeValue: false },
  })
  const t = i18n.getFixedT(language, ['hour-rule', 'shell']) as unknown as Parameters<typeof hourWordsOf>[0]
  return hourWordsOf(t, language, { number: value => String(value), wallTime: time => time })
}

type Rule = Omit<BaseRule, 'kind'>
const plain = (text: string) => text.replaceAll('\u00a0', ' ')

describe('the sentence of a rule', () => {
  test.each<[Rule, string]>([
    [{}, 'all other paid time'],
    [{ overtime: true }, 'overtime'],
    [{ window: { from: '22:00', to: '06:00' } }, 'between 22:00 and 06:00'],
    [{ window: { from: '23:00', to: '06:00', least: 121 } }, 'between 23:00 and 06:00, at least 121 min'],
    [{ dayOver: 480 }, 'beyond 8 h of the day'],
    [{ weekOver: 2400 }, 'beyond 40 h of the week'],
    [{ weekOver: 2310 }, 'beyond 2310 min of the week'],
    [{ weekdays: [0] }, 'on Sunday by the clock'],
    [{ weekdays: [6, 0], by: 'day' }, 'on work days that are Saturday and Sunday'],
    [{ holiday: 'clock' }, 'on holidays by the clock'],
    [{ holiday: 'day' }, 'on work days that are holidays'],
    [{ rest: true, dayOver: 120 }, 'on days without a shift, beyond 2 h of the day'],
    [{ consecutiveDay: 7 }, 'on day 7 in a row'],
    [
      { begunDayBefore: true, window: { from: '00:00', to: '04:00' } },
      'between 00:00 and 04:00, in work begun the day before',
    ],
  ])('names each condition: %j', async (rule, sentence) => {
    const { conditions } = await wordsIn('en')
    expect(plain(conditions(rule, false))).toBe(sentence)
  })

  test('says that a supplement without conditions applies to all paid time', async () => {
    const { conditions, unless } = await wordsIn('en')
    expect(conditions({}, true)).toBe('all paid time')
    expect(unless(['Holiday', 'Sunday'])).toBe('not where Holiday and Sunday applies')
  })
})

test.each(languages)('every ready-made rule has its own sentence in %s', async language => {
  const { conditions } = await wordsIn(language)
  for (const { base, extra } of Object.values(readySets))
    for (const rules of [base, extra]) {
      const sentences = rules.map(rule => conditions(rule as HourConditions, rules === extra))
      expect(sentences.filter(text => text.trim() === '' || /\{\{|undefined|NaN|[a-z]+\.[a-z]+/.test(text))).toEqual([])
      const different = new Set(rules.map(rule => JSON.stringify({ ...rule, kind: undefined, unless: undefined })))
      expect(new Set(sentences).size).toBe(different.size)
    }
})
