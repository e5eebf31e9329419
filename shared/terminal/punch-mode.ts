/** What somebody shows or types at a terminal. */
export type Shown = 'finger' | 'face' | 'card' | 'password'

interface Mode {
  name: string
  /** What terminals call the way of verifying. */
  verification: number
  shows: readonly Shown[]
}

/** In the order of their numbers. */
export const punchModes = [
  { name: 'default', verification: 6, shows: ['finger', 'face', 'card', 'password'] },
  { name: 'fingerprintOrFace', verification: 192, shows: ['finger', 'face'] },
  { name: 'card', verification: 56, shows: ['card'] },
  { name: 'numberAndPassword', verification: 1, shows: ['password'] },
  { name: 'cardAndPassword', verification: 8, shows: ['card', 'password'] },
  { name: 'fingerprintAndCard', verification: 128, shows: ['finger', 'face', 'card'] },
  { name: 'fingerprintAndPassword', verification: 64, shows: ['finger', 'face', 'password'] },
  { name: 'fingerprintOrNumberAndPassword', verification: 192, shows: ['finger', 'password'] },
] as const satisfies readonly Mode[]

export type PunchMode = number
const defaultVerification = punchModes[0].verification

/** The verification type of a punch mode; what nobody knows is the default one. */
export const verificationOf = (mode: PunchMode): number => punchModes[mode]?.verification ?? defaultVerification

/**
 * What a terminal is to know of somebody who punches in this mode: the terminals have one way of verifying for all, so that nobody
 * can show what the terminal was never told.
 */
export const shownBy = (mode: PunchMode): ReadonlySet<Shown> => new Set((punchModes[mode] ?? punchModes[0]).shows)
