// Several names in one cell of a sheet, or of what is copied between the board and a spreadsheet.

/** What stands between names. */
type Sign = ';' | '+'

/** Names for one cell. One that would be taken for two, or for a quoted one, is quoted as in text with separators. */
export const joinNames = (names: string[], sign: Sign = ';'): string =>
  names
    .map(name => (name.includes(sign) || name.startsWith('"') ? `"${name.replaceAll('"', '""')}"` : name))
    .join(sign === ';' ? '; ' : ' + ')

const patterns = {
  ';': /(?:^|[;\n])\s*(?:"((?:[^"]|"")*)"(?=\s*(?:[;\n]|$))|([^;\n]*))/g,
  '+': /(?:^|[+\n])\s*(?:"((?:[^"]|"")*)"(?=\s*(?:[+\n]|$))|([^+\n]*))/g,
} as const

/** The names in a cell, as `joinNames` or a person has put them there: also one in each line. */
export const splitNames = (cell: string, sign: Sign = ';'): string[] =>
  Array.from(
    cell.matchAll(patterns[sign]),
    ([, quoted, plain = '']) => quoted?.replaceAll('""', '"') ?? plain.trim(),
  ).filter(name => name !== '')

/**
 * The names in a cell in which somebody may have written one that has the sign in it, as it is: taken so only where the cell is not
 * several names that are all known, for that is how `joinNames` writes them.
 */
export const namesIn = (cell: string, sign: Sign, isKnown: (name: string) => boolean): string[] => {
  const names = splitNames(cell, sign)
  const whole = cell.trim()
  const areNames = names.length > 1 && names.every(isKnown)
  return !areNames && whole !== '' && isKnown(whole) ? [whole] : names
}
