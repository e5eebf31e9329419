// Deliberate faults between a terminal and its server. Shares from 0 to 1 refer to the sent frames.

export interface Faults {
  /** Cuts the connection while the frame is sent; the server may have it or not. */
  dropBefore: number
  /** Cuts the connection after the server's reply, before the terminal reads it. */
  dropAfter: number
  /** Sends the frame twice. */
  duplicate: number
  /** Reverses the entries of the frame. */
  reorder: number
  /** After the frame, the terminal pushes nothing more on this connection but still answers commands. */
  stall: number
  /** The constant error of its clock, whatever the server sets. */
  skewSeconds: number
  /** Its clock missed a clock change: it starts this far behind until the server sets it. */
  behindSeconds: number
  /** Every punch has a picture of this size, until the server forbids pictures. */
  photoKilobytes: number
  /** Two connections of the same terminal deliver the same memory. */
  isDouble: boolean
}

export const noFaults: Faults = {
  dropBefore: 0,
  dropAfter: 0,
  duplicate: 0,
  reorder: 0,
  stall: 0,
  skewSeconds: 0,
  behindSeconds: 0,
  photoKilobytes: 0,
  isDouble: false,
}

/** By the name on the command line. `usual` applies to a fault without a value. */
const spellings: { [name: string]: [usual: number, most: number, set: (value: number) => Partial<Faults>] } = {
  'drop-before': [0.02, 1, dropBefore => ({ dropBefore })],
  'drop-after': [0.02, 1, dropAfter => ({ dropAfter })],
  duplicate: [0.1, 1, duplicate => ({ duplicate })],
  reorder: [0.3, 1, reorder => ({ reorder })],
  stall: [0.1, 1, stall => ({ stall })],
  skew: [90, 86_400, skewSeconds => ({ skewSeconds })],
  dst: [3600, 7200, behindSeconds => ({ behindSeconds })],
  photo: [60, 1000, photoKilobytes => ({ photoKilobytes })],
  double: [1, 1, value => ({ isDouble: value > 0 })],
}

export const faultNames = Object.keys(spellings)

/** Reads `drop-before=0.02,duplicate`. Throws one sentence about the first invalid fault. */
export function readFaults(text: string): Faults {
  const faults = { ...noFaults }
  for (const word of text.split(',')) {
    const [name = '', written] = word.split('=')
    const spelling = Object.hasOwn(spellings, name) ? spellings[name] : undefined
    if (!spelling) throw new Error(`Unknown fault ${name}; choose from ${faultNames.join(', ')}.`)
    const [usual, most, set] = spelling
    const value = written === undefined ? usual : Number(written)
    if (!(Math.abs(value) <= most) || (value < 0 && name !== 'skew'))
      throw new Error(`The fault ${name} accepts numbers up to ${most}.`)
    Object.assign(faults, set(value))
  }
  return faults
}

/** Pseudo-random numbers from 0 to 1, the same for the same seed and name (mulberry32). */
export function drawLots(seed: number, name: string): () => number {
  let state = seed >>> 0
  for (const letter of name) state = Math.imul(state ^ letter.charCodeAt(0), 0x9e3779b1) >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
