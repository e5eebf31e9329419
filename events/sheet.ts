import { performing } from '../functions/kit/task/run.ts'
import { jobs } from '../shared/jobs.ts'
import type { SheetKind } from '../shared/task.ts'

// Long work that reads or makes files. That takes more code than everything else: it is loaded when there is such work.

export const handler = performing<SheetKind>('sheet', jobs.sheet.facts, async () => {
  const { sheetWork } = await import('./sheet/work.ts')
  return sheetWork
})
