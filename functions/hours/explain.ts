import { dayNumber } from '../../shared/attendance/calendar.ts'
import { explainHours } from '../../shared/attendance/hours/explain.ts'
import type { DayRow } from '../../shared/day.ts'
import type { Explanation } from '../../shared/explanation.ts'
import { rowHours } from '../../shared/hours/row.ts'
import { engineSet } from '../../shared/hours.ts'
import type { Table } from '../kit/table.ts'
import { readContents } from './store.ts'

/** The kinds of each row's minutes, with the conditions of the set that the row used. Rows without kinds cost no read. */
export const explainKinds = async (
  table: Table,
  rows: Pick<DayRow, 'day' | 'zone' | 'hours'>[],
): Promise<Explanation['hours'][]> => {
  const versions = rows.flatMap(({ hours }) => hours?.setVersion ?? [])
  if (versions.length === 0) return rows.map(() => undefined)
  const contents = new Map((await readContents(table, versions)).map(content => [content.setVersion, content]))
  return rows.map(({ day, zone, hours }) => {
    const content = hours && contents.get(hours.setVersion)
    if (!content) return undefined
    const kinds = new Map(content.kinds.map(kind => [kind.code, kind]))
    const pieces = explainHours(rowHours(hours), engineSet(content), zone, dayNumber(day))
    return {
      set: content.name,
      pieces: pieces.map(piece => {
        const { name = piece.kind, color = '' } = kinds.get(piece.kind) ?? {}
        return { ...piece, name, color }
      }),
    }
  })
}
