import { fold } from './fold.ts'

/** Letters that Unicode does not decompose, with the letters that people type instead. */
const replacements: Record<string, string> = {
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
const pattern = new RegExp(`[${Object.keys(replacements).join('')}]`, 'g')

/**
 * A text in the format that searches compare. Two different names may give the same text; `fold` distinguishes names.
 */
export const searchText = (text: string): string =>
  fold(text).replace(pattern, letter => replacements[letter] ?? letter)

/** The search text of a typed text. A number matches with or without leading zeros. */
export const searchQuery = (text: string): string => searchText(text).replace(/^0+(?=\d+$)/, '')
