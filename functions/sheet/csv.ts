/** So much text is put away at once. */
const portionCharacters = 256 * 1024

/** A table as RFC 4180 has it, with the mark in front by which Excel knows that it is Unicode; written row by row as they come. */
export const writeCsv = async (
  rows: Iterable<(string | number | undefined)[]> | AsyncIterable<(string | number | undefined)[]>,
): Promise<Uint8Array> => {
  const { default: Papa } = await import('papaparse')
  const packed: Buffer[] = []
  let text = '\ufeff'
  for await (const row of rows) {
    text += `${Papa.unparse([row])}\r\n`
    if (text.length < portionCharacters) continue
    packed.push(Buffer.from(text))
    text = ''
  }
  return Buffer.concat([...packed, Buffer.from(text)])
}
