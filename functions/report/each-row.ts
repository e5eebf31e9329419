import { countDays } from '../../shared/local-day.ts'
import { dailyColumns, departmentColumns, type ReportColumn, summaryColumns } from '../../shared/report/column.ts'
import type { DailyRow, DepartmentRow, SummaryRow } from '../../shared/report/row.ts'
import type { ReportFile } from '../../shared/report.ts'
import {
  checkSize,
  departmentsOf,
  eachDayOf,
  pageOfSummary,
  printedFields,
  type Report,
  rowPrinter,
  rowsOfDepartments,
} from './read.ts'

// The rows of a report's file, one after the other, as its list shows them.

export type AnyRow = DailyRow | SummaryRow | DepartmentRow

export const columnsOf = { daily: dailyColumns, summary: summaryColumns, department: departmentColumns } as Record<
  ReportFile['view'],
  Record<string, ReportColumn<AnyRow>>
>

export type Tell = (done: number, total: number) => Promise<void>

export async function* rowsOf(
  report: Report,
  { view, sort }: Pick<ReportFile, 'view' | 'sort'>,
  tell: Tell,
): AsyncGenerator<AnyRow> {
  if (view === 'department') return yield* await rowsOfDepartments(report, departmentsOf(report))
  await checkSize(report)
  if (view === 'daily') {
    const print = rowPrinter(report, { isSortedByName: true })
    const { from, to } = report.filters
    for await (const { day, rows } of eachDayOf(report, printedFields)) {
      await tell(countDays(day, to), countDays(from, to))
      yield* await print(rows)
    }
    return
  }
  let page: string | undefined
  let done = 0
  do {
    const part = await pageOfSummary(report, { size: 200, page, sort: sort ?? { by: 'name', descending: false } })
    yield* part.list
    done += part.list.length
    await tell(done, done)
    page = part.next
  } while (page !== undefined)
}
