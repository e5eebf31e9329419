import { withAllBelow, zonesOf } from '../../shared/department.ts'
import { addDays, localDay } from '../../shared/local-day.ts'
import { readCompany } from '../company/store.ts'
import { previewing } from '../day/preview.ts'
import { spansOf } from '../holiday/task.ts'
import { openTable } from '../kit/table.ts'
import { readDepartments } from './store.ts'
import { withZone } from './zone.ts'

export const previewDepartment = previewing<'department/preview'>(async ({ company, input }) => {
  const table = openTable(company)
  const [settings, departments] = await Promise.all([readCompany({ table }), readDepartments(table)])
  const { departments: after, changedFrom } = withZone(settings, departments, input)
  const to = addDays(localDay(settings.timezone, Date.now()), 1)
  const touched = { days: [{ from: changedFrom ?? to, to }], departments: [...withAllBelow(departments, [input.id])] }
  return {
    spans: changedFrom === undefined ? [] : await spansOf(table, [touched]),
    supposed: { zones: zonesOf(after) },
  }
})
