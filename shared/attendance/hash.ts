// A 64-bit fingerprint of a row's input. The fingerprint detects changed days, but does not resist deliberate
// collisions.

export interface Hash {
  a: number
  b: number
}

export const startHash = (): Hash => ({ a: 0x2f0b4c47, b: 0x6a09e667 })

export const continueHash = (hash: Hash): Hash => ({ a: hash.a, b: hash.b })

const mixWord = (hash: Hash, word: number): void => {
  const a = Math.imul(hash.a ^ word, 0x85ebca6b)
  const b = Math.imul(hash.b ^ word, 0xc2b2ae35)
  hash.a = ((a << 13) | (a >>> 19)) ^ b
  hash.b = (((b << 17) | (b >>> 15)) + a) | 0
}

/** Mixes in a whole number. The number may exceed 32 bits, for example an instant in ms. */
export const mixNumber = (hash: Hash, value: number): void => {
  mixWord(hash, value | 0)
  mixWord(hash, Math.floor(value / 0x1_0000_0000))
}

export const mixText = (hash: Hash, text: string): void => {
  mixWord(hash, text.length)
  // Mixes two characters at a time. After the end of an odd text, `charCodeAt` gives NaN, which counts as 0.
  for (let index = 0; index < text.length; index += 2) {
    mixWord(hash, text.charCodeAt(index) | (text.charCodeAt(index + 1) << 16))
  }
}

const finish = (word: number): number => {
  const mixed = Math.imul(word ^ (word >>> 16), 0x85ebca6b)
  return mixed ^ (mixed >>> 13)
}

const hexBytes = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

const hexWord = (word: number): string =>
  `${hexBytes[word >>> 24]}${hexBytes[(word >>> 16) & 255]}${hexBytes[(word >>> 8) & 255]}${hexBytes[word & 255]}`

export const hashText = (hash: Hash): string => hexWord(finish(hash.a)) + hexWord(finish(hash.b))
