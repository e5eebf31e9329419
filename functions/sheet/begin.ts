import type { PathInput } from '../../shared/api.ts'
import { Problem } from '../../shared/errors.ts'
import { sheetUploadKey } from '../../shared/task.ts'
import type { Caller } from '../kit/caller.ts'
import { openFiles } from '../kit/files.ts'
import { beginTask } from '../kit/task.ts'

/** As `beginTask`, for a sheet that must have been sent by whoever asks. */
export const beginImport = async <K extends 'department/import' | 'employee/import' | 'schedule/import'>(
  caller: Caller,
  kind: K,
  input: PathInput<K>,
): Promise<{ task: string }> => {
  const sent = await openFiles(caller.company).read(sheetUploadKey(caller.employee.id, input.upload))
  if (!sent) throw new Problem(60004, { upload: 60004 })
  return beginTask(caller, kind, input)
}
