import { crc32, deflateSync } from 'node:zlib'
import { seeded } from '../stack/seeded.ts'

// Draws portraits of invented people as small PNGs. The same number gives the same picture.

type Colour = readonly [number, number, number]
/** Whether a shape covers a point. Both coordinates run from 0 to 1. */
type Shape = (x: number, y: number) => boolean

const size = 128
/** Samples of each pixel in both directions, which smooths the edges. */
const samples = 3

const colour = (hex: string): Colour => {
  const value = Number.parseInt(hex, 16)
  return [value >> 16, (value >> 8) & 255, value & 255]
}
const backgrounds = ['cfe3e6', 'e6dccf', 'd9d3ea', 'd3e6d6', 'eadadf', 'dfe4ee'].map(colour)
const skins = ['f3d3bd', 'e5b999', 'c99672', 'a06f4e', '7a4f36', 'f7dfcd'].map(colour)
const hairs = ['2b2320', '5a3a26', '8a5a34', 'b98b52', '6f6a68', '1d1b22'].map(colour)
const clothes = ['2f5d73', '7a3f52', '3f6b4d', '4a4a78', '8a6a3b', '39434f'].map(colour)
const ink = colour('2a2422')
const lips = colour('a4574f')

const shade = ([r, g, b]: Colour, by: number): Colour => [r * by, g * by, b * by]
const oval =
  (cx: number, cy: number, rx: number, ry: number): Shape =>
  (x, y) =>
    ((x - cx) / rx) ** 2 + ((y - cy) / ry) ** 2 < 1
const both =
  (...shapes: Shape[]): Shape =>
  (x, y) =>
    shapes.every(shape => shape(x, y))
const either =
  (...shapes: Shape[]): Shape =>
  (x, y) =>
    shapes.some(shape => shape(x, y))
const outside =
  (shape: Shape): Shape =>
  (x, y) =>
    !shape(x, y)

/** The layers of a face, the front one first. */
const layersOf = (random: () => number, isLong: boolean): [Shape, Colour][] => {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
  const [skin, hair, cloth] = [pick(skins), pick(hairs), pick(clothes)]
  const [hasGlasses, hasBeard] = [random() < 0.3, random() < 0.4]
  const part = 0.42 + random() * 0.16
  const hairline = 0.31 + random() * 0.04
  const head = oval(0.5, 0.44, 0.185, 0.235)
  const fringe: Shape = (x, y) => y < hairline + Math.abs(x - part) * 0.35
  const ring = (cx: number) => both(oval(cx, 0.44, 0.062, 0.056), outside(oval(cx, 0.44, 0.05, 0.044)))
  const bridge: Shape = (x, y) => Math.abs(y - 0.435) < 0.006 && Math.abs(x - 0.5) < 0.022
  const layers: [Shape, Colour][] = []
  if (hasGlasses) layers.push([either(ring(0.422), ring(0.578), bridge), ink])
  layers.push([either(oval(0.427, 0.442, 0.015, 0.018), oval(0.573, 0.442, 0.015, 0.018)), ink])
  layers.push([both(oval(0.5, 0.545, 0.062, 0.032), outside(oval(0.5, 0.528, 0.075, 0.032))), lips])
  layers.push([both(oval(0.5, 0.4, 0.212, 0.245), fringe), hair])
  if (hasBeard && !isLong) layers.push([both(head, outside(oval(0.5, 0.42, 0.155, 0.19))), shade(hair, 1.1)])
  layers.push([head, skin])
  layers.push([either(oval(0.315, 0.45, 0.028, 0.045), oval(0.685, 0.45, 0.028, 0.045)), shade(skin, 0.92)])
  layers.push([(x, y) => Math.abs(x - 0.5) < 0.085 && y > 0.6 && y < 0.77, shade(skin, 0.86)])
  layers.push([both(oval(0.5, 0.75, 0.12, 0.07), (_, y) => y > 0.74), shade(skin, 0.86)])
  layers.push([oval(0.5, 1.06, 0.41, 0.34), cloth])
  if (isLong) layers.push([either(oval(0.5, 0.42, 0.255, 0.28), oval(0.5, 0.62, 0.25, 0.2)), shade(hair, 0.82)])
  layers.push([() => true, pick(backgrounds)])
  return layers
}

const chunk = (name: string, data: Buffer): Buffer => {
  const content = Buffer.concat([Buffer.from(name), data])
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  check.writeUInt32BE(crc32(content))
  return Buffer.concat([length, content, check])
}

const encode = (rows: Buffer): Buffer => {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(size, 0)
  header.writeUInt32BE(size, 4)
  // Eight bits for each of red, green and blue.
  header.set([8, 2, 0, 0, 0], 8)
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  const data = deflateSync(rows, { level: 9 })
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', data), chunk('IEND', Buffer.alloc(0))])
}

/** The portrait of a person as a PNG, with long or short hair. */
export const drawPortrait = (number: number, hasLongHair: boolean): Buffer => {
  const layers = layersOf(seeded(7919 * (number + 1)), hasLongHair)
  const colourAt = (x: number, y: number): Colour => layers.find(([shape]) => shape(x, y))?.[1] ?? ink
  // Each row of a PNG begins with the number of its filter.
  const rows = Buffer.alloc(size * (size * 3 + 1))
  for (let row = 0; row < size; row++)
    for (let column = 0; column < size; column++) {
      const sum = [0, 0, 0]
      for (let sample = 0; sample < samples * samples; sample++) {
        const x = (column + ((sample % samples) + 0.5) / samples) / size
        const y = (row + (Math.floor(sample / samples) + 0.5) / samples) / size
        colourAt(x, y).forEach((value, i) => {
          sum[i] = (sum[i] ?? 0) + value
        })
      }
      const at = row * (size * 3 + 1) + 1 + column * 3
      for (let i = 0; i < 3; i++) rows[at + i] = Math.min(255, Math.round((sum[i] ?? 0) / samples ** 2))
    }
  return encode(rows)
}
