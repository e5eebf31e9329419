import type * as z from 'zod'
import { apikeyPaths } from './apikey.ts'
import { approvePaths } from './approve.ts'
import { attparamsPaths } from './attparams.ts'
import { auditPaths } from './audit.ts'
import { authPaths } from './auth.ts'
import { companyPaths } from './company.ts'
import type { Input, Output } from './contract.ts'
import { dashboardPaths } from './dashboard.ts'
import { departmentPaths } from './department.ts'
import { devicePaths } from './device.ts'
import { employeePaths } from './employee.ts'
import { exceptionPaths } from './exception.ts'
import { holidayPaths } from './holiday.ts'
import { leavePaths } from './leave.ts'
import { locationPaths } from './location.ts'
import { noticePaths } from './notice.ts'
import { personalPaths } from './personal.ts'
import { qrcodePaths } from './qrcode.ts'
import { recordPaths } from './record.ts'
import { reportPaths } from './report.ts'
import { rolePaths } from './role.ts'
import { schedulePaths } from './schedule.ts'
import { shiftPaths } from './shift.ts'
import { taskPaths } from './task.ts'
import { temperaturePaths } from './temperature.ts'
import { timezonePaths } from './timezone.ts'
import { userPaths } from './user.ts'
import { webhooksPaths } from './webhooks.ts'

/** The only list of path groups. A group is a path's first segment, a file in `functions/` and a Lambda. */
export const groups = {
  apikey: apikeyPaths,
  approve: approvePaths,
  attparams: attparamsPaths,
  audit: auditPaths,
  auth: authPaths,
  company: companyPaths,
  dashboard: dashboardPaths,
  department: departmentPaths,
  device: devicePaths,
  employee: employeePaths,
  exception: exceptionPaths,
  holiday: holidayPaths,
  leave: leavePaths,
  location: locationPaths,
  notice: noticePaths,
  personal: personalPaths,
  qrcode: qrcodePaths,
  record: recordPaths,
  report: reportPaths,
  role: rolePaths,
  schedule: schedulePaths,
  shift: shiftPaths,
  task: taskPaths,
  temperature: temperaturePaths,
  timezone: timezonePaths,
  user: userPaths,
  webhooks: webhooksPaths,
} as const

export type Group = keyof typeof groups

export const api = {
  ...apikeyPaths,
  ...approvePaths,
  ...attparamsPaths,
  ...auditPaths,
  ...authPaths,
  ...companyPaths,
  ...dashboardPaths,
  ...departmentPaths,
  ...devicePaths,
  ...employeePaths,
  ...exceptionPaths,
  ...holidayPaths,
  ...leavePaths,
  ...locationPaths,
  ...noticePaths,
  ...personalPaths,
  ...qrcodePaths,
  ...recordPaths,
  ...reportPaths,
  ...rolePaths,
  ...schedulePaths,
  ...shiftPaths,
  ...taskPaths,
  ...temperaturePaths,
  ...timezonePaths,
  ...userPaths,
  ...webhooksPaths,
} as const

export type Path = keyof typeof api
/** A handler's input after validation, with defaults. */
export type PathInput<P extends Path> = Input<(typeof api)[P]>
/** A caller's input, in which fields with a default are optional. */
export type PathCall<P extends Path> = z.input<(typeof api)[P]['input']>
export type PathOutput<P extends Path> = Output<(typeof api)[P]>
