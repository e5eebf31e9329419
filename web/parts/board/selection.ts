// The selection on the board, from its anchor to its active cell.

export interface Place {
  row: number
  column: number
}

export interface Selection {
  /** The focused cell, which is the other end of the selection. */
  active: Place
  anchor: Place
  /** The first tap has begun the selection, and a second tap may extend it. */
  isBegun?: true
  /** Another part of the page has set the selection, so the board scrolls to it. */
  isSought?: true
}

/** A rectangle of rows and columns, all four ends included. */
export interface Area {
  top: number
  bottom: number
  left: number
  right: number
}

/** An area and how far a drag moves it. */
export interface Move {
  area: Area
  rows: number
  columns: number
}

/** The movement from the anchor to the active cell, as far as the area stays on a board with these last cells. */
export const moveWithin = (area: Area, { active, anchor }: Selection, last: Place): Move => {
  const within = (by: number, least: number, most: number) => Math.max(least, Math.min(most, by))
  return {
    area,
    rows: within(active.row - anchor.row, -area.top, last.row - area.bottom),
    columns: within(active.column - anchor.column, -area.left, last.column - area.right),
  }
}

export const areaOf = ({ active, anchor }: Selection): Area => ({
  top: Math.min(active.row, anchor.row),
  bottom: Math.max(active.row, anchor.row),
  left: Math.min(active.column, anchor.column),
  right: Math.max(active.column, anchor.column),
})
