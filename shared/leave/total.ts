// A separate file, because `day.ts` imports the whole calculation. A function that only adds days must load fast.

export const thousandths = (days: number) => Math.round(days * 1000) / 1000

/** Adds days without floating-point noise. */
export const sumOfDays = (list: readonly number[]): number => thousandths(list.reduce((sum, days) => sum + days, 0))
