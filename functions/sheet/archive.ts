import { crc32, inflateRawSync } from 'node:zlib'

// Reads a ZIP archive from an untrusted sender, with limits before and during inflation. The library that writes
// archives has none. Its whole-file mode spends 6.5 seconds on half a megabyte that declares 1 KB but holds 500 MB. Its
// streaming mode mistakes the files of a nested archive (a workbook in a workbook) for outer files.

const [endMark, entryMark, localMark] = [0x06054b50, 0x02014b50, 0x04034b50]
const [endBytes, entryBytes, localBytes] = [22, 46, 30]
const [stored, deflated] = [0, 8]

export interface ArchiveLimits {
  mostFiles: number
  /** The limit of all inflated files together. */
  mostBytes: number
}

/** Why the server cannot read an archive or its content. */
export type ArchiveFault = 'unreadable' | 'too large'

/** Finds the end record of the archive. A comment of up to 64 KB may follow the record. */
const findEnd = (view: DataView) => {
  const last = view.byteLength - endBytes
  for (let at = last; at >= 0 && at >= last - 0xffff; at--) if (view.getUint32(at, true) === endMark) return at
  return undefined
}

/** Inflates a file, and stops at its declared size. */
const inflate = (bytes: Uint8Array, method: number, size: number): Uint8Array | undefined => {
  if (method === stored) return bytes
  try {
    return inflateRawSync(bytes, { maxOutputLength: Math.max(size, 1) })
  } catch {
    return undefined
  }
}

/**
 * The files of an archive by name. Returns a fault if the bytes are no archive, damaged, encrypted, or larger than
 * allowed or declared.
 */
export const unpack = (
  bytes: Uint8Array,
  { mostFiles, mostBytes }: ArchiveLimits,
): Map<string, Uint8Array> | ArchiveFault => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const end = findEnd(view)
  if (end === undefined) return 'unreadable'
  const count = view.getUint16(end + 10, true)
  if (count > mostFiles) return 'too large'
  const files = new Map<string, Uint8Array>()
  let at = view.getUint32(end + 16, true)
  let totalBytes = 0
  for (let i = 0; i < count; i++) {
    if (at + entryBytes > bytes.length || view.getUint32(at, true) !== entryMark) return 'unreadable'
    const [flags, method] = [view.getUint16(at + 8, true), view.getUint16(at + 10, true)]
    const [checksum, packed, size] = [16, 20, 24].map(place => view.getUint32(at + place, true)) as [
      number,
      number,
      number,
    ]
    const [nameLength, begin] = [view.getUint16(at + 28, true), view.getUint32(at + 42, true)]
    const isEncrypted = (flags & 1) === 1
    if (isEncrypted || (method !== stored && method !== deflated)) return 'unreadable'
    totalBytes += size
    if (totalBytes > mostBytes) return 'too large'
    if (begin + localBytes > bytes.length || view.getUint32(begin, true) !== localMark) return 'unreadable'
    const from = begin + localBytes + view.getUint16(begin + 26, true) + view.getUint16(begin + 28, true)
    const content = inflate(bytes.subarray(from, from + packed), method, size)
    if (content?.length !== size || crc32(content) !== checksum) return 'unreadable'
    const name = new TextDecoder().decode(bytes.subarray(at + entryBytes, at + entryBytes + nameLength))
    files.set(name, content)
    at += entryBytes + nameLength + view.getUint16(at + 30, true) + view.getUint16(at + 32, true)
  }
  return files
}
