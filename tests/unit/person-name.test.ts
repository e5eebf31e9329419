import { describe, expect, test } from 'vitest'
import { withReading } from '../../functions/employee/reading.ts'
import { employeeSearchText, nameToSort } from '../../shared/employee.ts'
import { fullName, greetingName } from '../../shared/person-name.ts'
import { searchQuery } from '../../shared/search.ts'

const person = (first_name: string, last_name: string) => ({ first_name, last_name, workno: '7' })

describe('a full name', () => {
  test.each([
    ['Ada', 'Lovelace', false, 'Ada Lovelace'],
    ['Ada', 'Lovelace', true, 'Lovelace Ada'],
    ['伟', '张', false, '张伟'],
    ['伟', '张', true, '张伟'],
    ['민준', '김', false, '김민준'],
    ['アンナ', 'スミス', false, 'スミスアンナ'],
    ['Wei', '张', false, 'Wei 张'],
    ['伟', '', false, '伟'],
    ['Γιώργος', 'Παπάς', true, 'Παπάς Γιώργος'],
  ])('of %s and %s, family name first: %s, is %s', (first_name, last_name, isFamilyFirst, name) => {
    expect(fullName({ first_name, last_name, isFamilyFirst })).toBe(name)
  })

  test('appears in full in a greeting if a first name alone is impolite', () => {
    expect([person('Ada', 'Lovelace'), person('伟', '张')].map(greetingName)).toEqual(['Ada', '张伟'])
  })
})

describe('the reading of a Chinese name', () => {
  test.each([
    ['伟', '张', 'zhang wei'],
    ['雄信', '单', 'shan xiong xin'],
    ['子墨', '曾', 'zeng zi mo'],
    ['修', '欧阳', 'ou yang xiu'],
    ['偉', '張', 'zhang wei'],
  ])('of %s and %s is %s', async (first_name, last_name, reading) => {
    expect((await withReading(person(first_name, last_name))) as object).toMatchObject({ reading })
  })

  test('disappears when the name changes to Latin letters', async () => {
    const chinese = await withReading(person('伟', '张'))
    expect(await withReading({ ...chinese, first_name: 'Wei', last_name: 'Zhang' })).not.toHaveProperty('reading')
  })

  test.each(['zhangwei', 'zhang wei', 'zw', '张', '张伟', '伟', 'ZhangWei', 'wei'])(
    'matches a search for %s',
    async typed => {
      expect(employeeSearchText(await withReading(person('伟', '张')))).toContain(searchQuery(typed))
    },
  )

  test('sorts the name among names in Latin letters', async () => {
    const people = await Promise.all(
      [person('伟', '张'), person('Zoe', 'Young'), person('Yan', 'Ray')].map(withReading),
    )
    expect(people.sort((a, b) => (nameToSort(a) < nameToSort(b) ? -1 : 1)).map(fullName)).toEqual([
      'Yan Ray',
      '张伟',
      'Zoe Young',
    ])
  })
})
