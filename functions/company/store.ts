import { type Company, companyKey } from '../../shared/company.ts'
import { Problem } from '../../shared/errors.ts'
import type { Caller } from '../kit/caller.ts'
import type { Item } from '../kit/table.ts'

/** The settings of the caller's company. Throws 502 if the company no longer exists. */
export const readCompany = async ({ table }: Pick<Caller, 'table'>): Promise<Item<Company>> => {
  const company = await table.get(companyKey())
  if (!company) throw new Problem(502)
  return company
}
