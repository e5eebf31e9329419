import { addKinds } from '../../shared/attendance/hours/round.ts'
import { Problem } from '../../shared/errors.ts'
import { addFigures, noFigures } from '../../shared/figure.ts'
import { gapsOf, type LeftOut, leftOutOf } from '../../shared/report/left-out.ts'
import type { TemplateForm } from '../../shared/report/template-column.ts'
import type { ReportFilters } from '../../shared/report.ts'
import type { Summary } from '../../shared/summary.ts'
import { listKinds } from '../hours/store.ts'
import type { Table } from '../kit/table.ts'
import { checkSize, eachDayOf, openReport, type Viewer } from './read.ts'

/** The leave minutes of a period by type. Undefined for more rows than a report reads. */
const readLeave = async (viewer: Viewer, filters: ReportFilters): Promise<Record<string, number> | undefined> => {
  const report = await openReport(viewer, filters)
  try {
    await checkSize(report)
  } catch (error) {
    if (error instanceof Problem && error.code === 60070) return undefined
    throw error
  }
  const sums: Record<string, number> = {}
  for await (const { rows } of eachDayOf(report, ['employee', 'department', 'exceptions', 'leaveTypes']))
    for (const { leaveTypes } of rows)
      for (const [type, minutes] of Object.entries(leaveTypes)) sums[type] = (sums[type] ?? 0) + minutes
  return sums
}

/** The minutes of a period by base kind, if the template has kinds. */
const readBaseKinds = async (
  table: Table,
  template: TemplateForm,
  days: readonly Summary[],
): Promise<Record<string, number>> => {
  if (!gapsOf(template).hasKinds) return {}
  const extra = new Set((await listKinds(table)).flatMap(({ code, isExtra }) => (isExtra ? [code] : [])))
  const sums: Record<string, number> = {}
  for (const { kinds } of days) addKinds(sums, kinds?.minutes ?? {})
  return Object.fromEntries(Object.entries(sums).filter(([code]) => !extra.has(code)))
}

/**
 * The hours of a period that the file of a template does not contain, in unrounded minutes. `days` are the summaries of
 * the period. Reads rows only for leave
 * that the template does not contain as a whole. Undefined for too many of them, because advice never refuses.
 */
export const readLeftOut = async (
  { table, departments }: Viewer,
  template: TemplateForm,
  { from, to }: Pick<ReportFilters, 'from' | 'to'>,
  days: readonly Summary[],
): Promise<LeftOut[] | undefined> => {
  const figures = days.map(day => day.figures).reduce(addFigures, noFigures())
  const isLeaveComplete = gapsOf(template).hasAllLeave || figures.leaveMinutes === 0
  const leave = isLeaveComplete ? {} : await readLeave({ table, departments }, { from, to })
  return leave && leftOutOf(template, figures, leave, await readBaseKinds(table, template, days))
}
