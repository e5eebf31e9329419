/**
 * A text as people look for it: without case, accents and doubled spaces, a final sigma like any other; wide and narrow forms
 * alike. It orders by code points, as the table does: alphabets come out in their order, Chinese by radical and stroke.
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
