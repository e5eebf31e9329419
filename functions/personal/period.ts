import { addDays, localDay } from '../../shared/local-day.ts'
import { addedPunch, type Correction } from '../../shared/record/correction.ts'
import { walkDays } from '../day/walk.ts'
import { newId } from '../kit/id.ts'
import type { Table } from '../kit/table.ts'

// Whether a punch at an instant would count, judged by the calculation itself.

/** Whether a shift, or a day without a shift, would count a punch. False outside every punch period. */
export const wouldCount = async (
  table: Table,
  { employee, timezone, at }: { employee: string; timezone: string; at: string },
): Promise<boolean> => {
  const day = localDay(timezone, Date.parse(at))
  const punch = addedPunch(day, newId())
  const assumed: Correction = { employee, punch, at, reason: '', by: '', madeAt: at }
  const span = { employee, from: addDays(day, -1), to: addDays(day, 1) }
  const { walked } = await walkDays(table, [span], { corrections: present => [...present, assumed] })
  const uses = walked
    .flatMap(({ changes }) => changes)
    .flatMap(({ after }) => after?.punches ?? [])
    .flatMap(({ key, use }) => (key === punch ? [use] : []))
  return uses.length === 0 || uses.some(use => use !== 'outside')
}
