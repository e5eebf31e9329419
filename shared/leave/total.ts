// Apart from the days of leave, which bring the calculation along.

export const thousandths = (days: number) => Math.round(days * 1000) / 1000

/** Adds days without floating-point noise. */
export const sumOfDays = (list: readonly number[]): number => thousandths(list.reduce((sum, days) => sum + days, 0))
