import { departmentImport } from '../../functions/department/import.ts'
import { departmentExport } from '../../functions/department/sheet.ts'
import { employeeImport } from '../../functions/employee/import.ts'
import { employeeExport } from '../../functions/employee/sheet.ts'
import type { Kinds } from '../../functions/kit/task/run.ts'
import { collectData } from '../../functions/personal/data.ts'
import { recordExport, temperatureExport } from '../../functions/record/sheet.ts'
import { mailReport, reportExport } from '../../functions/report/sheet.ts'
import { scheduleImport } from '../../functions/schedule/import.ts'
import { scheduleExport } from '../../functions/schedule/sheet.ts'
import type { SheetKind } from '../../shared/task.ts'

/** Tasks that read or write files, by path. */
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
