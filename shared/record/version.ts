// The versions of a corrected punch, and which one counts.

/** What a manager makes of a punch. */
export interface CorrectedVersion {
  /** The time that counts; absent while the recorded time counts. */
  at?: string
  inout?: 0 | 1
  isIgnored?: true
  reason: string
  /** The manager. */
  by: string
  madeAt: string
}

/** A version with the employee's answer to it. */
export interface AnsweredVersion extends CorrectedVersion {
  /** When the terminal recorded the punch; absent for an added one. */
  recordedAt?: string
  /** Waits for the employee's agreement, or met their objection. Neither counts; absent means that it counts. */
  state?: 'proposed' | 'objected'
  /** What counts in its place; absent means the recorded punch, or none if it was added. */
  former?: CorrectedVersion
}

/** What counts of a correction; undefined means the recorded punch, or none if it was added. */
export const countedVersion = (correction: AnsweredVersion): CorrectedVersion | undefined =>
  correction.state ? correction.former : correction

/** The instant at which the punch counts; undefined if it does not count. */
export const countedAt = (correction: AnsweredVersion): string | undefined => {
  const version = countedVersion(correction)
  return version?.isIgnored ? undefined : (version?.at ?? correction.recordedAt)
}

/** Only the version, without the punch and the employee's answer. */
export const versionOf = ({ at, inout, isIgnored, reason, by, madeAt }: CorrectedVersion): CorrectedVersion => ({
  ...(at !== undefined && { at }),
  ...(inout !== undefined && { inout }),
  ...(isIgnored && { isIgnored }),
  ...{ reason, by, madeAt },
})
