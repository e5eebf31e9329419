// Leave as the schedule board shows it. The board and the server count with the same functions.

export interface BoardLeave {
  /** 0 pending, 1 approved. */
  status: 0 | 1
  date: string
  toDate: string
  /** Absent for whole days. */
  from?: string | undefined
}

const approved = 1

/** Whether a leave takes the whole day. A leave by the hour takes the days between its first and its last. */
const takesWhole = ({ date, toDate, from }: BoardLeave, day: string): boolean =>
  from === undefined ? date <= day && day <= toDate : date < day && day < toDate

/** Whether an employee is on approved leave for the whole day. */
export const isAway = (leaves: readonly BoardLeave[], day: string): boolean =>
  leaves.some(leave => leave.status === approved && takesWhole(leave, day))

/**
 * The leave that a day shows: approved before pending, and whole days before hours. `isPart` marks leave by the hour.
 */
export const leaveOn = <L extends BoardLeave>(
  leaves: readonly L[],
  day: string,
): { leave: L; isPart: boolean } | undefined => {
  const found = leaves.flatMap(leave =>
    leave.date <= day && day <= leave.toDate ? [{ leave, isPart: !takesWhole(leave, day) }] : [],
  )
  const rank = ({ leave, isPart }: { leave: L; isPart: boolean }) => (approved - leave.status) * 2 + Number(isPart)
  return found.sort((one, other) => rank(one) - rank(other))[0]
}
