import type { SheetProblem } from '../task.ts'

// Plainer sentences for a cell's problem than its code's sentence, if the cell's content is known. `wrong` in
// sheet.json holds them, for the screen and for the returned sheet.

interface CellProblem extends Pick<SheetProblem, 'row' | 'field'> {
  code: number
  value?: string | undefined
  about?: { withDay?: string | undefined } | undefined
}

/**
 * The key of the plainer sentence. Undefined if the code's sentence is plain enough. `count` is the number of problems.
 */
export const plainWord = (isSchedule: boolean, { row, field, code, value, about }: CellProblem, count: number) => {
  // The sheet is an unchanged template without rows.
  if (count === 1 && row === 2 && code === 60001 && value === undefined) return 'nothing'
  if (!isSchedule) return undefined
  if (code === 59014) return 'twice'
  if (code === 60043) return field === 'workno' ? 'nobody' : 'shift'
  if (field === 'day') return 'noDay'
  return about?.withDay === undefined ? undefined : 'conflict'
}
