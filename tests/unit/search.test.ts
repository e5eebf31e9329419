import { expect, test } from 'vitest'
import { searchQuery, searchText } from '../../shared/search.ts'

const finds = (typed: string, text: string) => searchText(text).includes(searchQuery(typed))

test.each([
  ['lukasz', 'Łukasz Wójcik'],
  ['Łukasz', 'Lukasz Wojcik'],
  ['soren', 'Søren Ågård'],
  ['dorde', 'Đorđe'],
  ['strasse', 'Lange Straße'],
  ['straße', 'Lange Strasse'],
  ["o'brien", 'Sean O’Brien'],
  ['O’Brien', "Sean O'Brien"],
  ['γιαννης', 'Γιάννης Παπάς'],
  ['ΠΑΠΑΣ', 'Γιάννης Παπάς'],
  ['１００４２', '100423'],
  ['0042', '42'],
  ['jose', 'José María'],
  ['张', '张伟'],
])('%s finds %s', (typed, text) => {
  expect(finds(typed, text)).toBe(true)
})

test('a search query keeps zeros before characters other than digits', () => {
  expect(searchQuery('00-7')).toBe('00-7')
  expect(searchQuery('000')).toBe('0')
})

test('a search does not find a different name', () => {
  expect(finds('lucas', 'Łukasz')).toBe(false)
})
