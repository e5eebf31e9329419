/**
 * Folds a text for searches: ignores case, accents and doubled spaces, treats a final sigma as any other, and wide as
 * narrow forms. The result orders by code points, as the table does: alphabets in their order, Chinese by radical and
 * stroke.
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
