import { administratorPages, type Permission, permissions, roles } from '../shared/permissions.ts'
import { type Person, usePerson } from './session.tsx'

// The one table of the site's pages. The guard, the top menu and the sidebar read it, and the permissions it stands on are
// those of the paths, so that nothing is shown that may not be opened. Order is the sidebar's.

export const groups = ['organization', 'shift', 'record', 'system'] as const
export type GroupName = (typeof groups)[number]

export interface Page {
  path: `/${string}`
  /** Its name in the menu: `nav.<name>`. */
  name:
    | 'dashboard'
    | 'timecard'
    | 'request'
    | 'guid'
    | 'department'
    | 'employee'
    | 'device'
    | 'schedule'
    | 'shift'
    | 'params'
    | 'approve'
    | 'leave'
    | 'record'
    | 'exception'
    | 'report'
    | 'temperature'
    | 'company'
    | 'basic'
    | 'role'
    | 'holiday'
    | 'requestParams'
    | 'audit'
    | 'application'
  /** Which side it is for; without one, both. */
  side?: Person['type']
  group?: GroupName
  /** No menu shows it; a link leads there. */
  isUnlisted?: true
}

export const pages: readonly Page[] = [
  { path: '/dashboard', name: 'dashboard' },
  { path: '/timecard', name: 'timecard', side: 'user' },
  { path: '/request', name: 'request', side: 'user' },
  { path: '/guid', name: 'guid', isUnlisted: true },
  { path: '/department', name: 'department', side: 'management', group: 'organization' },
  { path: '/employee', name: 'employee', side: 'management', group: 'organization' },
  { path: '/device', name: 'device', side: 'management', group: 'organization' },
  { path: '/schedule', name: 'schedule', side: 'management', group: 'shift' },
  { path: '/shift', name: 'shift', side: 'management', group: 'shift' },
  { path: '/shift/params', name: 'params', side: 'management', group: 'shift' },
  { path: '/approve', name: 'approve', side: 'management', group: 'shift' },
  { path: '/leave', name: 'leave', side: 'management', group: 'shift' },
  { path: '/record', name: 'record', side: 'management', group: 'record' },
  { path: '/exception', name: 'exception', side: 'management', group: 'record' },
  { path: '/report', name: 'report', side: 'management', group: 'record' },
  { path: '/temperature', name: 'temperature', side: 'management', group: 'record' },
  { path: '/system/company', name: 'company', side: 'management', group: 'system' },
  { path: '/system/basic', name: 'basic', side: 'management', group: 'system' },
  { path: '/system/role', name: 'role', side: 'management', group: 'system' },
  { path: '/system/holiday', name: 'holiday', side: 'management', group: 'system' },
  { path: '/system/request', name: 'requestParams', side: 'management', group: 'system' },
  { path: '/system/audit', name: 'audit', side: 'management', group: 'system' },
  { path: '/system/application', name: 'application', side: 'management', group: 'system' },
]

/** The permission numbers of which one opens a page; none means that being signed in is enough. */
const needs = (path: string) =>
  Object.entries(permissions)
    .filter(([, { pages }]) => (pages as readonly string[]).includes(path))
    .map(([number]) => Number(number) as Permission)

const isAdministratorPage = (path: string) => (administratorPages as readonly string[]).includes(path)

type Who = Pick<Person, 'type' | 'role' | 'auth_item'>

export const mayOpen = (page: Page, person: Who) => {
  if (page.side && page.side !== person.type) return false
  if (isAdministratorPage(page.path)) return person.role === roles.administrator
  const needed = needs(page.path)
  if (needed.length === 0 || person.role === roles.administrator) return true
  return needed.some(number => person.auth_item.some(item => item.id === number))
}

/** Whether the signed-in person may open the page at a path, for links that lead there. */
export const useMayOpen = () => {
  const person = usePerson()
  return (path: string) => pages.some(page => page.path === path && mayOpen(page, person))
}

/** The pages of a group that a person may open; its menu entry points at the first. */
export const pagesOf = (group: GroupName, person: Who) =>
  pages.filter(page => page.group === group && mayOpen(page, person))

/** What stands beside a page: its group, and on the employee side what one asked for by itself. */
export const sidebarOf = (page: Page, person: Who) =>
  page.group ? pagesOf(page.group, person) : page.name === 'request' ? [page] : []

/** The pages outside of any group that the menu shows a person. */
export const singlePages = (person: Who) =>
  pages.filter(page => !page.group && !page.isUnlisted && mayOpen(page, person))

/**
 * Where somebody who asks for a page is led: to it, else to another page of its group they may open, else to `/404`.
 * Who is not signed in is led to sign-in and back.
 */
export const guard = (page: Page, person: Who | undefined) => {
  if (!person) return `/login?redirect=${encodeURIComponent(page.path)}`
  if (mayOpen(page, person)) return page.path
  const other = page.group && pagesOf(page.group, person)[0]
  return other?.path ?? '/404'
}
