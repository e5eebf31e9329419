/**
 * Folds a text for searches. Ignores case, accents and doubled spaces, and unifies final sigma, wide and narrow forms.
 * The result sorts by code points, as in the table: alphabets in their order, Chinese by radical and stroke.
 */
export const fold = (text: string): string =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[\u0300-\u036f]+/g, '')
    .replaceAll('ς', 'σ')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .toWellFormed()
