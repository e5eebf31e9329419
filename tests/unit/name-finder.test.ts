import { describe, expect, test } from 'vitest'
import { departmentFinder } from '../../functions/department/name.ts'
import { nameFinder } from '../../functions/sheet/name-finder.ts'
import { text } from '../../shared/contract.ts'

describe('a name in a sheet', () => {
  const finderOf = (...names: string[]) => nameFinder(names.map(name => ({ name })))

  test('means the exact match, regardless of similar spellings', () => {
    const find = finderOf('Buro', 'Büro', 'BÜRO Süd', 'Ａ', 'A')
    expect(find('buro')).toEqual([{ name: 'Buro' }])
    expect(find('Bu\u0308ro')).toEqual([{ name: 'Büro' }])
    expect(find('a')).toEqual([{ name: 'A' }])
  })

  test('means the only similar spelling, and is ambiguous if several spellings are similar', () => {
    expect(finderOf('Côté')('cote')).toEqual([{ name: 'Côté' }])
    expect(finderOf('Côté', 'Coté')('cote')).toHaveLength(2)
    expect(finderOf('Chief', 'chief')('Chief')).toHaveLength(2)
    expect(finderOf('Chief')('Boss')).toEqual([])
  })

  test('finds a department by its path', () => {
    const departments = [
      { id: '1', name: 'Bakery' },
      { id: '2', name: 'Büro', parent: '1' },
      { id: '3', name: 'Buro' },
    ]
    const find = departmentFinder(departments)
    expect(find('Bakery / Büro')).toBe('2')
    expect(find('Bakery / Buro')).toBeUndefined()
    expect(find('buro')).toBe('3')
    expect(find('Bakery / Nowhere')).toBeUndefined()
  })
})

describe('a line of text', () => {
  test.each(['\u200b', 'Z\u200b', 'Bakery\u202eyrekaB', 'a\u2028b', '\ufeffx\u2060'])(
    'with invisible characters is refused: %j',
    line => {
      expect(text(100).safeParse(line).success).toBe(false)
    },
  )

  test('is normalised, and keeps the joiner characters that a script needs', () => {
    expect(text(100).parse(' E\u0301ric ')).toBe('Éric')
    expect(text(100).parse('می\u200cخواهم')).toBe('می\u200cخواهم')
  })
})
