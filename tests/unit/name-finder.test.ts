import { describe, expect, test } from 'vitest'
import { departmentFinder } from '../../functions/department/name.ts'
import { nameFinder } from '../../functions/sheet/name-finder.ts'
import { text } from '../../shared/contract.ts'

describe('a name in a sheet', () => {
  const named = (...names: string[]) => nameFinder(names.map(name => ({ name })))

  test('means what is called exactly so, whatever else is spelled alike', () => {
    const find = named('Buro', 'Büro', 'BÜRO Süd', 'Ａ', 'A')
    expect(find('buro')).toEqual([{ name: 'Buro' }])
    expect(find('Bu\u0308ro')).toEqual([{ name: 'Büro' }])
    expect(find('a')).toEqual([{ name: 'A' }])
  })

  test('means what is spelled alike where that is one thing only, and nobody knows what where it is not', () => {
    expect(named('Côté')('cote')).toEqual([{ name: 'Côté' }])
    expect(named('Côté', 'Coté')('cote')).toHaveLength(2)
    expect(named('Chief', 'chief')('Chief')).toHaveLength(2)
    expect(named('Chief')('Boss')).toEqual([])
  })

  test('of a department by its path is looked for where the path leads', () => {
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
    'with what nobody sees is refused: %j',
    line => {
      expect(text(100).safeParse(line).success).toBe(false)
    },
  )

  test('is written in one way, and keeps what joins the letters of a script', () => {
    expect(text(100).parse(' E\u0301ric ')).toBe('Éric')
    expect(text(100).parse('می\u200cخواهم')).toBe('می\u200cخواهم')
  })
})
