// Several names in one cell of a sheet, or in text that users copy between the board and a spreadsheet.

/** The separator of names. */
type Sign = ';' | '+'

/** Joins names for one cell. Quotes a name as in CSV if it contains the separator or begins with a quote. */
export const joinNames = (names: string[], sign: Sign = ';'): string =>
  names
    .map(name => (name.includes(sign) || name.startsWith('"') ? `"${name.replaceAll('"', '""')}"` : name))
    .join(sign === ';' ? '; ' : ' + ')

const patterns = {
  ';': /(?:^|[;\n])\s*(?:"((?:[^"]|"")*)"(?=\s*(?:[;\n]|$))|([^;\n]*))/g,
  '+': /(?:^|[+\n])\s*(?:"((?:[^"]|"")*)"(?=\s*(?:[+\n]|$))|([^+\n]*))/g,
} as const

/** Splits a cell that `joinNames` or a person wrote into names. A line break also separates names. */
export const splitNames = (cell: string, sign: Sign = ';'): string[] =>
  Array.from(
    cell.matchAll(patterns[sign]),
    ([, quoted, plain = '']) => quoted?.replaceAll('""', '"') ?? plain.trim(),
  ).filter(name => name !== '')

/**
 * Splits a cell in which a person may have typed a name with the separator, without quotes. The cell counts as one name
 * unless it consists of several known names, as `joinNames` writes them.
 */
export const namesIn = (cell: string, sign: Sign, isKnown: (name: string) => boolean): string[] => {
  const names = splitNames(cell, sign)
  const name = cell.trim()
  const areNames = names.length > 1 && names.every(isKnown)
  return !areNames && name !== '' && isKnown(name) ? [name] : names
}
