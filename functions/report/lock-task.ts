import { addDays, firstDay } from '../../shared/local-day.ts'
import { daysOfEverybody } from '../attparams/task.ts'
import { readCompany } from '../company/store.ts'
import { previewing } from '../day/preview.ts'
import { recalculation } from '../day/recalculation.ts'
import { openTable } from '../kit/table.ts'

// The task calculates unlocked days as if they had never been locked.

/** Earlier than any row. */

export const previewLock = previewing<'report/lock/preview'>(async work => {
  const table = openTable(work.company)
  const { timezone, lockedTo: before } = await readCompany({ table })
  const { lockedTo } = work.input
  const from = lockedTo === null ? firstDay : addDays(lockedTo, 1)
  return {
    spans: before === undefined || before < from ? [] : await daysOfEverybody(table, timezone, from, before, work),
    supposed: { company: ({ lockedTo: _, ...company }) => ({ ...company, ...(lockedTo !== null && { lockedTo }) }) },
  }
})

export const recalculateOpened = recalculation<'report/lock/update'>(async work => {
  const table = openTable(work.company)
  const { timezone } = await readCompany({ table })
  const { from = firstDay, to } = work.input
  return daysOfEverybody(table, timezone, from, to, work)
})
