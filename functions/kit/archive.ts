import { crc32, deflateRawSync, inflateRawSync } from 'node:zlib'

// ZIP archives: of what we write, and those that strangers send. What is inside is measured before anything is inflated, and
// while it is: an archive that says less than it holds is refused like one that says too much.

const [endMark, entryMark, localMark] = [0x06054b50, 0x02014b50, 0x04034b50]
const [endBytes, entryBytes, localBytes] = [22, 46, 30]
const [stored, deflated] = [0, 8]

export interface ArchiveLimits {
  mostFiles: number
  /** Of all files together, inflated. */
  mostBytes: number
}

/** The end of the archive: its mark, and behind it a comment of any length. */
const findEnd = (view: DataView) => {
  const last = view.byteLength - endBytes
  for (let at = last; at >= 0 && at >= last - 0xffff; at--) if (view.getUint32(at, true) === endMark) return at
  return undefined
}

/** The files of an archive by name; undefined where it is none, is damaged or encrypted, or holds more than it may. */
export const unpack = (
  bytes: Uint8Array,
  { mostFiles, mostBytes }: ArchiveLimits,
): Map<string, Uint8Array> | undefined => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const end = findEnd(view)
  if (end === undefined) return undefined
  const count = view.getUint16(end + 10, true)
  if (count > mostFiles) return undefined
  const files: { name: string; method: number; packed: number; size: number; at: number }[] = []
  let at = view.getUint32(end + 16, true)
  let sum = 0
  for (let i = 0; i < count; i++) {
    if (at + entryBytes > bytes.length || view.getUint32(at, true) !== entryMark) return undefined
    const [flags, method] = [view.getUint16(at + 8, true), view.getUint16(at + 10, true)]
    const [packed, size] = [view.getUint32(at + 20, true), view.getUint32(at + 24, true)]
    const nameLength = view.getUint16(at + 28, true)
    const isEncrypted = (flags & 1) === 1
    if (isEncrypted || (method !== stored && method !== deflated)) return undefined
    sum += size
    if (sum > mostBytes) return undefined
    const name = new TextDecoder().decode(bytes.subarray(at + entryBytes, at + entryBytes + nameLength))
    files.push({ name, method, packed, size, at: view.getUint32(at + 42, true) })
    at += entryBytes + nameLength + view.getUint16(at + 30, true) + view.getUint16(at + 32, true)
  }
  const found = new Map<string, Uint8Array>()
  for (const { name, method, packed, size, at } of files) {
    if (at + localBytes > bytes.length || view.getUint32(at, true) !== localMark) return undefined
    const begin = at + localBytes + view.getUint16(at + 26, true) + view.getUint16(at + 28, true)
    const content = inflate(bytes.subarray(begin, begin + packed), method, size)
    if (content?.length !== size) return undefined
    found.set(name, content)
  }
  return found
}

const inflate = (bytes: Uint8Array, method: number, size: number): Uint8Array | undefined => {
  if (method === stored) return bytes
  try {
    return inflateRawSync(bytes, { maxOutputLength: Math.max(size, 1) })
  } catch {
    return undefined
  }
}

/** Version 2.0, names in UTF-8, deflated. */
const [version, utf8] = [20, 0x0800]
/** The first of January 1980: when a file was made is nobody's business. */
const noDate = 0x0021

/** An archive of files by name, of less than 4 GB and 65,536 files together. */
export const pack = (files: Iterable<[name: string, content: Uint8Array]>): Uint8Array => {
  const locals: Buffer[] = []
  const entries: Buffer[] = []
  let offset = 0
  for (const [path, content] of files) {
    const name = Buffer.from(path)
    const packed = deflateRawSync(content)
    // What both heads of a file say of it, from its version to the length of its name.
    const about = Buffer.alloc(24)
    about.writeUInt16LE(version, 0)
    about.writeUInt16LE(utf8, 2)
    about.writeUInt16LE(deflated, 4)
    about.writeUInt16LE(noDate, 8)
    about.writeUInt32LE(crc32(content), 10)
    about.writeUInt32LE(packed.length, 14)
    about.writeUInt32LE(content.length, 18)
    about.writeUInt16LE(name.length, 22)
    const local = Buffer.alloc(localBytes)
    local.writeUInt32LE(localMark, 0)
    about.copy(local, 4)
    const entry = Buffer.alloc(entryBytes)
    entry.writeUInt32LE(entryMark, 0)
    entry.writeUInt16LE(version, 4)
    about.copy(entry, 6)
    entry.writeUInt32LE(offset, 42)
    locals.push(local, name, packed)
    entries.push(entry, name)
    offset += local.length + name.length + packed.length
  }
  const directory = Buffer.concat(entries)
  const end = Buffer.alloc(endBytes)
  end.writeUInt32LE(endMark, 0)
  for (const at of [8, 10]) end.writeUInt16LE(entries.length / 2, at)
  end.writeUInt32LE(directory.length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...locals, directory, end])
}
