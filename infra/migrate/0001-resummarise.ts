import { sumDay } from '../../functions/day/summary-write.ts'
import { companyKey } from '../../shared/company.ts'
import { summaryKey, wholeCompany } from '../../shared/summary.ts'
import type { Migration } from './run.ts'

/**
 * Sums every stored day again from its rows. A summary keeps the figures that were known when it was written, and a day
 * of the past is never summed again by itself. A step is one day.
 */
export const resummarise: Migration = {
  number: 1,
  name: 'resummarise',
  async run(table, after) {
    const company = await table.get(companyKey())
    const { rows } = await table.part({ pk: summaryKey(wholeCompany, '').pk, after, size: 1 })
    const [next] = rows
    if (!company || !next) return undefined
    await sumDay(table, company, next.at)
    return next.at
  },
}
