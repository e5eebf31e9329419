// How much of a schedule one request may read or set. The browser cuts what it asks for by the same numbers.

/** The most people, days and shifts one plan may name, and the most shifts a day may hold. */
export const planLimits = { employees: 500, days: 366, shifts: 100, shiftsOfDay: 8 } as const

/** The most days of a schedule that are read at once. */
export const mostBoardDays = 62
