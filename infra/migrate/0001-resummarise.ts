import { sumDay } from '../../functions/day/summary-write.ts'
import { companyKey } from '../../shared/company.ts'
import { summaryKey, wholeCompany } from '../../shared/summary.ts'
import type { Migration } from './run.ts'

/**
 * Recalculates the summary of every stored day, one day per step. A stored summary has only the figures known when it
 * was written, and no job recalculates an unchanged past day.
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
