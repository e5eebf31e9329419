import { type Shift, shiftKey, shiftNameKey, shiftVersionKey } from '../../shared/shift.ts'
import type { Table, Write } from '../kit/table.ts'

export const nameTaken = { code: 60060, fields: { name: 60060 } } as const

/** Keeps each version of a shift for its history. */
export const keepVersion = (table: Table, shift: Shift, number: number, saved: { by: string; at: string }): Write =>
  table.insert(shiftVersionKey(shift.id, number), { ...shift, number, ...saved })

/** The writes of a new shift with its first version. */
export const addShift = (table: Table, form: Shift, saved: { by: string; at: string }): Write[] => {
  const shift = { ...form, addedAt: saved.at }
  return [
    table.insert(shiftKey(shift.id), shift),
    table.insert(shiftNameKey(shift.name), { shift: shift.id }, nameTaken),
    keepVersion(table, shift, 1, saved),
  ]
}
