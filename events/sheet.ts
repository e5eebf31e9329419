import { performing } from '../functions/kit/task/run.ts'
import { jobs } from '../shared/jobs.ts'
import type { SheetKind } from '../shared/task.ts'

// Tasks that read or write files. Loads their code on demand, because it is larger than all other code.

export const handler = performing<SheetKind>('sheet', jobs.sheet.facts, async () => {
  const { sheetWork } = await import('./sheet/work.ts')
  return sheetWork
})
