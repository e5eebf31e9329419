import type { Actor } from '../../shared/audit.ts'
import { companyKey } from '../../shared/company.ts'
import type { Who } from '../../shared/contract.ts'
import { type Department, departmentKey, withAllBelow } from '../../shared/department.ts'
import { departmentsOf, type Employee, employeeKey, hasLeft } from '../../shared/employee.ts'
import { Problem } from '../../shared/errors.ts'
import { localDay } from '../../shared/local-day.ts'
import { allPermissions, isPermission, type Permission, roles } from '../../shared/permissions.ts'
import { roleKey, systemRole } from '../../shared/role.ts'
import type { Session, Side } from '../../shared/session.ts'
import { isOutlived } from './session.ts'
import { type Item, openTable, type Table } from './table.ts'

/** Somebody nobody knows yet. */
export interface Visitor {
  requestId: string
  /** What is called. */
  path: string
  ip: string
  language: string
  /** The zone the caller's browser shows times in, where it said so. */
  timezone: string | undefined
}

/** Somebody signed in, or a program with an API key. The table is open for their company and for no other. */
export interface Caller extends Visitor {
  company: string
  /** Of a key a stand-in, who has its id and its name and is nobody. */
  employee: Item<Employee>
  apiKey?: { id: string; name: string }
  type: Side
  permissions: ReadonlySet<Permission>
  /** The departments whose people the caller may see and change; undefined means all of them. */
  departments: ReadonlySet<string> | undefined
  table: Table
}

/** A person, for what no key opens. */
export interface SignedIn extends Caller {
  session: Session
  tokenHash: string
}

/** What somebody may do on the management side: which functions, and in which departments (undefined: in all). */
export type Rights = Pick<Caller, 'permissions' | 'departments'>

/**
 * The rights of an employee as they stand now; undefined where the management side is closed to them. Who asks about many people
 * reads the tree of departments once and says what is `below` some of them.
 */
export const rightsOf = async (
  table: Table,
  employee: Employee,
  below: (roots: string[]) => Promise<Set<string>> = roots => departmentsBelow(table, roots),
): Promise<Rights | undefined> => {
  if (employee.role === roles.administrator) return { permissions: new Set(allPermissions), departments: undefined }
  if (employee.role !== roles.manager) return undefined
  const system = employee.roleId ? systemRole(employee.roleId) : undefined
  if (system)
    return {
      permissions: new Set(system.permissions),
      departments: system.reach === 'all' ? undefined : await below(departmentsOf(employee)),
    }
  const role = employee.roleId ? await table.get(roleKey(employee.roleId)) : undefined
  return {
    permissions: new Set((role?.permissions ?? []).filter(isPermission)),
    departments: new Set(role?.departments),
  }
}

/** Whether somebody's last day is over; for who has none there is nothing to look up. */
export const isGone = async (table: Table, employee: Employee): Promise<boolean> => {
  const company = employee.endDay === undefined ? undefined : await table.get(companyKey())
  return company !== undefined && hasLeft(employee, localDay(company.timezone, Date.now()))
}

/** Who the audit names for what an employee does in this call; also one who is not signed in yet, but joins by it. */
export const actorOf = ({ ip, path, requestId }: Visitor, employee: string): Actor => ({
  employee,
  ip,
  path,
  requestId,
})

/** What a session is worth now: read at every call, because roles change and people leave. */
export const recognise = async (
  visitor: Visitor,
  { session, tokenHash }: { session: Session; tokenHash: string },
): Promise<SignedIn> => {
  const table = openTable(session.company, actorOf(visitor, session.employee))
  const employee = await table.get(employeeKey(session.employee))
  if (!employee || employee.role === roles.none || (await isGone(table, employee))) throw new Problem(502)
  if (isOutlived(session, employee)) throw new Problem(502)
  const base = { ...visitor, session, tokenHash, company: session.company, employee, type: session.type, table }
  if (session.type === 'user') return { ...base, permissions: new Set(), departments: new Set() }
  const rights = await rightsOf(table, employee)
  if (!rights) throw new Problem(502)
  return { ...base, ...rights }
}

/** Throws 60005 where the caller is not one of those a path is for. */
export const permit = (who: Who, caller: Pick<Caller, 'type' | 'employee' | 'permissions'>): void => {
  const management = caller.type === 'management'
  const allowed =
    who === 'anyone' || who === 'signedIn'
      ? true
      : who === 'employee'
        ? !management
        : who === 'manager'
          ? management
          : who === 'administrator'
            ? management && caller.employee.role === roles.administrator
            : management && who.some(permission => caller.permissions.has(permission))
  if (!allowed) throw new Problem(60005)
}

/** Whether the caller manages a department. The one place that decides it, for every list, change and count. */
export const manages = ({ departments }: Pick<Rights, 'departments'>, department: string): boolean =>
  departments === undefined || departments.has(department)

/**
 * Whether the caller manages a person: through the main department or any other the person works in. The days worked belong to
 * the main department alone, so for rows, records and reports it is `manages` that is asked.
 */
export const managesEmployee = (
  caller: Pick<Caller, 'departments'>,
  employee: Pick<Employee, 'department' | 'departments'>,
) => departmentsOf(employee).some(department => manages(caller, department))

/** Some departments with all below them, as the tree stands now. */
export const departmentsBelow = async (table: Table, roots: string[]): Promise<Set<string>> =>
  withAllBelow(await table.all<Department>({ pk: departmentKey('').pk, only: ['id', 'parent'] }), roots)
