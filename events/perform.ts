import { previewAttparams, previewTime, recalculateRules, recalculateTime } from '../functions/attparams/task.ts'
import { eraseEmployee } from '../functions/erasure/task.ts'
import { previewHoliday, recalculateHolidays } from '../functions/holiday/task.ts'
import { performing } from '../functions/kit/task/run.ts'
import { recalculateNumber } from '../functions/record/orphan-task.ts'
import { previewLock, recalculateOpened } from '../functions/report/lock-task.ts'
import { schedulePlan, schedulePreview } from '../functions/schedule/task.ts'
import { previewShift, recalculateShift } from '../functions/shift/task.ts'
import { jobs } from '../shared/jobs.ts'
import type { PerformedKind } from '../shared/task.ts'

export const handler = performing<PerformedKind>('perform', jobs.perform.facts, () => ({
  'attparams/preview': previewAttparams,
  'attparams/update': recalculateRules,
  'company/time/preview': previewTime,
  'company/time/update': recalculateTime,
  'employee/erase': eraseEmployee,
  'holiday/add': recalculateHolidays,
  'holiday/delete': recalculateHolidays,
  'holiday/import': recalculateHolidays,
  'holiday/preview': previewHoliday,
  'holiday/update': recalculateHolidays,
  'record/orphan/assign': recalculateNumber,
  'record/orphan/return': recalculateNumber,
  'report/lock/preview': previewLock,
  'report/lock/update': recalculateOpened,
  'schedule/plan': schedulePlan,
  'schedule/preview': schedulePreview,
  'shift/preview': previewShift,
  'shift/update': recalculateShift,
}))
