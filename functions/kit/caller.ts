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

/** A caller without a session. */
export interface Visitor {
  requestId: string
  path: string
  ip: string
  language: string
  /** The time zone of the caller's browser, if the browser sent one. */
  timezone: string | undefined
}

/** A signed-in person or an API key. The table contains only their company. */
export interface Caller extends Visitor {
  company: string
  /** For an API key, an artificial employee with its id and name. */
  employee: Item<Employee>
  apiKey?: { id: string; name: string }
  type: Side
  permissions: ReadonlySet<Permission>
  /** The departments whose people the caller may see and change; undefined means all. */
  departments: ReadonlySet<string> | undefined
  table: Table
}

/** A person, for paths closed to API keys. */
export interface SignedIn extends Caller {
  session: Session
  tokenHash: string
}

/** The rights on the management side: permissions, and departments (undefined: all). */
export type Rights = Pick<Caller, 'permissions' | 'departments'>

/**
 * The current rights of an employee; undefined without a management role. For many people, read the department tree
 * once and pass `below`.
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

/** Whether a person's last day is over. A person without an end date needs no lookup. */
export const isGone = async (table: Table, employee: Employee): Promise<boolean> => {
  const company = employee.endDay === undefined ? undefined : await table.get(companyKey())
  return company !== undefined && hasLeft(employee, localDay(company.timezone, Date.now()))
}

/** The actor in the audit for an employee's changes in this call. Also usable before the employee has a session. */
export const actorOf = ({ ip, path, requestId }: Visitor, employee: string): Actor => ({
  employee,
  ip,
  path,
  requestId,
})

/** Reads the caller behind a session at every call, because roles change and people leave. */
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

/** Throws 60005 if the caller may not use the path. */
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

/** Whether the caller manages a department: the single check for every list, change and count. */
export const manages = ({ departments }: Pick<Rights, 'departments'>, department: string): boolean =>
  departments === undefined || departments.has(department)

/**
 * Whether the caller manages a person through any of their departments. Worked days belong to the main department only,
 * so rows, records and reports use `manages`.
 */
export const managesEmployee = (
  caller: Pick<Caller, 'departments'>,
  employee: Pick<Employee, 'department' | 'departments'>,
) => departmentsOf(employee).some(department => manages(caller, department))

/** Departments with all their sub-departments. */
export const departmentsBelow = async (table: Table, roots: string[]): Promise<Set<string>> =>
  withAllBelow(await table.all<Department>({ pk: departmentKey('').pk, only: ['id', 'parent'] }), roots)
