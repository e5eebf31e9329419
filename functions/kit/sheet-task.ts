import type { SheetKind } from '../../shared/task.ts'
import { departmentImport } from './department-import.ts'
import { departmentExport } from './department-sheet.ts'
import { employeeImport } from './employee-import.ts'
import { employeeExport } from './employee-sheet.ts'
import { collectData } from './personal-data.ts'
import { recordExport, temperatureExport } from './record-sheet.ts'
import { mailReport, reportExport } from './report-sheet.ts'
import { scheduleImport } from './schedule-import.ts'
import { scheduleExport } from './schedule-sheet.ts'
import type { Kinds } from './task-run.ts'

/** Long work that reads or makes files, by the path that began it. */
export const sheetWork: Kinds<SheetKind> = {
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
}
