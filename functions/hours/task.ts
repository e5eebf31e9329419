import type { PathInput } from '../../shared/api.ts'
import { addDays, localDay } from '../../shared/local-day.ts'
import { daysOfEverybody } from '../attparams/task.ts'
import { readCompany } from '../company/store.ts'
import { previewing } from '../day/preview.ts'
import { recalculation } from '../day/recalculation.ts'
import { newId } from '../kit/id.ts'
import { openTable } from '../kit/table.ts'
import { withHourSet } from './set.ts'
import { rulesOfBook } from './store.ts'

// Splits all employees' hours again, from the first day of a changed hour set on, or previews it.

export const recalculateHours = recalculation<'attparams/hours/update'>(async work => {
  const table = openTable(work.company)
  const { timezone } = await readCompany({ table })
  const today = localDay(timezone, Date.now())
  return daysOfEverybody(table, timezone, work.input.from ?? today, addDays(today, 1), work)
})

export const previewHours = previewing<'attparams/hours/preview'>(async work => {
  const table = openTable(work.company)
  const company = await readCompany({ table })
  const form = work.input as PathInput<'attparams/hours/preview'>
  const { book, content, changedFrom } = await withHourSet(
    { table, departments: work.asker.departments },
    company,
    form,
    newId(),
  )
  const tomorrow = addDays(localDay(company.timezone, Date.now()), 1)
  return {
    spans: changedFrom === undefined ? [] : await daysOfEverybody(table, company.timezone, changedFrom, tomorrow, work),
    supposed: { hours: await rulesOfBook(table, book, content ? [content] : []) },
  }
})
