import { departmentImport } from '../functions/kit/department-import.ts'
import { departmentExport } from '../functions/kit/department-sheet.ts'
import { employeeImport } from '../functions/kit/employee-import.ts'
import { employeeExport } from '../functions/kit/employee-sheet.ts'
import { eraseEmployee } from '../functions/kit/erasure-task.ts'
import { previewHoliday, recalculateHolidays } from '../functions/kit/holiday-task.ts'
import { job } from '../functions/kit/job.ts'
import { log } from '../functions/kit/log.ts'
import { collectData } from '../functions/kit/personal-data.ts'
import { previewAttparams, previewTime, recalculateRules } from '../functions/kit/rule.ts'
import { scheduleImport } from '../functions/kit/schedule-import.ts'
import { schedulePlan, schedulePreview } from '../functions/kit/schedule-plan.ts'
import { scheduleExport } from '../functions/kit/schedule-sheet.ts'
import { previewShift, recalculateShift } from '../functions/kit/shift.ts'
import { carryOut, type Kinds } from '../functions/kit/task-run.ts'
import { jobs } from '../shared/jobs.ts'

// Long work, by the path that began it.

const kinds: Kinds = {
  'attparams/preview': previewAttparams,
  'attparams/update': recalculateRules,
  'company/time/preview': previewTime,
  'company/time/update': recalculateRules,
  'department/export': departmentExport,
  'department/import': departmentImport,
  'employee/data': collectData,
  'employee/erase': eraseEmployee,
  'employee/export': employeeExport,
  'employee/import': employeeImport,
  'holiday/add': recalculateHolidays,
  'holiday/delete': recalculateHolidays,
  'holiday/import': recalculateHolidays,
  'holiday/preview': previewHoliday,
  'holiday/update': recalculateHolidays,
  'schedule/export': scheduleExport,
  'schedule/import': scheduleImport,
  'schedule/plan': schedulePlan,
  'schedule/preview': schedulePreview,
  'shift/preview': previewShift,
  'shift/update': recalculateShift,
}

export const handler = job('perform', jobs.perform.facts, async told => {
  const failed: string[] = []
  for (const { fact, message } of told)
    try {
      await carryOut(kinds, fact)
    } catch (error) {
      failed.push(message)
      log({ job: 'perform', fact, fault: error instanceof Error ? error.stack : String(error) })
    }
  return failed
})
