// The permission numbers and the pages of each number. The site's guard and menu, the wrapper of every path and the
// role page all read this table.

export const roles = { none: 0, administrator: 1, manager: 2, employee: 3 } as const
export type Role = (typeof roles)[keyof typeof roles]

export const permissions = {
  1: { name: 'Department', pages: ['/department'] },
  2: { name: 'Device', pages: ['/device'] },
  3: { name: 'Employee', pages: ['/employee', '/employee/:id'] },
  4: { name: 'ShiftGroup', pages: [] },
  5: { name: 'AttParams', pages: ['/shift/params', '/shift/hours'] },
  6: { name: 'Shift', pages: ['/shift', '/shift/params', '/shift/hours'] },
  7: { name: 'Schedule', pages: ['/schedule'] },
  8: { name: 'Report', pages: ['/report', '/exception', '/report/close', '/employee/:id'] },
  9: { name: 'Record', pages: ['/record', '/temperature', '/employee/:id'] },
  10: { name: 'Approve', pages: ['/approve', '/leave', '/employee/:id'] },
  11: { name: 'Temperature', pages: ['/temperature'] },
} as const

/** The pages for system administrators only. No permission number opens them. */
export const administratorPages = [
  '/system/company',
  '/system/basic',
  '/system/role',
  '/system/holiday',
  '/system/request',
  '/system/audit',
  '/system/Application',
] as const

export type Permission = keyof typeof permissions
export const allPermissions = Object.keys(permissions).map(Number) as Permission[]

/** A stored role may hold numbers that this table no longer has. Such numbers have no effect. */
export const isPermission = (number: number): number is Permission => number in permissions
