/** In the order of their numbers. The type is what terminals call the way of verifying. */
export const punchModes = [
  { name: 'default', verification: 6 },
  { name: 'fingerprintOrFace', verification: 192 },
  { name: 'card', verification: 56 },
  { name: 'numberAndPassword', verification: 1 },
  { name: 'cardAndPassword', verification: 8 },
  { name: 'fingerprintAndCard', verification: 128 },
  { name: 'fingerprintAndPassword', verification: 64 },
  { name: 'fingerprintOrNumberAndPassword', verification: 192 },
] as const

export type PunchMode = number
const defaultVerification = punchModes[0].verification

/** The verification type of a punch mode; what nobody knows is the default one. */
export const verificationOf = (mode: PunchMode): number => punchModes[mode]?.verification ?? defaultVerification
