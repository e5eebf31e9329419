import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cleanPicture } from '../../shared/image.ts'
import { chunk, jpeg, jpegOfSize, jpegWith, png, pngWith, segment } from '../kit/picture.ts'

const clean = (bytes: Uint8Array) => Buffer.from(cleanPicture(bytes)?.bytes ?? [])

describe('a picture', () => {
  test('has a type and size by its bytes', () => {
    expect(cleanPicture(jpeg)).toMatchObject({ type: 'image/jpeg', width: 24, height: 16 })
    expect(cleanPicture(png)).toMatchObject({ type: 'image/png', width: 24, height: 16 })
    expect(cleanPicture(jpegOfSize(5000, 3000))).toMatchObject({ width: 5000, height: 3000 })
  })

  test('is not text, another format, a truncated picture or an empty file', () => {
    const none = [
      '',
      'This is a picture, believe me.',
      '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
      'GIF89a\x01\x00\x01\x00',
    ]
    for (const text of none) expect(cleanPicture(Buffer.from(text))).toBeUndefined()
    for (const original of [jpeg, png]) {
      for (let bytes = 0; bytes < original.length; bytes++)
        expect(cleanPicture(original.subarray(0, bytes))).toBeUndefined()
    }
    for (const beginning of [jpeg.subarray(0, 4), png.subarray(0, 8)])
      expect(
        cleanPicture(Buffer.concat([beginning, Buffer.from('<script>alert(1)</script>'.repeat(100))])),
      ).toBeUndefined()
  })

  test('is invalid without a size, with two sizes, or with a frame that browsers do not draw', () => {
    for (const [width, height] of [
      [0, 16],
      [24, 0],
    ] as const)
      expect(cleanPicture(jpegOfSize(width, height))).toBeUndefined()
    const frame = jpeg.subarray(jpeg.indexOf(Buffer.from([0xff, 0xc0])))
    expect(cleanPicture(jpegWith(frame.subarray(0, 2 + frame.readUInt16BE(2))))).toBeUndefined()
    const lossless = Buffer.from(jpeg)
    lossless[lossless.indexOf(Buffer.from([0xff, 0xc0])) + 1] = 0xc3
    expect(cleanPicture(lossless)).toBeUndefined()
    expect(cleanPicture(pngWith(png.subarray(8, 33)))).toBeUndefined()
    expect(cleanPicture(Buffer.concat([png.subarray(0, 8), png.subarray(33)]))).toBeUndefined()
  })
})

describe('a clean picture', () => {
  test('contains no place, time or author', () => {
    const metadata = ['Exif\0\0GPS 37.98 N', 'http://ns.adobe.com/xap/1.0/\0<creator>Olga</creator>', 'ICC', 'MPF']
    const markers = [0xe0, 0xe1, 0xe1, 0xe2, 0xe4, 0xed, 0xee, 0xef, 0xfe]
    const segments = markers.map((marker, i) => segment(marker, `${metadata[i % metadata.length]} secret`))
    expect(clean(jpegWith(...segments)).equals(clean(jpeg))).toBe(true)
    const chunks = ['eXIf', 'tEXt', 'iTXt', 'zTXt', 'tIME', 'iCCP', 'prVt'].map(name => chunk(name, 'secret'))
    expect(clean(pngWith(...chunks)).equals(clean(png))).toBe(true)
    for (const bytes of [clean(jpeg), clean(png)]) expect(bytes.toString('latin1')).not.toMatch(/secret|Exif|ICC|JFIF/)
  })

  test('contains no data after its end or between its scans', () => {
    for (const original of [jpeg, png]) {
      const withTrailer = Buffer.concat([original, Buffer.from('PK\x03\x04 a whole archive')])
      expect(clean(withTrailer).equals(clean(original))).toBe(true)
    }
    const scan = jpeg.subarray(jpeg.indexOf(Buffer.from([0xff, 0xda])), -2)
    const twoScans = (between: Buffer) => Buffer.concat([jpeg.subarray(0, -2), between, scan, jpeg.subarray(-2)])
    expect(clean(twoScans(segment(0xfe, 'secret'))).equals(clean(twoScans(Buffer.alloc(0))))).toBe(true)
    expect(clean(twoScans(Buffer.alloc(0)))).toHaveLength(clean(jpeg).length + scan.length)
  })

  test('keeps every table, every pixel and the colour coding', () => {
    const of = (bytes: Buffer, name: string) => bytes.subarray(bytes.indexOf(name))
    expect(of(clean(png), 'IDAT').equals(of(png, 'IDAT'))).toBe(true)
    const tables = jpeg.subarray(jpeg.indexOf(Buffer.from([0xff, 0xdb])))
    expect(clean(jpeg).equals(Buffer.concat([jpeg.subarray(0, 2), tables]))).toBe(true)
    const adobe = segment(0xee, Buffer.from([...Buffer.from('Adobe'), 0, 100, 0, 0, 0, 0, 0]))
    expect(clean(jpegWith(adobe)).includes(adobe)).toBe(true)
    const padded = jpegWith(Buffer.from([0xff, 0xff, 0xff]))
    expect(clean(padded).equals(clean(jpeg))).toBe(true)
  })

  test('does not change when it is cleaned again', () => {
    for (const original of [jpeg, png]) expect(clean(clean(original)).equals(clean(original))).toBe(true)
  })
})

/** A damaged picture: some bytes changed, removed or inserted. */
const damaged = fc
  .tuple(
    fc.constantFrom(jpeg, png),
    fc.array(fc.tuple(fc.nat(), fc.nat(3), fc.uint8Array({ maxLength: 12 })), { minLength: 1, maxLength: 8 }),
  )
  .map(([original, changes]) => {
    let bytes = Buffer.from(original)
    for (const [where, removedCount, inserted] of changes) {
      const at = where % (bytes.length + 1)
      bytes = Buffer.concat([bytes.subarray(0, at), inserted, bytes.subarray(at + removedCount)])
    }
    return bytes
  })

test('cleanPicture handles any bytes, and a clean picture stays the same', () => {
  fc.assert(
    fc.property(fc.oneof(damaged, fc.uint8Array({ maxLength: 400 })), bytes => {
      const before = Buffer.from(bytes)
      const picture = cleanPicture(bytes)
      expect(before.equals(Buffer.from(bytes))).toBe(true)
      if (!picture) return
      expect(picture.bytes.length).toBeLessThanOrEqual(bytes.length)
      expect(picture.width * picture.height).toBeGreaterThan(0)
      expect(cleanPicture(picture.bytes)).toEqual(picture)
    }),
    { numRuns: 2000 },
  )
})
