// A rectangle of days, each with its shifts, copied from the board. The clipboard also holds it as text, so that users
// can paste it into a spreadsheet and back. Shift names have the same format as in the sheets.

import { joinNames, namesIn } from '../../../shared/name-list.ts'

export type Block = readonly (readonly (readonly string[])[])[]

export const textOf = (block: Block, nameOf: (shift: string) => string): string =>
  block.map(line => line.map(shifts => joinNames(shifts.map(nameOf), '+')).join('\t')).join('\n')

/** Reads a block from the text of a spreadsheet. If some names match no shift, returns those names instead. */
export const readBlock = (
  text: string,
  shiftOf: (name: string) => string | undefined,
): { block: Block } | { unknown: string[] } => {
  const unknown = new Set<string>()
  const block = text
    .replace(/\r?\n$/, '')
    .split(/\r?\n/)
    .map(line =>
      line.split('\t').map(cell => {
        const shifts = namesIn(cell, '+', name => shiftOf(name) !== undefined).flatMap(name => {
          const shift = shiftOf(name)
          if (!shift) unknown.add(name)
          return shift ?? []
        })
        return [...new Set(shifts)]
      }),
    )
  return unknown.size > 0 ? { unknown: [...unknown] } : { block }
}

/**
 * The size that a pasted block fills: its own size, or a larger selection, over which the block repeats. So a week
 * fills a month.
 */
export const pastedSize = (block: Block, rows: number, columns: number) => {
  const [height, width] = [block.length, block[0]?.length ?? 0]
  return { rows: Math.max(height, rows), columns: Math.max(width, columns) }
}

export const pastedCell = (block: Block, row: number, column: number): readonly string[] => {
  const line = block[row % block.length] ?? []
  return line[column % line.length] ?? []
}
