import { readFileSync } from 'node:fs'
import type { Page } from '@playwright/test'
import { axeFindings, call, expect, newCompany, openAs, settled, test, tokenOf, type Who } from './site.ts'

// A walk through the site: every route for five kinds of person, in four languages, two themes and three widths. Whatever is
// looked at says no error, breaks no rule of axe, is not wider than the window, can be touched where fingers are expected, writes
// every date in the company's format, and has no word of English in it where it speaks another language. Each look leaves a picture.

export const kinds = ['stranger', 'employee', 'supervisor', 'administrator', 'founder'] as const
/** A founder has two companies, in which nothing is yet: what they see is how every page looks empty. */
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

const everybody = ['/dashboard']
const employees = ['/timecard', '/request']
const supervisors = [
  ...['/department', '/employee', '/device', '/schedule', '/shift', '/shift/params', '/approve', '/leave'],
  ...['/record', '/exception', '/report', '/temperature'],
]
const administrators = [
  ...['/system/company', '/system/basic', '/system/role', '/system/holiday', '/system/request', '/system/audit'],
  '/system/application',
]
const strangers = ['/login', '/login/employee', '/login/sign', '/login/link', '/register', '/forget/email', '/join']
const anybody = ['/expired', '/terms', '/privacy', '/help', '/404']
/** Outside of the frame, for who is signed in. */
const signedIn = ['/organization', '/organization/new', '/printGlobal', '/printUser']
/** Where these lead to, whoever asks for them. */
const moved: Record<string, string> = {
  '/': '/dashboard',
  '/system': '/system/company',
  '/forget': '/forget/email',
}

export const routes = [
  ...Object.keys(moved),
  ...everybody,
  '/guid',
  ...employees,
  ...supervisors,
  ...administrators,
  ...strangers,
  ...anybody,
  ...signedIn,
]

/** The routes as the site itself has them, in its two tables. */
export const routesOfSite = () => {
  const sources = ['web/main.tsx', 'web/framed.tsx', 'web/menu.ts'].map(file => readFileSync(file, 'utf8')).join('\n')
  return [...sources.matchAll(/\bpath(?:=|: )["'](\/[^"'*]*)["']/g)].map(([, path = '']) => path)
}

/** Which pages each kind may open, as the permission table says; what is not there is missing to them. */
const opens: Record<Kind, readonly string[]> = {
  stranger: [...strangers, ...anybody],
  employee: [...everybody, ...employees],
  supervisor: [...everybody, '/guid', ...supervisors],
  administrator: [...everybody, '/guid', ...supervisors, ...administrators],
  founder: [...everybody, '/guid', ...supervisors, ...administrators],
}

/** Where somebody who asks for a page of the frame, or for one that moved, comes to. */
export const landing = (kind: Kind, route: string): string => {
  const path = moved[route] ?? route
  if (path === '/forget/email' && kind !== 'stranger') return '/dashboard'
  if (opens[kind].includes(path) || strangers.includes(path) || anybody.includes(path)) return path
  if (kind === 'stranger') return `/login?redirect=${encodeURIComponent(path)}`
  return kind === 'employee' && path === '/guid' ? '/dashboard' : '/404'
}

/** What of a page stands behind its address. */
const more: Record<string, readonly string[]> = {
  '/timecard': ['?view=list'],
  '/request': ['?new=leave'],
  '/system/basic': ['?show=temperature'],
  '/system/application': ['?tab=keys'],
  '/department': ['?new=yes'],
  '/employee': ['?new=yes'],
  '/shift': ['?new=yes'],
  '/system/role': ['?new=yes'],
  '/system/holiday': ['?new=yes'],
}

/** What is looked at: each page that a kind may open. */
export const addressesOf = (kind: Kind): string[] => [
  ...opens[kind].flatMap(path => ['', ...(more[path] ?? [])].map(rest => path + rest)),
  ...(kind === 'administrator' ? ['/organization?choose', '/organization/new', '/printGlobal'] : []),
]

const who: Partial<Record<Kind, Who>> = { employee: 'employee', supervisor: 'manager', administrator: 'administrator' }
let founder: Promise<string> | undefined
const found = async () => {
  const second = { company_name: 'Second Olive', timezone: 'Europe/Athens' }
  const key = { 'idempotency-key': crypto.randomUUID() }
  return String((await call('company/add', second, await newCompany(), key)).token)
}

/** Opens a page as somebody of a kind. */
export const openFor = async (page: Page, kind: Kind, path: string, look?: { language: string; theme: string }) => {
  if (kind === 'stranger') return openAs(page, 'stranger', path, look)
  founder ??= kind === 'founder' ? found() : undefined
  const demo = who[kind]
  const token = demo ? await tokenOf(demo) : ((await founder) ?? '')
  return openAs(page, { token }, path, look)
}

type Texts = { [key: string]: string | Texts }
const valuesOf = (texts: Texts): string[] =>
  Object.values(texts).flatMap(value => (typeof value === 'string' ? [value] : valuesOf(value)))
const shown = [
  ...['apikey', 'approve', 'audit', 'chart', 'company', 'dashboard', 'department', 'device', 'employee', 'error'],
  ...['exception', 'explain', 'forget', 'help', 'holiday', 'join', 'leave', 'lock', 'login', 'notice', 'organization'],
  ...['params', 'personal', 'preview', 'print', 'profile', 'punch', 'quick', 'reason', 'record', 'register', 'report'],
  ...['report-mail', 'request', 'role', 'schedule', 'sheet', 'shell', 'shift', 'task', 'temperature', 'webhooks'],
]
const catalogue = (language: string) =>
  shown.flatMap(noun => valuesOf(JSON.parse(readFileSync(`shared/locales/${language}/${noun}.json`, 'utf8'))))

const own = new Map<string, { text: string; values: ReadonlySet<string> }>()
const ownOf = (language: string) => {
  const known = own.get(language)
  if (known) return known
  const values = catalogue(language)
  const made = { text: values.join('\n').toLowerCase(), values: new Set(values) }
  own.set(language, made)
  return made
}

/** Names that are the same in every language. */
const names = new Set([
  ...['utc', 'gmt', 'english', 'español', 'espa', 'csv', 'xlsx', 'pdf', 'png', 'jpeg'],
  ...Intl.supportedValuesOf('timeZone').flatMap(zone => zone.toLowerCase().split(/[^a-z]/)),
])

/** What stands on a page as words: what is read, and what is told to who does not see. */
const wordsOn = (page: Page) =>
  page.evaluate(() => {
    const said: string[] = []
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    while (walker.nextNode()) {
      const parent = walker.currentNode.parentElement
      if (parent && !parent.closest('script, style, noscript, code')) said.push(walker.currentNode.textContent ?? '')
    }
    for (const element of document.body.querySelectorAll('[aria-label], [title], [placeholder], [alt]'))
      for (const name of ['aria-label', 'title', 'placeholder', 'alt']) said.push(element.getAttribute(name) ?? '')
    return [document.title, ...said].map(text => text.trim()).filter(Boolean)
  })

/** What is English on a page that speaks another language, but for what came as data and for names. */
const englishOn = async (page: Page, language: string, data: readonly string[]): Promise<string[]> => {
  if (language === 'en') return []
  const { text, values } = ownOf(language)
  const given = data.join('\n').toLowerCase()
  const said = [...new Set(await wordsOn(page))]
  // Spanish has the letters of English: there a text that stands in the English catalogue is looked for as a whole.
  if (language === 'es') {
    const english = ownOf('en').values
    return said.filter(
      one =>
        /[a-z]{3}/i.test(one) &&
        english.has(one) &&
        !values.has(one) &&
        !names.has(one.toLowerCase()) &&
        !given.includes(one.toLowerCase()),
    )
  }
  return said.filter(one =>
    (one.match(/[a-z]{3,}/gi) ?? []).some(word => {
      const small = word.toLowerCase()
      return !names.has(small) && !text.includes(small) && !given.includes(small)
    }),
  )
}

/** What cannot be hit with a finger: around the middle of what is pressed, 44 px must lead to it. */
const tooSmall = (page: Page) =>
  page.evaluate(() => {
    const least = 44
    const some = 'a[href], button, input, select, textarea, summary, [role="tab"], [role="option"], [role="menuitem"]'
    // A bar of a chart is as wide as its day; the table beside the chart says the same.
    const isSeen = (element: Element) =>
      !element.closest('svg') && element.checkVisibility({ opacityProperty: true, visibilityProperty: true })
    const isIn = (element: Element, hit: Element | null) =>
      hit !== null &&
      (element.contains(hit) ||
        hit.closest('label')?.contains(element) ||
        hit.closest('.can-open')?.contains(element) ||
        (!element.matches('button') &&
          hit.closest('.input, .ms-TextField-fieldGroup, .ms-ComboBox')?.contains(element)))
    /** What is pressed for a box is the words beside it too. */
    const pressed = (element: Element) =>
      (element.matches('[type="checkbox"], [type="radio"]') && element.closest('label')) || element
    /** A link within a sentence is as high as its line. */
    const isInSentence = (element: Element) =>
      [...(element.parentElement?.childNodes ?? [])].some(
        node => node.nodeType === Node.TEXT_NODE && (node.textContent ?? '').trim().length > 1,
      )
    const small: string[] = []
    for (const element of document.querySelectorAll<HTMLElement>(some)) {
      if (!isSeen(element) || element.closest('[inert], .skip, .unseen') || element.matches(':disabled')) continue
      const covers = document.querySelector('dialog[open], .ms-Panel')
      if (covers && !covers.contains(element)) continue
      const before = pressed(element).getBoundingClientRect()
      if (before.width <= 2 || before.height <= 2 || (before.width >= least && before.height >= least)) continue
      if (isInSentence(element)) continue
      element.scrollIntoView({ block: 'center', inline: 'center' })
      const { left, top, width, height } = pressed(element).getBoundingClientRect()
      const [x, y, reach] = [left + width / 2, top + height / 2, least / 2 - 1]
      const points: [number, number][] = [
        ...(height < least
          ? ([
              [x, y - reach],
              [x, y + reach],
            ] as [number, number][])
          : []),
        ...(width < least
          ? ([
              [x - reach, y],
              [x + reach, y],
            ] as [number, number][])
          : []),
      ]
      const missed = points
        .map(([x, y]) => document.elementFromPoint(x, y))
        .find(hit => hit !== null && !isIn(element, hit))
      if (missed) {
        const name = element.getAttribute('aria-label') ?? element.textContent?.trim().slice(0, 30)
        small.push(
          `${element.tagName.toLowerCase()}.${element.className} “${name}” ${Math.round(width)}×${Math.round(height)}, beside it ${missed.tagName.toLowerCase()}.${missed.className}`,
        )
      }
    }
    return [...new Set(small)]
  })

/** What a page is answered is data, in whatever language it was written: all texts in it, but not the names of its fields. */
const hearData = (page: Page): string[] => {
  const data: string[] = []
  page.on('response', response => {
    if (response.url().includes('/api/'))
      response.json().then(
        answer => data.push(...valuesOf(answer)),
        () => undefined,
      )
  })
  return data
}

/** Goes to another page as a link does, without loading the site anew, and waits until it stands there. */
export const goTo = async (page: Page, address: string) => {
  await page.evaluate(address => {
    const heading = document.querySelector('h1')
    if (heading) heading.dataset.left = 'yes'
    history.pushState(null, '', address)
    dispatchEvent(new PopStateEvent('popstate', { state: null }))
  }, address)
  await expect(page.locator('h1:not([data-left])')).toHaveCount(1)
}

/** The page believes that its company writes 27/11/2026; the demo company itself writes 2026-11-27, as the table does. */
const chooseDateFormat = (page: Page) =>
  page.route(/\/api\/(auth|company)\/get$/, async route => {
    const response = await route.fetch()
    const { data, ...answer } = await response.json()
    const chosen = data && { ...data, ...('dateformat' in data ? { dateformat: 'DD/MM/YYYY' } : { dateformat_id: 2 }) }
    await route.fulfill({ response, json: { ...answer, data: chosen } })
  })

/** The dates on a page that are not in the format of its company. */
const foreignDatesOn = async (page: Page): Promise<string[]> => {
  const fields = await page.evaluate(() =>
    [...document.querySelectorAll('input')].map(({ type, value }) => (type === 'text' ? value : '')),
  )
  const texts = [...new Set([...(await wordsOn(page)), ...fields])]
  return texts.filter(text =>
    /\b\d{4}-\d{2}-\d{2}\b|\b\d{1,2}\.\d{1,2}\.\d{2,4}\b|\b\d{1,2}\/\d{1,2}\/\d{2}\b/.test(text),
  )
}

/** Looks at an open page once. Answers what is wrong with it. */
const lookAt = async (page: Page, look: Look, data: readonly string[], picture: string): Promise<string[]> => {
  await page.setViewportSize(look.window)
  await page.evaluate(theme => {
    document.documentElement.dataset.theme = theme
    // The look before went through all there is: as somebody comes to the page, it is at its top.
    for (const box of document.querySelectorAll('*')) if (box.scrollTop > 0) box.scrollTop = 0
  }, look.theme)
  await settled(page)
  await page.screenshot({
    path: `tests/browser/shots/${picture}-${look.language}-${look.theme}-${look.window.width}.png`,
  })
  const { width } = look.window
  const overhang = await page.evaluate(() => document.documentElement.scrollWidth)
  return [
    ...((await page.locator('h1').count()) === 1 ? [] : ['has not one heading']),
    ...(overhang > width ? [`is ${overhang} px wide`] : []),
    ...(await axeFindings(page)).map(finding => `axe ${finding}`),
    ...(await englishOn(page, look.language, data)).map(words => `English: ${words}`),
    ...(await foreignDatesOn(page)).map(date => `date in another format: ${date}`),
    ...(width <= 1024 ? (await tooSmall(page)).map(what => `too small: ${what}`) : []),
  ]
}

/** What one kind of person sees of a page, and how it is looked at. */
export interface Sight {
  address: string
  looks: readonly Look[]
}

/** A walk of one kind of person in one language, from page to page. Nothing may be wrong with any of them. */
export const walk = async (page: Page, kind: Kind, language: Look['language'], sights: readonly Sight[]) => {
  const data = hearData(page)
  await chooseDateFormat(page)
  const wrong: string[] = []
  let path: string | undefined
  for (const { address, looks } of sights) {
    const [next = ''] = address.split('?')
    // What stands behind an address is loaded with it; who is a stranger begins anew at each door.
    if (path === undefined) await openFor(page, kind, address, { language, theme: 'light' })
    else if (next === path || kind === 'stranger') await page.goto(address)
    else await goTo(page, address)
    path = next
    await expect(page).toHaveURL(new RegExp(`${next}([?#]|$)`))
    await expect(page.locator('html')).toHaveAttribute('lang', language)
    await expect(page.locator('h1')).toHaveCount(1)
    if (address.includes('?new=')) await expect(page.locator('.panel-body, dialog[open]').first()).toBeVisible()
    for (const look of looks) {
      const findings = await lookAt(page, look, data, kind + address.replace(/[^\w]+/g, '-'))
      wrong.push(...findings.map(what => `${address} ${look.theme} ${look.window.width}: ${what}`))
    }
  }
  const looks = sights.flatMap(sight => sight.looks).length
  test.info().annotations.push({ type: 'looks', description: String(looks) })
  for (const description of wrong) test.info().annotations.push({ type: 'finding', description })
  expect(wrong).toEqual([])
}
