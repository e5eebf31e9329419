// Days of leave as people type them, with a comma or a point, in halves.

export const daysOf = (text: string): number => Number(text.trim().replace(',', '.').replace('−', '-'))

export const isHalfDays = (text: string): boolean =>
  /^[-−]?\d{1,3}([.,]\d+)?$/.test(text.trim()) && Number.isInteger(daysOf(text) * 2)
