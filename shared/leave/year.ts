// A separate file, because every page names the leave year and must load fast.

/** The leave year of a day. It has the name of the calendar year it begins in. */
export const leaveYearOf = (day: string, yearStart: number): number =>
  Number(day.slice(0, 4)) - (Number(day.slice(5, 7)) < yearStart ? 1 : 0)

/** The first day of a leave year. */
export const leaveYearStart = (year: number, yearStart: number): string =>
  `${year}-${String(yearStart).padStart(2, '0')}-01`
