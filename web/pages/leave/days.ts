// Reads typed days of leave in half days, with a decimal comma or point.

export const daysOf = (text: string): number => Number(text.trim().replace(',', '.').replace('−', '-'))

export const isHalfDays = (text: string): boolean =>
  /^[-−]?\d{1,3}([.,]\d+)?$/.test(text.trim()) && Number.isInteger(daysOf(text) * 2)
