// The limits of a schedule request. The browser splits its calls by these limits.

/** The most employees, days and shifts of one plan, and the most shifts of a day. */
export const planLimits = { employees: 500, days: 366, shifts: 100, shiftsOfDay: 8 } as const

/** The most days of a schedule in one read. */
export const mostBoardDays = 62

/** The most rotation templates of a company, and the most weeks of a template. */
export const templateLimits = { templates: 50, weeks: 8 } as const
