import { previewAttparams, previewTime, recalculateRules, recalculateTime } from '../functions/attparams/task.ts'
import { previewDepartment } from '../functions/department/task.ts'
import { eraseEmployee } from '../functions/erasure/task.ts'
import { previewHoliday, recalculateHolidays } from '../functions/holiday/task.ts'
import { previewHours, recalculateHours } from '../functions/hours/task.ts'
import { performing } from '../functions/kit/task/run.ts'
import { recalculateNumber } from '../functions/record/orphan-task.ts'
import { renumber } from '../functions/record/terminal-number-task.ts'
import { previewLock, recalculateOpened } from '../functions/report/lock-task.ts'
import { loadSampleData, removeSampleData } from '../functions/sample/task.ts'
import { schedulePublish } from '../functions/schedule/publish.ts'
import { scheduleDraft, schedulePlan, schedulePreview } from '../functions/schedule/task.ts'
import { previewShift, recalculateShift } from '../functions/shift/task.ts'
import { jobs } from '../shared/jobs.ts'
import type { PerformedKind } from '../shared/task.ts'

export const handler = performing<PerformedKind>('perform', jobs.perform.facts, () => ({
  'attparams/hours/preview': previewHours,
  'attparams/hours/update': recalculateHours,
  'attparams/preview': previewAttparams,
  'attparams/update': recalculateRules,
  'company/sample/load': loadSampleData,
  'company/sample/remove': removeSampleData,
  'company/time/preview': previewTime,
  'company/time/update': recalculateTime,
  'department/preview': previewDepartment,
  'department/update': recalculateHolidays,
  'device/number/update': renumber,
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
  'schedule/draft/update': scheduleDraft,
  'schedule/plan': schedulePlan,
  'schedule/preview': schedulePreview,
  'schedule/publish': schedulePublish,
  'shift/preview': previewShift,
  'shift/update': recalculateShift,
}))
