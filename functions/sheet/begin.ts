import type { PathInput } from '../../shared/api.ts'
import { Problem } from '../../shared/errors.ts'
import { sheetUploadKey } from '../../shared/task.ts'
import type { Caller } from '../kit/caller.ts'
import { openFiles } from '../kit/files.ts'
import { beginTask } from '../kit/task.ts'

/** As `beginTask`. Throws 60004 at `upload` unless the caller has uploaded the sheet. */
export const beginImport = async <K extends 'department/import' | 'employee/import' | 'schedule/import'>(
  caller: Caller,
  kind: K,
  input: PathInput<K>,
): Promise<{ task: string }> => {
  const upload = await openFiles(caller.company).read(sheetUploadKey(caller.employee.id, input.upload))
  if (!upload) throw new Problem(60004, { upload: 60004 })
  return beginTask(caller, kind, input)
}
