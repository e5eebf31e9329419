import { Problem } from '../../shared/errors.ts'
import { columnNames, kindOfColumn } from '../../shared/report/column.ts'
import type { ReportFile } from '../../shared/report.ts'
import { listKinds } from '../hours/store.ts'
import type { Table } from '../kit/table.ts'

/** Throws 60004 at each column of a kind that no hour set has or had. `field` names the column at a place. */
export const checkKinds = async (table: Table, columns: readonly string[], field: (at: number) => string) => {
  const codes = columns.map(kindOfColumn)
  if (codes.every(code => code === undefined)) return
  const known = new Set((await listKinds(table)).map(({ code }) => code))
  const unknown = codes.flatMap((code, at) => (code === undefined || known.has(code) ? [] : [[field(at), 60004]]))
  if (unknown.length > 0) throw new Problem(60004, Object.fromEntries(unknown))
}

/** Throws 10002 at each column that the view does not have, and 60004 at each unknown kind. */
export const checkColumns = async (
  table: Table,
  { view, columns = [] }: Pick<ReportFile, 'view' | 'columns'>,
): Promise<void> => {
  const isOfView = (name: string) =>
    kindOfColumn(name) !== undefined || (columnNames[view] as readonly string[]).includes(name)
  const strange = columns.flatMap((name, at) => (isOfView(name) ? [] : [[`columns.${at}`, 10002]]))
  if (strange.length > 0) throw new Problem(10002, Object.fromEntries(strange))
  await checkKinds(table, columns, at => `columns.${at}`)
}
