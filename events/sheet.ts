import { performing } from '../functions/kit/task/run.ts'
import { jobs } from '../shared/jobs.ts'
import type { SheetKind } from '../shared/task.ts'

// Tasks that read or write files. Their code is larger than everything else, so it is loaded on demand.

export const handler = performing<SheetKind>('sheet', jobs.sheet.facts, async () => {
  const { sheetWork } = await import('./sheet/work.ts')
  return sheetWork
})
