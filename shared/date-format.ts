/** A local day such as `2026-11-03` in a company's format, such as `DD/MM/YYYY`. */
export const formatDay = (day: string, dateFormat: string): string => {
  const [year = '', month = '', date = ''] = day.split('-')
  return dateFormat.replace('YYYY', year).replace('MM', month).replace('DD', date)
}

/** The mark of a time on another day than its row, such as ` +1`; empty on the same day. */
export const markOf = (daysOff: number): string =>
  daysOff === 0 ? '' : daysOff > 0 ? ` +${daysOff}` : ` -${Math.abs(daysOff)}`
