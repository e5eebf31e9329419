import { inflateRawSync } from 'node:zlib'
import { zipSync } from 'fflate'

// Archives that strangers send. What is inside is measured before anything is inflated, and while it is: an archive that says
// less than it holds is refused like one that says too much.

const endMark = 0x06054b50
const entryMark = 0x02014b50
const localMark = 0x04034b50
const [stored, deflated] = [0, 8]

export interface ArchiveLimits {
  mostFiles: number
  /** Of all files together, inflated. */
  mostBytes: number
}

/** The end of the archive: its mark, and behind it a comment of any length. */
const findEnd = (view: DataView) => {
  const last = view.byteLength - 22
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
    if (at + 46 > bytes.length || view.getUint32(at, true) !== entryMark) return undefined
    const [flags, method] = [view.getUint16(at + 8, true), view.getUint16(at + 10, true)]
    const [packed, size] = [view.getUint32(at + 20, true), view.getUint32(at + 24, true)]
    const nameLength = view.getUint16(at + 28, true)
    const isEncrypted = (flags & 1) === 1
    if (isEncrypted || (method !== stored && method !== deflated)) return undefined
    sum += size
    if (sum > mostBytes) return undefined
    const name = new TextDecoder().decode(bytes.subarray(at + 46, at + 46 + nameLength))
    files.push({ name, method, packed, size, at: view.getUint32(at + 42, true) })
    at += 46 + nameLength + view.getUint16(at + 30, true) + view.getUint16(at + 32, true)
  }
  const found = new Map<string, Uint8Array>()
  for (const { name, method, packed, size, at } of files) {
    if (at + 30 > bytes.length || view.getUint32(at, true) !== localMark) return undefined
    const begin = at + 30 + view.getUint16(at + 26, true) + view.getUint16(at + 28, true)
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

/** An archive of these files. What was measured is handed on as it is, without being packed again. */
export const pack = (files: Iterable<[name: string, content: Uint8Array]>, level: 0 | 6): Uint8Array<ArrayBuffer> =>
  new Uint8Array(zipSync(Object.fromEntries(files), { level }))
