// Reads typed days of leave, with a decimal comma or point, in half days.

export const daysOf = (text: string): number => Number(text.trim().replace(',', '.').replace('−', '-'))

export const isHalfDays = (text: string): boolean =>
  /^[-−]?\d{1,3}([.,]\d+)?$/.test(text.trim()) && Number.isInteger(daysOf(text) * 2)
