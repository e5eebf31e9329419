import { readFileSync } from 'node:fs'
import type { Page } from '@playwright/test'
import { tier } from '../kit/tier.ts'
import { axeFindings, call, expect, newCompany, openAs, settled, test, tokenOf, type Who } from './site.ts'

// A walk through the site: every route for five kinds of user, in four languages, two themes and three widths. Each
// page must log no error, violate no rule of axe and fit the window. On small screens, its touch targets must have 44
// px. It must write dates in the company's format, and contain no English in another language. `npm run walk` saves a
// picture of each look.

export const kinds = ['stranger', 'employee', 'supervisor', 'administrator', 'founder'] as const
/** A founder has two empty companies, so the founder sees every page in its empty state. */
export type Kind = (typeof kinds)[number]

export const languages = ['en', 'zh', 'es', 'el'] as const
export const themes = ['light', 'dark'] as const
export const windows = [
  { width: 1440, height: 900 },
  { width: 1024, height: 768 },
  { width: 390, height: 844 },
] as const
export interface Look {
  language: (typeof languages)[number]
  theme: (typeof themes)[number]
  window: (typeof windows)[number]
}

const everyUserPages = ['/dashboard']
const employeePages = ['/timecard', '/request']
const supervisorPages = [
  ...[
    '/department',
    '/employee',
    '/employee/:id',
    '/device',
    '/schedule',
    '/shift',
    '/shift/params',
    '/shift/hours',
    '/approve',
    '/leave',
  ],
  ...['/record', '/exception', '/report', '/report/close', '/temperature'],
]
const administratorPages = [
  ...['/system/company', '/system/basic', '/system/role', '/system/holiday', '/system/request', '/system/audit'],
  '/system/Application',
]
const strangerPages = ['/login', '/login/employee', '/login/sign', '/login/link', '/register', '/forget/email', '/join']
const publicPages = ['/expired', '/terms', '/privacy', '/help', '/404']
/** Pages outside the frame for signed-in users. */
const accountPages = ['/organization', '/organization/new', '/printGlobal', '/printUser']
/** Redirects that apply to every kind of user. */
const redirects: Record<string, string> = {
  '/': '/dashboard',
  '/system': '/system/company',
  '/forget': '/forget/email',
}

export const routes = [
  ...Object.keys(redirects),
  ...everyUserPages,
  '/guid',
  ...employeePages,
  ...supervisorPages,
  ...administratorPages,
  ...strangerPages,
  ...publicPages,
  ...accountPages,
]

/** The routes in the source of the site. */
export const routesOfSite = () => {
  const sources = ['web/main.tsx', 'web/framed.tsx', 'web/menu.ts'].map(file => readFileSync(file, 'utf8')).join('\n')
  return [...sources.matchAll(/\bpath(?:=|: )["'](\/[^"'*]*)["']/g)].map(([, path = '']) => path)
}

/** The pages that each kind may open, by the permission table. All remaining pages are missing for the kind. */
const openPages: Record<Kind, readonly string[]> = {
  stranger: [...strangerPages, ...publicPages],
  employee: [...everyUserPages, ...employeePages],
  supervisor: [...everyUserPages, '/guid', ...supervisorPages],
  administrator: [...everyUserPages, '/guid', ...supervisorPages, ...administratorPages],
  founder: [...everyUserPages, '/guid', ...supervisorPages, ...administratorPages],
}

/** The address at which a user of the kind lands after opening a route, with redirects. */
export const landing = (kind: Kind, route: string): string => {
  const path = redirects[route] ?? route
  if (path === '/forget/email' && kind !== 'stranger') return '/dashboard'
  if (openPages[kind].includes(path) || strangerPages.includes(path) || publicPages.includes(path)) return path
  if (kind === 'stranger') return `/login?redirect=${encodeURIComponent(path)}`
  return kind === 'employee' && path === '/guid' ? '/dashboard' : '/404'
}

/** The queries of further views of a page. */
const views: Record<string, readonly string[]> = {
  '/timecard': ['?view=list'],
  '/request': ['?new=leave'],
  '/system/basic': ['?show=temperature'],
  '/system/Application': ['?tab=keys'],
  '/department': ['?new=yes'],
  '/leave': ['?view=calendar'],
  '/employee': ['?new=yes'],
  '/employee/:id': ['?tab=days', '?tab=schedule', '?tab=leave', '?tab=details', '?tab=signIn'],
  '/shift': ['?new=yes'],
  '/system/role': ['?new=yes'],
  '/system/holiday': ['?new=yes'],
}

/** The addresses that the walk opens for a kind. */
export const addressesOf = (kind: Kind): string[] => [
  ...openPages[kind].flatMap(path => ['', ...(views[path] ?? [])].map(query => path + query)),
  ...(kind === 'administrator' ? ['/organization?choose', '/organization/new', '/printGlobal'] : []),
]

const demoUsers: Partial<Record<Kind, Who>> = {
  employee: 'employee',
  supervisor: 'manager',
  administrator: 'administrator',
}
let founder: Promise<string> | undefined
const addFounder = async () => {
  const second = { company_name: 'Second Olive', timezone: 'Europe/Athens' }
  const key = { 'idempotency-key': crypto.randomUUID() }
  return String((await call('company/add', second, await newCompany(), key)).token)
}

/** Opens a page as a user of a kind. */
export const openFor = async (page: Page, kind: Kind, path: string, look?: { language: string; theme: string }) => {
  if (kind === 'stranger') return openAs(page, 'stranger', path, look)
  founder ??= kind === 'founder' ? addFounder() : undefined
  const demo = demoUsers[kind]
  const token = demo ? await tokenOf(demo) : ((await founder) ?? '')
  return openAs(page, { token }, path, look)
}

type Texts = { [key: string]: string | Texts }
const valuesOf = (texts: Texts): string[] =>
  Object.values(texts).flatMap(value => (typeof value === 'string' ? [value] : valuesOf(value)))
const catalogueNames = [
  ...['apikey', 'approve', 'audit', 'chart', 'company', 'dashboard', 'department', 'device', 'employee', 'error'],
  ...['exception', 'explain', 'forget', 'help', 'holiday', 'join', 'leave', 'lock', 'login', 'notice', 'organization'],
  ...[
    'params',
    'person',
    'personal',
    'preview',
    'print',
    'profile',
    'punch',
    'quick',
    'reason',
    'record',
    'register',
    'report',
  ],
  ...['report-mail', 'request', 'role', 'schedule', 'sheet', 'shell', 'shift', 'task', 'temperature', 'webhooks'],
]
const readCatalogue = (language: string) =>
  catalogueNames.flatMap(noun => valuesOf(JSON.parse(readFileSync(`shared/locales/${language}/${noun}.json`, 'utf8'))))

const catalogues = new Map<string, { text: string; values: ReadonlySet<string> }>()
const catalogueOf = (language: string) => {
  const cached = catalogues.get(language)
  if (cached) return cached
  const values = readCatalogue(language)
  const catalogue = { text: values.join('\n').toLowerCase(), values: new Set(values) }
  catalogues.set(language, catalogue)
  return catalogue
}

/** Names that are the same in every language. */
const names = new Set([
  ...['utc', 'gmt', 'english', 'español', 'espa', 'csv', 'xlsx', 'pdf', 'png', 'jpeg'],
  ...Intl.supportedValuesOf('timeZone').flatMap(zone => zone.toLowerCase().split(/[^a-z]/)),
])

/** All texts of a page, including those for screen readers. */
const wordsOn = (page: Page) =>
  page.evaluate(() => {
    const texts: string[] = []
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    while (walker.nextNode()) {
      const parent = walker.currentNode.parentElement
      if (parent && !parent.closest('script, style, noscript, code')) texts.push(walker.currentNode.textContent ?? '')
    }
    for (const element of document.body.querySelectorAll('[aria-label], [title], [placeholder], [alt]'))
      for (const name of ['aria-label', 'title', 'placeholder', 'alt']) texts.push(element.getAttribute(name) ?? '')
    return [document.title, ...texts].map(text => text.trim()).filter(Boolean)
  })

/** The English texts on a page in another language, except data and names. */
const englishOn = async (page: Page, language: string, data: readonly string[]): Promise<string[]> => {
  if (language === 'en') return []
  const { text, values } = catalogueOf(language)
  const dataText = data.join('\n').toLowerCase()
  const texts = [...new Set(await wordsOn(page))]
  // Spanish uses the letters of English, so compare whole texts with the English catalogue.
  if (language === 'es') {
    const english = catalogueOf('en').values
    return texts.filter(
      shownText =>
        /[a-z]{3}/i.test(shownText) &&
        english.has(shownText) &&
        !values.has(shownText) &&
        !names.has(shownText.toLowerCase()) &&
        !dataText.includes(shownText.toLowerCase()),
    )
  }
  return texts.filter(shownText =>
    (shownText.match(/[a-z]{3,}/gi) ?? []).some(word => {
      const tiny = word.toLowerCase()
      return !names.has(tiny) && !text.includes(tiny) && !dataText.includes(tiny)
    }),
  )
}

/**
 * The controls that are too small for a finger. A touch in the square of 44 px around a control's centre must hit the
 * control.
 */
const tooSmall = (page: Page) =>
  page.evaluate(() => {
    const minimum = 44
    const controls =
      'a[href], button, input, select, textarea, summary, [role="tab"], [role="option"], [role="menuitem"]'
    // Ignores the bars of a chart, which are only as wide as their day. The table beside the chart has the same
    // content.
    const isSeen = (element: Element) =>
      !element.closest('svg') && element.checkVisibility({ opacityProperty: true, visibilityProperty: true })
    const isIn = (element: Element, hit: Element | null) =>
      hit !== null &&
      (element.contains(hit) ||
        hit.closest('label')?.contains(element) ||
        hit.closest('.can-open')?.contains(element) ||
        (!element.matches('button') &&
          hit.closest('.input, .ms-TextField-fieldGroup, .ms-ComboBox')?.contains(element)))
    /** The target of a checkbox or radio includes its label. */
    const targetOf = (element: Element) =>
      (element.matches('[type="checkbox"], [type="radio"]') && element.closest('label')) || element
    /** A link in a sentence is only as high as its line, so it is exempt. */
    const isInSentence = (element: Element) =>
      [...(element.parentElement?.childNodes ?? [])].some(
        node => node.nodeType === Node.TEXT_NODE && (node.textContent ?? '').trim().length > 1,
      )
    const tiny: string[] = []
    for (const element of document.querySelectorAll<HTMLElement>(controls)) {
      if (!isSeen(element) || element.closest('[inert], .skip, .unseen') || element.matches(':disabled')) continue
      const overlay = document.querySelector('dialog[open], .ms-Panel')
      if (overlay && !overlay.contains(element)) continue
      const before = targetOf(element).getBoundingClientRect()
      if (before.width <= 2 || before.height <= 2 || (before.width >= minimum && before.height >= minimum)) continue
      if (isInSentence(element)) continue
      element.scrollIntoView({ block: 'center', inline: 'center' })
      const { left, top, width, height } = targetOf(element).getBoundingClientRect()
      const [x, y, distance] = [left + width / 2, top + height / 2, minimum / 2 - 1]
      const points: [number, number][] = [
        ...(height < minimum
          ? ([
              [x, y - distance],
              [x, y + distance],
            ] as [number, number][])
          : []),
        ...(width < minimum
          ? ([
              [x - distance, y],
              [x + distance, y],
            ] as [number, number][])
          : []),
      ]
      const missed = points
        .map(([x, y]) => document.elementFromPoint(x, y))
        .find(hit => hit !== null && !isIn(element, hit))
      if (missed) {
        const name = element.getAttribute('aria-label') ?? element.textContent?.trim().slice(0, 30)
        tiny.push(
          `${element.tagName.toLowerCase()}.${element.className} “${name}” ${Math.round(width)}×${Math.round(height)}, beside it ${missed.tagName.toLowerCase()}.${missed.className}`,
        )
      }
    }
    return [...new Set(tiny)]
  })

/**
 * Collects all texts in the server's answers, without the field names, because data may be in any language. Returns a
 * function that waits for the answers on their way.
 */
const hearData = (page: Page): (() => Promise<string[]>) => {
  const data: string[] = []
  const readings: Promise<unknown>[] = []
  page.on('response', response => {
    if (!/\/(api|demo)\//.test(response.url())) return
    // The browser drops the body of an answer when the page leaves. The demo answers the same again.
    const readAgain = () => page.request.get(response.url()).then(again => again.json())
    const reading = response
      .json()
      .catch(() => (response.url().includes('/demo/') ? readAgain() : []))
      .then(answer => data.push(...valuesOf(answer)))
    readings.push(reading.catch(() => undefined))
  })
  return async () => {
    await Promise.all(readings)
    return data
  }
}

/** Opens an address as a link would, without a reload, and waits for the new heading. */
export const goTo = async (page: Page, address: string) => {
  // Another address of the same page keeps the heading.
  if (new URL(page.url()).pathname === new URL(address, page.url()).pathname) {
    await page.goto(address)
    return
  }
  await page.evaluate(address => {
    const heading = document.querySelector('h1')
    if (heading) heading.dataset.left = 'yes'
    history.pushState(null, '', address)
    dispatchEvent(new PopStateEvent('popstate', { state: null }))
  }, address)
  await expect(page.locator('h1:not([data-left])')).toHaveCount(1)
}

/** Makes the site show dates like 27/11/2026. The demo company shows 2026-11-27, the format of stored dates. */
const chooseDateFormat = (page: Page) =>
  page.route(/\/api\/(auth|company)\/get$/, async route => {
    const response = await route.fetch()
    const { data, ...answer } = await response.json()
    const chosen = data && { ...data, ...('dateformat' in data ? { dateformat: 'DD/MM/YYYY' } : { dateformat_id: 2 }) }
    await route.fulfill({ response, json: { ...answer, data: chosen } })
  })

/** The dates on a page that are not in the format of the company. */
const foreignDatesOn = async (page: Page): Promise<string[]> => {
  const fields = await page.evaluate(() =>
    [...document.querySelectorAll('input')].map(({ type, value }) => (type === 'text' ? value : '')),
  )
  const texts = [...new Set([...(await wordsOn(page)), ...fields])]
  return texts.filter(text =>
    /\b\d{4}-\d{2}-\d{2}\b|\b\d{1,2}\.\d{1,2}\.\d{2,4}\b|\b\d{1,2}\/\d{1,2}\/\d{2}\b/.test(text),
  )
}

/** Checks an open page in one look. Returns the findings. */
const lookAt = async (
  page: Page,
  look: Look,
  readData: () => Promise<string[]>,
  picture: string,
): Promise<string[]> => {
  await page.setViewportSize(look.window)
  await page.evaluate(theme => {
    document.documentElement.dataset.theme = theme
    // Scrolls back to the top, because the check of the previous look has scrolled the page.
    for (const box of document.querySelectorAll('*')) if (box.scrollTop > 0) box.scrollTop = 0
  }, look.theme)
  await settled(page)
  // Only `npm run walk` saves pictures, because a run with tiers only needs the findings.
  if (tier === 'all')
    await page.screenshot({
      path: `tests/browser/shots/${picture}-${look.language}-${look.theme}-${look.window.width}.png`,
    })
  const { width } = look.window
  const overhang = await page.evaluate(() => document.documentElement.scrollWidth)
  return [
    ...((await page.locator('h1').count()) === 1 ? [] : ['has not one heading']),
    ...(overhang > width ? [`is ${overhang} px wide`] : []),
    ...(await axeFindings(page)).map(finding => `axe ${finding}`),
    ...(await englishOn(page, look.language, await readData())).map(words => `English: ${words}`),
    ...(await foreignDatesOn(page)).map(date => `date in another format: ${date}`),
    ...(width <= 1024 ? (await tooSmall(page)).map(finding => `too small: ${finding}`) : []),
  ]
}

/** An address and the looks in which the walk checks it. */
export interface Sight {
  address: string
  looks: readonly Look[]
}

/** The address with the id of the signed-in person in place of `:id`. */
const withOwnId = async (page: Page, address: string): Promise<string> => {
  if (!address.includes(':id')) return address
  const token = await page.evaluate(() => localStorage.getItem('token') ?? '')
  const { employee } = (await call('auth/get', {}, token)) as { employee: { id: string } }
  return address.replace(':id', employee.id)
}

/** Walks from page to page as one kind of user in one language. Fails on any finding. */
export const walk = async (page: Page, kind: Kind, language: Look['language'], sights: readonly Sight[]) => {
  const readData = hearData(page)
  await chooseDateFormat(page)
  const problems: string[] = []
  let path: string | undefined
  for (const { address: template, looks } of sights) {
    if (path === undefined && template.includes(':id')) {
      path = '/404'
      await openFor(page, kind, path, { language, theme: 'light' })
    }
    const address = await withOwnId(page, template)
    const [next = ''] = address.split('?')
    // Another view of the same page needs a reload. A stranger loads each page from the server.
    if (path === undefined) await openFor(page, kind, address, { language, theme: 'light' })
    else if (next === path || kind === 'stranger') await page.goto(address)
    else await goTo(page, address)
    path = next
    await expect(page).toHaveURL(new RegExp(`${next}([?#]|$)`))
    await expect(page.locator('html')).toHaveAttribute('lang', language)
    await expect(page.locator('h1')).toHaveCount(1)
    if (address.includes('?new=')) await expect(page.locator('.panel-body, dialog[open]').first()).toBeVisible()
    for (const look of looks) {
      const findings = await lookAt(page, look, readData, kind + template.replace(/[^\w]+/g, '-'))
      problems.push(...findings.map(finding => `${template} ${look.theme} ${look.window.width}: ${finding}`))
    }
  }
  const looks = sights.flatMap(sight => sight.looks).length
  test.info().annotations.push({ type: 'looks', description: String(looks) })
  for (const description of problems) test.info().annotations.push({ type: 'finding', description })
  expect(problems).toEqual([])
}
