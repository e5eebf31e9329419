import type { Explained } from './amount.ts'

// The undo of a correction is a further correction. This file decides which one.

type Earlier = NonNullable<Explained['ignored'][number]['correction']>

/** A saved correction, with the version of the punch before it. */
export interface Made {
  action: 'add' | 'update' | 'ignore' | 'restore'
  punch: string
  earlier: Earlier | undefined
  timezone: string
  /** The text of the confirmation. */
  text: string
}

/** The call that puts back the version before a correction. */
export type Way =
  | { path: 'restore' }
  | { path: 'ignore'; reason: string }
  | { path: 'update'; at: string; reason: string }
  | { path: 'add'; at: string; inout: 0 | 1 | undefined; reason: string }

const versionAgain = ({ isIgnored, at, inout, recordedAt, reason }: Earlier, isGone: boolean): Way => {
  if (isIgnored) return { path: 'ignore', reason }
  if (at === undefined) return { path: 'restore' }
  // Without its direction, an added clock-in could count as a clock-out.
  return isGone && recordedAt === undefined ? { path: 'add', at, inout, reason } : { path: 'update', at, reason }
}

/** How to undo a correction. An objected version cannot return, so the recorded punch counts again. */
export const wayBack = ({
  action,
  earlier,
  version,
  isProposal,
}: Pick<Made, 'action' | 'earlier'> & { version?: number | undefined; isProposal: boolean }): Way => {
  if (!earlier || earlier.state === 'objected') return { path: 'restore' }
  if (action === 'restore') return versionAgain(earlier, version === undefined)
  // Withdrawing a proposal brings back the version that counts, but not an earlier proposal.
  if (isProposal && earlier.state === 'counts') return { path: 'restore' }
  if (action === 'ignore' && earlier.state === 'counts') return { path: 'restore' }
  return versionAgain(earlier, false)
}
