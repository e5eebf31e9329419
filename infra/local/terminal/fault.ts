// Deliberate faults between a terminal and its server. A share is a part, from 0 to 1, of the sent frames.

export interface Faults {
  /** The share of frames during which the connection breaks. The server may or may not have the frame. */
  dropBefore: number
  /** The share of frames after whose reply the connection breaks, before the terminal reads the reply. */
  dropAfter: number
  /** The share of frames that the terminal sends twice. */
  duplicate: number
  /** The share of frames with reversed entries. */
  reorder: number
  /** The share of frames after which the terminal pushes nothing more on this connection. It still answers commands. */
  stall: number
  /** The constant error of the terminal's clock, even after the server sets the clock. */
  skewSeconds: number
  /** The terminal missed a clock change: its clock is behind by this much until the server sets it. */
  behindSeconds: number
  /** The size of the picture of every punch, until the server forbids pictures. */
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

/** The faults by their names on the command line. `usual` applies to a fault without a value. */
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

/** Reads `drop-before=0.02,duplicate`. For the first invalid fault, throws one sentence. */
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

/** Pseudo-random numbers from 0 to 1. The same seed and name give the same numbers (mulberry32). */
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
