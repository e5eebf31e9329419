/** A local day such as `2026-11-03` in a company's format, such as `DD/MM/YYYY`. */
export const formatDay = (day: string, dateFormat: string): string => {
  const [year = '', month = '', date = ''] = day.split('-')
  return dateFormat.replace('YYYY', year).replace('MM', month).replace('DD', date)
}
