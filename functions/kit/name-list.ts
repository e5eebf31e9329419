// Several names in one cell of a sheet.

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
