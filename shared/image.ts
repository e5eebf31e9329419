// Reads the type and size of a picture from its bytes, because a client can send any name or type. Keeps only the data
// that draws the picture. Drops place, time, camera and author, and data hidden after the end.

export const mostPhotoBytes = 2 * 1024 * 1024
/** The most pixels of each side. */
export const mostPhotoPixels = 4096
/** The most photos of one call: a page of a list has at most 200 people. */
export const mostPhotos = 200

export const imageTypes = ['image/jpeg', 'image/png'] as const
export type ImageType = (typeof imageTypes)[number]

export interface Picture {
  type: ImageType
  /** The width in pixels. */
  width: number
  height: number
  bytes: Uint8Array
}

/** A picture without the data that does not draw it. Undefined if the bytes are no JPEG or PNG that browsers show. */
export const cleanPicture = (bytes: Uint8Array): Picture | undefined => cleanJpeg(bytes) ?? cleanPng(bytes)

const startsWith = (bytes: Uint8Array, start: readonly number[], at = 0) =>
  start.every((byte, i) => bytes[at + i] === byte)

const picture = (type: ImageType, size: { width: number; height: number } | undefined, parts: Uint8Array[]) => {
  if (!size?.width || !size.height) return undefined
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let end = 0
  for (const part of parts) {
    bytes.set(part, end)
    end += part.length
  }
  return { type, ...size, bytes }
}

// JPEG, ITU-T T.81 annex B: markers `FF xx`, most with a length and a segment. The data of scans lies between markers.

const marker = {
  begin: 0xd8,
  end: 0xd9,
  scan: 0xda,
  comment: 0xfe,
  application: [0xe0, 0xef],
  /** Defines the colour coding in 12 bytes, which hold nothing else. Without it, some pictures change colour. */
  adobe: 0xee,
} as const
const adobeBytes = 12
const adobe = [...'Adobe'].map(letter => letter.charCodeAt(0))
/** Baseline, extended and progressive: the frames that browsers draw. */
const frames = [0xc0, 0xc1, 0xc2]
/** Frames that browsers do not draw, and their markers: lossless, differential, arithmetic. */
const otherFrames = [0xc3, 0xc5, 0xc6, 0xc7, 0xc9, 0xca, 0xcb, 0xcd, 0xce, 0xcf, 0xde, 0xdf]

/** The end of a scan's data: the first marker that is neither a stuffed byte nor a restart. */
const endOfScan = (bytes: Uint8Array, start: number) => {
  for (let at = bytes.indexOf(0xff, start); at >= 0; at = bytes.indexOf(0xff, at + 1)) {
    const next = bytes[at + 1] ?? 0
    if (next !== 0x00 && next !== 0xff && !(next >= 0xd0 && next <= 0xd7)) return at
  }
  return bytes.length
}

const cleanJpeg = (bytes: Uint8Array): Picture | undefined => {
  if (!startsWith(bytes, [0xff, marker.begin, 0xff])) return undefined
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const parts = [bytes.subarray(0, 2)]
  let size: { width: number; height: number } | undefined
  let at = 2
  let scans = 0
  while (at + 2 <= bytes.length) {
    const kind = bytes[at + 1] ?? 0
    if (bytes[at] !== 0xff) return undefined
    // Any number of fill bytes may precede a marker.
    if (kind === 0xff) {
      at++
      continue
    }
    if (kind === marker.end) {
      if (scans === 0) return undefined
      parts.push(bytes.subarray(at, at + 2))
      return picture('image/jpeg', size, parts)
    }
    if (at + 4 > bytes.length) return undefined
    const length = view.getUint16(at + 2)
    let end = at + 2 + length
    if (length < 2 || end > bytes.length || otherFrames.includes(kind)) return undefined
    if (frames.includes(kind)) {
      // A second frame could have another size than the frame that we checked.
      if (size || length < 8) return undefined
      size = { height: view.getUint16(at + 5), width: view.getUint16(at + 7) }
    }
    if (kind === marker.scan) {
      if (!size) return undefined
      end = endOfScan(bytes, end)
      scans++
    }
    const [first, last] = marker.application
    const isDrawn =
      kind === marker.adobe
        ? length === adobeBytes + 2 && startsWith(bytes, adobe, at + 4)
        : kind !== marker.comment && !(kind >= first && kind <= last)
    if (isDrawn) parts.push(bytes.subarray(at, end))
    at = end
  }
  return undefined
}

// PNG, ISO/IEC 15948: a signature, then chunks of length, name, data and checksum.

const signature = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
/** The chunks that draw a still picture: its pixels and the meaning of their colours. */
const drawing = ['IHDR', 'PLTE', 'IDAT', 'IEND', 'tRNS', 'gAMA', 'cHRM', 'sRGB', 'sBIT', 'cICP']

const cleanPng = (bytes: Uint8Array): Picture | undefined => {
  if (!startsWith(bytes, signature)) return undefined
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const parts = [bytes.subarray(0, signature.length)]
  let size: { width: number; height: number } | undefined
  let pixels = 0
  for (let at: number = signature.length; at + 12 <= bytes.length; ) {
    const length = view.getUint32(at)
    const name = String.fromCharCode(...bytes.subarray(at + 4, at + 8))
    const end = at + 12 + length
    // Only the first chunk defines the size.
    if (end > bytes.length || (name === 'IHDR') !== (size === undefined)) return undefined
    if (name === 'IHDR') {
      if (length !== 13) return undefined
      size = { width: view.getUint32(at + 8), height: view.getUint32(at + 12) }
    }
    if (name === 'IDAT') pixels += length
    if (drawing.includes(name)) parts.push(bytes.subarray(at, end))
    if (name === 'IEND') return pixels > 0 && length === 0 ? picture('image/png', size, parts) : undefined
    at = end
  }
  return undefined
}
