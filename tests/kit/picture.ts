import { readFileSync } from 'node:fs'
import { crc32 } from 'node:zlib'

// Two small pictures from a browser, and variants with the metadata of cameras and programs.

const readGiven = (name: string) => readFileSync(new URL(`../given/${name}`, import.meta.url))
/** 24 × 16 pixels. */
export const jpeg = readGiven('photo.jpg')
export const png = readGiven('photo.png')

const encodeUint = (bytes: 2 | 4, value: number) => {
  const buffer = Buffer.alloc(bytes)
  buffer.writeUIntBE(value, 0, bytes)
  return buffer
}

/** One segment of a JPEG, `FF <marker>`. */
export const segment = (marker: number, data: string | Buffer): Buffer => {
  const content = Buffer.from(data)
  return Buffer.concat([Buffer.from([0xff, marker]), encodeUint(2, content.length + 2), content])
}

/** One chunk of a PNG. */
export const chunk = (name: string, data: string | Buffer): Buffer => {
  const content = Buffer.concat([Buffer.from(name), Buffer.from(data)])
  return Buffer.concat([encodeUint(4, content.length - 4), content, encodeUint(4, crc32(content))])
}

/** The JPEG with segments behind its first marker. */
export const jpegWith = (...segments: Buffer[]): Buffer =>
  Buffer.concat([jpeg.subarray(0, 2), ...segments, jpeg.subarray(2)])

/** The PNG with chunks behind its first chunk. */
export const pngWith = (...chunks: Buffer[]): Buffer =>
  Buffer.concat([png.subarray(0, 33), ...chunks, png.subarray(33)])

/** A JPEG of exactly this many bytes, filled with empty comments. */
export const jpegOfBytes = (bytes: number): Buffer => {
  const comments: Buffer[] = []
  for (let remaining = bytes - jpeg.length; remaining > 0; ) {
    // The last part must have room for the four bytes of a comment’s header.
    const size = remaining > 60_000 ? 50_000 : remaining
    comments.push(segment(0xfe, Buffer.alloc(size - 4)))
    remaining -= size
  }
  return jpegWith(...comments)
}

/** The JPEG with another size in its frame. */
export const jpegOfSize = (width: number, height: number): Buffer => {
  const copy = Buffer.from(jpeg)
  const frame = copy.indexOf(Buffer.from([0xff, 0xc0]))
  copy.writeUInt16BE(height, frame + 5)
  copy.writeUInt16BE(width, frame + 7)
  return copy
}
