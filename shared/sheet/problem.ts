import type { SheetProblem } from '../task.ts'

// What is wrong in a cell, said more plainly than by its code where one knows what stands there: the sentences under `wrong` of
// sheet.json, for the screen and for the sheet one gets back.

interface Told extends Pick<SheetProblem, 'row' | 'field'> {
  code: number
  value?: string | undefined
  about?: { withDay?: string | undefined } | undefined
}

/** The name of the sentence; undefined where that of the code is the plainest there is. `count` is how many problems there are. */
export const plainWord = (isSchedule: boolean, { row, field, code, value, about }: Told, count: number) => {
  // Who sends a template back as it was has filled nothing.
  if (count === 1 && row === 2 && code === 60001 && value === undefined) return 'nothing'
  if (!isSchedule) return undefined
  if (code === 59014) return 'twice'
  if (code === 60043) return field === 'workno' ? 'nobody' : 'shift'
  if (field === 'day') return 'noDay'
  return about?.withDay === undefined ? undefined : 'conflict'
}
