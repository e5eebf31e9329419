// Several names in one cell of a sheet, or in text copied between the board and a spreadsheet.

/** The separator of names. */
type Sign = ';' | '+'

/** Joins names for one cell. A name that contains the separator or begins with a quote is quoted as in CSV. */
export const joinNames = (names: string[], sign: Sign = ';'): string =>
  names
    .map(name => (name.includes(sign) || name.startsWith('"') ? `"${name.replaceAll('"', '""')}"` : name))
    .join(sign === ';' ? '; ' : ' + ')

const patterns = {
  ';': /(?:^|[;\n])\s*(?:"((?:[^"]|"")*)"(?=\s*(?:[;\n]|$))|([^;\n]*))/g,
  '+': /(?:^|[+\n])\s*(?:"((?:[^"]|"")*)"(?=\s*(?:[+\n]|$))|([^+\n]*))/g,
} as const

/** The names in a cell, as `joinNames` or a person wrote them; a line break also separates names. */
export const splitNames = (cell: string, sign: Sign = ';'): string[] =>
  Array.from(
    cell.matchAll(patterns[sign]),
    ([, quoted, plain = '']) => quoted?.replaceAll('""', '"') ?? plain.trim(),
  ).filter(name => name !== '')

/**
 * The names in a cell where a person may have typed a name that contains the separator without quotes. The cell counts
 * as one name only if it is not several known names, because `joinNames` writes those.
 */
export const namesIn = (cell: string, sign: Sign, isKnown: (name: string) => boolean): string[] => {
  const names = splitNames(cell, sign)
  const name = cell.trim()
  const areNames = names.length > 1 && names.every(isKnown)
  return !areNames && name !== '' && isKnown(name) ? [name] : names
}
