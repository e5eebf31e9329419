import * as z from 'zod'
import type { Audited } from './change.ts'
import { type Declarations, done, gridInput, gridOutput, id, nothing, text, version } from './contract.ts'
import { fold } from './fold.ts'
import { allPermissions, type Permission, permissions } from './permissions.ts'
import type { Key } from './table.ts'

/** A custom role: the functions that its holders may use, and their departments. */
export interface CustomRole {
  id: string
  name: string
  notes?: string
  permissions: number[]
  departments: string[]
  createdAt: string
  /** Set during deletion. An assignment requires an unmarked role. */
  leavingAt?: string
}

const audited: Audited<CustomRole> = { noun: 'role', id: ({ id }) => id, name: ({ name }) => name }

export const roleKey = (id: string): Key<CustomRole> => ({ pk: 'ROLE', sk: id, audited })
/** A name is unique within a company, regardless of case and accents. */
export const roleNameKey = (name: string): Key<{ role: string }> => ({ pk: 'ROLE_NAME', sk: `#${fold(name)}` })
/** The departments of a role: all departments, the holder's own with sub-departments, or a list. */
export const reaches = ['all', 'own', 'assigned'] as const
export type Reach = (typeof reaches)[number]

/** The fixed roles of every company. Their ids are no times, so no generated id equals them. */
export const systemRoles: { id: string; permissions: readonly Permission[]; reach: Reach }[] = [
  { id: 'personnelmanager', permissions: allPermissions, reach: 'all' },
  { id: 'departmentleader', permissions: [7, 8, 9, 10], reach: 'own' },
]
export const systemRole = (id: string) => systemRoles.find(role => role.id === id)

const permission = z.int().refine(number => number in permissions)

const particulars = { name: text(60), notes: text(500).optional() }
/** The most departments of a role. */
export const mostRoleDepartments = 1000
const items = { permissions: z.array(permission).max(20), departments: z.array(id).max(mostRoleDepartments) }

const roleName = z.object({ id, name: z.string(), isSystem: z.boolean() })

export const rolePaths = {
  'role/all': {
    does: 'Lists the roles for a selection field. Managers of some departments get only their own role and the custom roles that apply to one of these departments.',
    who: 'manager',
    input: nothing,
    output: z.object({ list: z.array(roleName) }),
  },
  'role/grid': {
    does: 'Lists roles with permissions, departments and numbers of users: system roles first, then custom ones by name.',
    who: 'administrator',
    input: gridInput(z.strictObject({ search: z.string().trim().max(100).optional() })),
    output: gridOutput(
      roleName.extend({
        notes: z.string().optional(),
        ...items,
        reach: z
          .enum(reaches)
          .describe('all departments, the holder’s own with its sub-departments, or the assigned ones'),
        userCount: z.int(),
        createdAt: z.string().optional(),
        version,
      }),
    ),
  },
  'role/add': {
    does: 'Adds a custom role; names are unique regardless of case and accents (60052).',
    who: 'administrator',
    writes: true,
    input: z.strictObject({ ...particulars, ...items }),
    output: z.object({ id }),
  },
  'role/update': {
    does: 'Updates name and notes of a custom role; omitted fields are removed.',
    who: 'administrator',
    writes: true,
    input: z.strictObject({ id, version, ...particulars }),
    output: done,
  },
  'role/update/item': {
    does: 'Updates permissions and departments of a custom role; they apply from the next call of its users.',
    who: 'administrator',
    writes: true,
    input: z.strictObject({ id, version, ...items }),
    output: done,
  },
  'role/get/user': {
    does: 'Lists the users of a role.',
    who: 'administrator',
    input: gridInput(z.strictObject({ role: id, search: z.string().trim().max(100).optional() })),
    output: gridOutput(
      z.object({
        id,
        first_name: z.string(),
        last_name: z.string(),
        workno: z.string(),
        department: id,
        email: z.string().optional(),
      }),
    ),
  },
  'role/update/user': {
    does: 'Assigns a role to people, which replaces their previous one, or removes a custom role from people, who then have the system role of employees. A person who gets a management role loses a sign-in or an e-mail that a non-administrator set up.',
    who: 'administrator',
    writes: true,
    input: z.strictObject({ id, add: z.array(id).max(50).default([]), remove: z.array(id).max(50).default([]) }),
    output: z.object({
      mustJoin: z.array(id).describe('people whose sign-in was removed: check their e-mail and invite them'),
      refused: z.array(id).describe('people whom another user changed meanwhile; their role stays as that user set it'),
    }),
  },
  'role/delete': {
    does: 'Deletes a custom role without users.',
    who: 'administrator',
    writes: true,
    input: z.strictObject({ id }),
    output: done,
  },
} as const satisfies Declarations
