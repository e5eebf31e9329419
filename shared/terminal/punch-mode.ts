/** The credentials a person presents at a terminal. */
export type Shown = 'finger' | 'face' | 'card' | 'password'

interface Mode {
  name: string
  /** The terminals' code for the verification. */
  verification: number
  shows: readonly Shown[]
}

/** The index is the mode's number. */
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

/** The terminals' code for a punch mode. An unknown mode has the code of the default mode. */
export const verificationOf = (mode: PunchMode): number => punchModes[mode]?.verification ?? defaultVerification

/**
 * The credentials that a terminal needs for a person's punch mode. A terminal verifies all users in one way, so only a
 * missing credential can exclude a punch mode.
 */
export const shownBy = (mode: PunchMode): ReadonlySet<Shown> => new Set((punchModes[mode] ?? punchModes[0]).shows)
