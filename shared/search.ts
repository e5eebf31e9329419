import { fold } from './fold.ts'

/** Letters that Unicode does not decompose, and what people type instead. */
const typed: Record<string, string> = {
  ł: 'l',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ı: 'i',
  ħ: 'h',
  '’': "'",
  '‘': "'",
  ʼ: "'",
}
const pattern = new RegExp(`[${Object.keys(typed).join('')}]`, 'g')

/** A text as a search compares it. Two names that differ may be the same here; `fold` tells names apart. */
export const searchText = (text: string): string => fold(text).replace(pattern, letter => typed[letter] ?? letter)

/** What a person types into a search. A number is found with or without its leading zeros. */
export const searchQuery = (text: string): string => searchText(text).replace(/^0+(?=\d+$)/, '')
