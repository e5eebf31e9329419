// What is selected on the board: from where it was begun to where it reaches.

export interface Place {
  row: number
  column: number
}

export interface Selection {
  /** The cell that has the focus; the selection reaches to it. */
  active: Place
  anchor: Place
  /** A finger has begun it and may say by a second tap how far it reaches. */
  isBegun?: true
  /** It was sought from outside of the board, which brings it into sight. */
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
