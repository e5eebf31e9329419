import type { ReactNode } from 'react'
import type { PagedPath, RowOf, SortOf } from '../../../read.ts'

/** A column of a grid. */
export interface Column<Row, By extends string = string> {
  key: string
  title: string
  /** The unit of the figures, under the title. */
  unit?: string
  /** The title of the second value in each cell (see `TwoLines`). */
  second?: string
  /** The width as a CSS grid track, such as `minmax(160px, 2fr)`. */
  width: string
  /** Aligns the cells to the end of the column. */
  isNumber?: boolean
  /** The title above this column and its neighbours of the same group. The group has a tint. */
  group?: string
  /** Hides the column on a phone. */
  isMinor?: boolean
  /** Hides the column on a phone and on a tablet. */
  isExtra?: boolean
  /** The name by which the list sorts by this column; absent if it cannot. */
  sort?: By
  cell: (row: Row) => ReactNode
}
export type ColumnOf<P extends PagedPath> = Column<RowOf<P>, SortOf<P>>
