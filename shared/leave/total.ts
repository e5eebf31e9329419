// A separate file, because `day.ts` imports the whole calculation. A function that only adds days must load fast.

export const thousandths = (days: number) => Math.round(days * 1000) / 1000

/** Adds days without floating-point noise. */
export const sumOfDays = (list: readonly number[]): number => thousandths(list.reduce((sum, days) => sum + days, 0))

/** The days of a year's limit that leave can take or has taken: all but the carried days that ended. */
export const usableDays = (limit: {
  entitledDays: number
  carriedDays: number
  expiredDays?: number | undefined
}): number => sumOfDays([limit.entitledDays, limit.carriedDays, -(limit.expiredDays ?? 0)])
