// The separator and the decimal sign of CSV files. Spreadsheet programs expect those of the reader's country.

export interface CsvFormat {
  separator: ',' | ';' | '\t' | '|'
  decimalSign: '.' | ','
}

/** The format of files that programs read, and the default of this project's own reader. */
export const plainCsv: CsvFormat = { separator: ',', decimalSign: '.' }

/**
 * The format of a company's CSV files. Its country decides: where the decimal sign is a comma, a semicolon separates the
 * cells. Without a known country, the language of the file decides.
 */
export const csvFormatOf = ({ country }: { country?: string | undefined }, language: string): CsvFormat => {
  const isCode = country !== undefined && /^[A-Z]{2}$/.test(country)
  const locale = isCode ? `${new Intl.Locale(`und-${country}`).maximize().language}-${country}` : language
  const decimal = new Intl.NumberFormat(locale).formatToParts(1.5).find(({ type }) => type === 'decimal')?.value
  return decimal === ',' ? { separator: ';', decimalSign: ',' } : plainCsv
}

/** A number with a fixed number of decimals, with the decimal sign of a CSV file. */
export const csvNumber = (value: number, decimals: number, { decimalSign }: Pick<CsvFormat, 'decimalSign'>): string =>
  value.toFixed(decimals).replace('.', decimalSign)
