import { randomInt } from 'node:crypto'
import { companyKey, companyNumberKey, zoneKey, zonesKey } from '../../shared/company.ts'
import { departmentKey, departmentNameKey } from '../../shared/department.ts'
import type { Employee } from '../../shared/employee.ts'
import { languageToKeep } from '../../shared/language.ts'
import { migrationKey, newestMigration } from '../../shared/migration.ts'
import { roles } from '../../shared/permissions.ts'
import { firstParameters } from '../../shared/rule.ts'
import { withReading } from '../employee/reading.ts'
import { addEmployee } from '../employee/store.ts'
import { actorOf, type Visitor } from '../kit/caller.ts'
import { newId } from '../kit/id.ts'
import { directory, openTable, type Write } from '../kit/table.ts'

/** A free company number of eight digits, short enough to type. */
const newCompanyNumber = async (): Promise<string> => {
  const number = String(randomInt(10_000_000, 100_000_000))
  return (await directory().get(companyNumberKey(number))) ? newCompanyNumber() : number
}

/**
 * A new company with a default department of the same name, and its owner as employee 1. The caller saves `writes`
 * together with further writes.
 */
export const foundCompany = async (
  { company_name, timezone }: { company_name: string; timezone: string },
  owner: Pick<Employee, 'account' | 'email' | 'first_name' | 'last_name' | 'passwordSetAt'>,
  visitor: Visitor,
): Promise<{ company: string; employee: string; writes: Write[] }> => {
  const [company, department, employee] = [newId(), newId(), newId()]
  const company_num = await newCompanyNumber()
  const table = openTable(company, actorOf(visitor, employee))
  return {
    company,
    employee,
    writes: [
      directory().insert(companyNumberKey(company_num), { company }),
      directory().insert(zoneKey(timezone, company), { company }),
      directory().put(zonesKey(timezone), { zone: timezone }),
      table.insert(companyKey(), {
        id: company,
        name: company_name,
        company_num,
        timezone,
        dateformat_id: 3,
        timeformat_id: 2,
        timeUnit: [0, 0, 0, 0, 0],
        parameters: firstParameters,
        createdAt: new Date().toISOString(),
      }),
      table.insert(migrationKey(), { number: newestMigration }),
      table.insert(departmentKey(department), { id: department, name: company_name, isDefault: true }),
      table.insert(departmentNameKey(company_name), { department }),
      ...addEmployee(table, {
        ...(await withReading(owner)),
        ...languageToKeep(visitor.language),
        id: employee,
        workno: '1',
        department,
        role: roles.administrator,
        isOwner: true,
      }),
    ],
  }
}
