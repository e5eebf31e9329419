import * as z from 'zod'
import { type Declarations, gridInput, gridOutput, id, nothing, text } from './contract.ts'
import { permissions } from './permissions.ts'
import type { Key } from './table.ts'

/** A custom role: which functions its holders have, and in which departments. */
export interface CustomRole {
  id: string
  name: string
  notes?: string
  permissions: number[]
  departments: string[]
  createdAt: string
}

export const roleKey = (id: string): Key<CustomRole> => ({ pk: 'ROLE', sk: id })

const permission = z.int().refine(number => number in permissions)

const form = {
  name: text(60),
  notes: text(500).optional(),
  permissions: z.array(permission).max(20),
  departments: z.array(id).max(1000),
}

export const rolePaths = {
  'role/all': {
    does: 'Lists the custom roles, for choosing one.',
    who: 'manager',
    input: nothing,
    output: z.object({ list: z.array(z.object({ id, name: z.string() })) }),
  },
  'role/grid': {
    does: 'Lists the custom roles with what they permit.',
    who: 'administrator',
    input: gridInput(z.strictObject({})),
    output: gridOutput(z.object({ id, ...form, createdAt: z.string() })),
  },
  'role/add': {
    does: 'Adds a custom role.',
    who: 'administrator',
    writes: true,
    input: z.strictObject(form),
    output: z.object({ id }),
  },
} as const satisfies Declarations
