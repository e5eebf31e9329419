import { crc32, inflateRawSync } from 'node:zlib'

// What is in a ZIP archive that a stranger sent, measured before anything is inflated and while it is. The library we write
// archives with cannot do that: reading at once, it inflates half a megabyte that says it holds 1 KB, and holds 500 MB, for 6.5
// seconds; reading as it comes, it looks for the ends of files by the marks of the next one, and takes what is in an archive
// within the archive (a workbook shown in a workbook) for its own.

const [endMark, entryMark, localMark] = [0x06054b50, 0x02014b50, 0x04034b50]
const [endBytes, entryBytes, localBytes] = [22, 46, 30]
const [stored, deflated] = [0, 8]

export interface ArchiveLimits {
  mostFiles: number
  /** Of all files together, inflated. */
  mostBytes: number
}

/** Why an archive, or what it holds, cannot be read. */
export type ArchiveFault = 'unreadable' | 'too large'

/** The end of the archive: its mark, and behind it a comment of any length. */
const findEnd = (view: DataView) => {
  const last = view.byteLength - endBytes
  for (let at = last; at >= 0 && at >= last - 0xffff; at--) if (view.getUint32(at, true) === endMark) return at
  return undefined
}

/** Stops where the file said it ends. */
const inflate = (bytes: Uint8Array, method: number, size: number): Uint8Array | undefined => {
  if (method === stored) return bytes
  try {
    return inflateRawSync(bytes, { maxOutputLength: Math.max(size, 1) })
  } catch {
    return undefined
  }
}

/** The files of an archive by name; a fault where it is none, is damaged or encrypted, or holds more than it may or says. */
export const unpack = (
  bytes: Uint8Array,
  { mostFiles, mostBytes }: ArchiveLimits,
): Map<string, Uint8Array> | ArchiveFault => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const end = findEnd(view)
  if (end === undefined) return 'unreadable'
  const count = view.getUint16(end + 10, true)
  if (count > mostFiles) return 'too large'
  const found = new Map<string, Uint8Array>()
  let at = view.getUint32(end + 16, true)
  let sum = 0
  for (let i = 0; i < count; i++) {
    if (at + entryBytes > bytes.length || view.getUint32(at, true) !== entryMark) return 'unreadable'
    const [flags, method] = [view.getUint16(at + 8, true), view.getUint16(at + 10, true)]
    const [sumOfBytes, packed, size] = [16, 20, 24].map(place => view.getUint32(at + place, true)) as [
      number,
      number,
      number,
    ]
    const [nameLength, begin] = [view.getUint16(at + 28, true), view.getUint32(at + 42, true)]
    const isEncrypted = (flags & 1) === 1
    if (isEncrypted || (method !== stored && method !== deflated)) return 'unreadable'
    sum += size
    if (sum > mostBytes) return 'too large'
    if (begin + localBytes > bytes.length || view.getUint32(begin, true) !== localMark) return 'unreadable'
    const from = begin + localBytes + view.getUint16(begin + 26, true) + view.getUint16(begin + 28, true)
    const content = inflate(bytes.subarray(from, from + packed), method, size)
    if (content?.length !== size || crc32(content) !== sumOfBytes) return 'unreadable'
    const name = new TextDecoder().decode(bytes.subarray(at + entryBytes, at + entryBytes + nameLength))
    found.set(name, content)
    at += entryBytes + nameLength + view.getUint16(at + 30, true) + view.getUint16(at + 32, true)
  }
  return found
}
