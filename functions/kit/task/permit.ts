import type { api } from '../../../shared/api.ts'
import type { TaskKind } from '../../../shared/task.ts'
import { permit } from '../caller.ts'

/**
 * The permissions of tasks, as their paths declare them. Importing the paths would load all their code into the runner.
 * A value that differs from its path does not compile.
 */
const who = {
  'attparams/hours/preview': [5, 6],
  'attparams/hours/update': [5, 6],
  'attparams/preview': [5, 6],
  'attparams/update': [5, 6],
  'company/sample/load': 'administrator',
  'company/sample/remove': 'administrator',
  'company/time/preview': 'administrator',
  'company/time/update': 'administrator',
  'department/export': [1],
  'department/import': [1],
  'department/preview': [1],
  'department/update': [1],
  'device/number/update': [2],
  'employee/data': 'administrator',
  'employee/erase': 'administrator',
  'employee/export': [3],
  'employee/import': [3],
  'holiday/add': 'administrator',
  'holiday/delete': 'administrator',
  'holiday/import': 'administrator',
  'holiday/preview': 'administrator',
  'holiday/update': 'administrator',
  'record/export': [9],
  'record/orphan/assign': [9],
  'record/orphan/return': [9],
  'report/export': [8],
  'report/lock/preview': 'administrator',
  'report/lock/update': 'administrator',
  'report/mail/send': [8],
  'schedule/draft/update': [7],
  'schedule/export': [7],
  'schedule/import': [7],
  'schedule/plan': [7],
  'schedule/preview': [7],
  'schedule/publish': [7],
  'shift/preview': [6],
  'shift/update': [6],
  'temperature/export': [9, 11],
} as const satisfies { [K in TaskKind]: (typeof api)[K]['who'] }

/** Throws 60005 if the caller may not start this task. */
export const permitTask = (kind: TaskKind, by: Parameters<typeof permit>[1]): void => permit(who[kind], by)
