// The selection on the board, from its anchor to its active cell.

export interface Place {
  row: number
  column: number
}

export interface Selection {
  /** The cell that has the focus; the selection reaches to it. */
  active: Place
  anchor: Place
  /** A tap has begun the selection; a second tap may extend it. */
  isBegun?: true
  /** A part outside of the board has set the selection, so the board scrolls to it. */
  isSought?: true
}

/** A rectangle of rows and columns, all four ends included. */
export interface Area {
  top: number
  bottom: number
  left: number
  right: number
}

export const areaOf = ({ active, anchor }: Selection): Area => ({
  top: Math.min(active.row, anchor.row),
  bottom: Math.max(active.row, anchor.row),
  left: Math.min(active.column, anchor.column),
  right: Math.max(active.column, anchor.column),
})
