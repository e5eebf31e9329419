// The versions of a corrected punch, and which one counts.

/** A manager's version of a punch. */
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
  /** `proposed` waits for the employee's agreement, and `objected` met an objection. Absent if the version counts. */
  state?: 'proposed' | 'objected'
  /** The version that counts instead. Absent means the recorded punch, or no punch if a manager added it. */
  former?: CorrectedVersion
}

/** The version that counts. Undefined means the recorded punch, or no punch if a manager added it. */
export const countedVersion = (correction: AnsweredVersion): CorrectedVersion | undefined =>
  correction.state ? correction.former : correction

/** The instant at which the punch counts; undefined if it does not count. */
export const countedAt = (correction: AnsweredVersion): string | undefined => {
  const version = countedVersion(correction)
  return version?.isIgnored ? undefined : (version?.at ?? correction.recordedAt)
}

/** The version without the punch and the employee's answer. */
export const versionOf = ({ at, inout, isIgnored, reason, by, madeAt }: CorrectedVersion): CorrectedVersion => ({
  ...(at !== undefined && { at }),
  ...(inout !== undefined && { inout }),
  ...(isIgnored && { isIgnored }),
  ...{ reason, by, madeAt },
})
