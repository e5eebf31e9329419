import { Problem } from '../../shared/errors.ts'
import { columnNames } from '../../shared/report/column.ts'
import type { ReportFile } from '../../shared/report.ts'

/** Throws 10002 at each column that the view does not have. */
export const checkColumns = ({ view, columns = [] }: Pick<ReportFile, 'view' | 'columns'>): void => {
  const strange = columns.flatMap((name, at) => (columnNames[view].includes(name) ? [] : [[`columns.${at}`, 10002]]))
  if (strange.length > 0) throw new Problem(10002, Object.fromEntries(strange))
}
