// What is copied off the board: a rectangle of days, each with its shifts. It travels as text too, so that a spreadsheet takes
// it and gives it back.

export type Block = readonly (readonly (readonly string[])[])[]

/** What stands between two shifts of a day, as in the sheets. */
const between = ' + '

export const textOf = (block: Block, nameOf: (shift: string) => string): string =>
  block.map(line => line.map(shifts => shifts.map(nameOf).join(between)).join('\t')).join('\n')

/** Reads what a spreadsheet copied; the words that name no shift are told instead. */
export const readBlock = (
  text: string,
  shiftOf: (name: string) => string | undefined,
): { block: Block } | { unknown: string[] } => {
  const unknown = new Set<string>()
  const block = text
    .replace(/\r?\n$/, '')
    .split(/\r?\n/)
    .map(line =>
      line.split('\t').map(cell =>
        cell
          .split('+')
          .map(word => word.trim())
          .filter(Boolean)
          .flatMap(word => {
            const shift = shiftOf(word)
            if (!shift) unknown.add(word)
            return shift ?? []
          }),
      ),
    )
  return unknown.size > 0 ? { unknown: [...unknown] } : { block }
}

/**
 * The size a block takes where it is pasted into a selection: its own, or as often as it fits into a larger one, so that a
 * week fills a month.
 */
export const pastedSize = (block: Block, rows: number, columns: number) => {
  const [height, width] = [block.length, block[0]?.length ?? 0]
  return { rows: Math.max(height, rows), columns: Math.max(width, columns) }
}

export const pastedCell = (block: Block, row: number, column: number): readonly string[] => {
  const line = block[row % block.length] ?? []
  return line[column % line.length] ?? []
}
