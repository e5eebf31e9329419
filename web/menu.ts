import { administratorPages, type Permission, permissions, roles } from '../shared/permissions.ts'
import { type Person, usePerson } from './session.tsx'

// The only table of the site's pages, in the order of the sidebar. The guard, the top menu and the sidebar read it. The
// menus use the permissions of the API paths, so they show only pages that the user may open. In each group the
// specified pages come first, because a group opens the first page that the user may open.

export const groups = ['organization', 'shift', 'record', 'system'] as const
export type GroupName = (typeof groups)[number]

export interface Page {
  path: `/${string}`
  /** The locale key of the page's name in the menu: `nav.<name>`. */
  name:
    | 'dashboard'
    | 'timecard'
    | 'request'
    | 'guid'
    | 'department'
    | 'employee'
    | 'person'
    | 'device'
    | 'schedule'
    | 'shift'
    | 'params'
    | 'hours'
    | 'approve'
    | 'leave'
    | 'record'
    | 'exception'
    | 'report'
    | 'close'
    | 'temperature'
    | 'company'
    | 'basic'
    | 'role'
    | 'holiday'
    | 'requestParams'
    | 'audit'
    | 'application'
  /** The side that has the page. Without a side, both sides have it. */
  side?: Person['type']
  group?: GroupName
  /** Menus omit the page, and only links lead to it. */
  isUnlisted?: true
}

export const pages: readonly Page[] = [
  { path: '/dashboard', name: 'dashboard' },
  { path: '/timecard', name: 'timecard', side: 'user' },
  { path: '/request', name: 'request', side: 'user' },
  { path: '/guid', name: 'guid', isUnlisted: true },
  { path: '/department', name: 'department', side: 'management', group: 'organization' },
  { path: '/employee', name: 'employee', side: 'management', group: 'organization' },
  { path: '/employee/:id', name: 'person', side: 'management', group: 'organization', isUnlisted: true },
  { path: '/device', name: 'device', side: 'management', group: 'organization' },
  { path: '/schedule', name: 'schedule', side: 'management', group: 'shift' },
  { path: '/shift', name: 'shift', side: 'management', group: 'shift' },
  { path: '/approve', name: 'approve', side: 'management', group: 'shift' },
  { path: '/shift/params', name: 'params', side: 'management', group: 'shift' },
  { path: '/leave', name: 'leave', side: 'management', group: 'shift' },
  { path: '/shift/hours', name: 'hours', side: 'management', group: 'shift' },
  { path: '/record', name: 'record', side: 'management', group: 'record' },
  { path: '/report', name: 'report', side: 'management', group: 'record' },
  { path: '/temperature', name: 'temperature', side: 'management', group: 'record' },
  { path: '/exception', name: 'exception', side: 'management', group: 'record' },
  { path: '/report/close', name: 'close', side: 'management', group: 'record' },
  { path: '/system/company', name: 'company', side: 'management', group: 'system' },
  { path: '/system/basic', name: 'basic', side: 'management', group: 'system' },
  { path: '/system/role', name: 'role', side: 'management', group: 'system' },
  { path: '/system/holiday', name: 'holiday', side: 'management', group: 'system' },
  { path: '/system/Application', name: 'application', side: 'management', group: 'system' },
  { path: '/system/request', name: 'requestParams', side: 'management', group: 'system' },
  { path: '/system/audit', name: 'audit', side: 'management', group: 'system' },
]

/** The page of one person. */
export const personPath = '/employee/:id'
const isPerson = /^\/employee\/[^/]+$/

/** The page at an address. */
export const pageAt = (address: string): Page | undefined =>
  pages.find(({ path }) => path === address || (path === personPath && isPerson.test(address)))

/** The permission numbers that each open a page. Without any, every signed-in person may open the page. */
const permissionsFor = (path: string) =>
  Object.entries(permissions)
    .filter(([, { pages }]) => (pages as readonly string[]).includes(path))
    .map(([number]) => Number(number) as Permission)

const isAdministratorPage = (path: string) => (administratorPages as readonly string[]).includes(path)

type Viewer = Pick<Person, 'type' | 'role' | 'auth_item'>

export const mayOpen = (page: Page, person: Viewer) => {
  if (page.side && page.side !== person.type) return false
  if (isAdministratorPage(page.path)) return person.role === roles.administrator
  const needed = permissionsFor(page.path)
  if (needed.length === 0 || person.role === roles.administrator) return true
  return needed.some(number => person.auth_item.some(item => item.id === number))
}

/** Returns a function that says whether the user may open the page at a path, to show or hide links. */
export const useMayOpen = () => {
  const person = usePerson()
  return (path: string) => pages.some(page => page.path === path && mayOpen(page, person))
}

/** The pages of a group that a person may open. The group's menu entry leads to the first page. */
export const pagesOf = (group: GroupName, person: Viewer) =>
  pages.filter(page => page.group === group && !page.isUnlisted && mayOpen(page, person))

/** The sidebar of a page: the pages of its group. The employee's request page is alone in its sidebar. */
export const sidebarOf = (page: Page, person: Viewer) =>
  page.group ? pagesOf(page.group, person) : page.name === 'request' ? [page] : []

/** The pages without a group that a person sees in the menu. */
export const singlePages = (person: Viewer) =>
  pages.filter(page => !page.group && !page.isUnlisted && mayOpen(page, person))

/**
 * Returns the address for a page: the page itself, another permitted page of its group, or `/404`. Without a signed-in
 * person, returns the sign-in page with a redirect back.
 */
export const guard = (page: Page, person: Viewer | undefined) => {
  if (!person) return `/login?redirect=${encodeURIComponent(page.path)}`
  if (mayOpen(page, person)) return page.path
  const other = page.group && pagesOf(page.group, person)[0]
  return other?.path ?? '/404'
}
