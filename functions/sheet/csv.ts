import type { CsvFormat } from '../../shared/csv-format.ts'

/** The number of characters that one portion encodes. */
const portionCharacters = 256 * 1024

/** A table as CSV (RFC 4180), written row by row. Excel needs the leading byte order mark to detect Unicode. */
export const writeCsv = async (
  rows: Iterable<(string | number | undefined)[]> | AsyncIterable<(string | number | undefined)[]>,
  { separator }: Pick<CsvFormat, 'separator'>,
): Promise<Uint8Array> => {
  const { default: Papa } = await import('papaparse')
  const packed: Buffer[] = []
  let text = '\ufeff'
  for await (const row of rows) {
    text += `${Papa.unparse([row], { delimiter: separator })}\r\n`
    if (text.length < portionCharacters) continue
    packed.push(Buffer.from(text))
    text = ''
  }
  return Buffer.concat([...packed, Buffer.from(text)])
}
