import { type ComponentType, lazy } from 'react'
import type { Page } from './menu.ts'

/** The component of each page, loaded when the page opens. */
export const views: Record<Page['name'], ComponentType> = {
  dashboard: lazy(() => import('./pages/dashboard.tsx')),
  timecard: lazy(() => import('./pages/timecard.tsx')),
  request: lazy(() => import('./pages/request.tsx')),
  guid: lazy(() => import('./pages/guid.tsx')),
  department: lazy(() => import('./pages/department.tsx')),
  employee: lazy(() => import('./pages/employee.tsx')),
  person: lazy(() => import('./pages/person.tsx')),
  device: lazy(() => import('./pages/device.tsx')),
  schedule: lazy(() => import('./pages/schedule.tsx')),
  shift: lazy(() => import('./pages/shift.tsx')),
  params: lazy(() => import('./pages/params.tsx')),
  hours: lazy(() => import('./pages/hours.tsx')),
  approve: lazy(() => import('./pages/approve.tsx')),
  leave: lazy(() => import('./pages/leave.tsx')),
  record: lazy(() => import('./pages/record.tsx')),
  exception: lazy(() => import('./pages/exception.tsx')),
  report: lazy(() => import('./pages/report.tsx')),
  close: lazy(() => import('./pages/close.tsx')),
  temperature: lazy(() => import('./pages/temperature.tsx')),
  company: lazy(() => import('./pages/company.tsx')),
  basic: lazy(() => import('./pages/basic.tsx')),
  role: lazy(() => import('./pages/role.tsx')),
  holiday: lazy(() => import('./pages/holiday.tsx')),
  requestParams: lazy(() => import('./pages/request-params.tsx')),
  audit: lazy(() => import('./pages/audit.tsx')),
  application: lazy(() => import('./pages/application.tsx')),
}
