import { departmentImport } from '../functions/kit/department-import.ts'
import { departmentExport } from '../functions/kit/department-sheet.ts'
import { employeeImport } from '../functions/kit/employee-import.ts'
import { employeeExport } from '../functions/kit/employee-sheet.ts'
import { collectData } from '../functions/kit/personal-data.ts'
import { recordExport, temperatureExport } from '../functions/kit/record-sheet.ts'
import { mailReport, reportExport } from '../functions/kit/report-sheet.ts'
import { scheduleImport } from '../functions/kit/schedule-import.ts'
import { scheduleExport } from '../functions/kit/schedule-sheet.ts'
import { performing } from '../functions/kit/task-run.ts'
import { jobs } from '../shared/jobs.ts'
import type { SheetKind } from '../shared/task.ts'

// Long work that reads or makes files, by the path that began it. Reading sheets takes more code than everything else, and
// nobody waits for it to be loaded.

export const handler = performing<SheetKind>('sheet', jobs.sheet.facts, {
  'department/export': departmentExport,
  'department/import': departmentImport,
  'employee/data': collectData,
  'employee/export': employeeExport,
  'employee/import': employeeImport,
  'record/export': recordExport,
  'report/export': reportExport,
  'report/mail/send': mailReport,
  'schedule/export': scheduleExport,
  'schedule/import': scheduleImport,
  'temperature/export': temperatureExport,
})
