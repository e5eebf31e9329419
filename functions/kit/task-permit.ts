import { attparamsPaths } from '../../shared/attparams.ts'
import { companyPaths } from '../../shared/company.ts'
import type { Declaration } from '../../shared/contract.ts'
import { departmentPaths } from '../../shared/department.ts'
import { employeePaths } from '../../shared/employee.ts'
import { holidayPaths } from '../../shared/holiday.ts'
import { recordPaths } from '../../shared/record.ts'
import { reportPaths } from '../../shared/report.ts'
import { schedulePaths } from '../../shared/schedule.ts'
import { shiftPaths } from '../../shared/shift.ts'
import type { TaskKind } from '../../shared/task.ts'
import { temperaturePaths } from '../../shared/temperature.ts'
import { permit } from './caller.ts'

// Apart from what begins tasks: who asks for one has been let in, and need not know all paths there are.

/** Who may ask for what; of all paths those of these groups begin tasks. */
const declarations: Record<TaskKind, Declaration> = {
  ...attparamsPaths,
  ...companyPaths,
  ...departmentPaths,
  ...employeePaths,
  ...holidayPaths,
  ...recordPaths,
  ...reportPaths,
  ...schedulePaths,
  ...shiftPaths,
  ...temperaturePaths,
}

/** Throws 60005 where somebody may not ask for such a task. */
export const permitTask = (kind: TaskKind, by: Parameters<typeof permit>[1]): void => permit(declarations[kind].who, by)
