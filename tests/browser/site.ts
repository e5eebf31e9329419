import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { test as base, expect, type Locator, type Page } from '@playwright/test'
import { freshEmail } from '../kit/fresh-email.ts'

// Helpers that open the site as a user. In every test, the page must log no error, violate no content security policy
// and request no other host.

export const address = () => process.env.SITE_ADDRESS ?? ''

/**
 * The browser's own messages about requests with an error status, and about requests that a test cuts off or blocks.
 */
const networkMessage = /^Failed to load resource|WebSocket connection to|^Service Worker registration blocked/

export const watch = (page: Page): string[] => {
  const complaints: string[] = []
  page.on('console', message => {
    const text = message.text()
    if (['error', 'warning'].includes(message.type()) && !networkMessage.test(text)) complaints.push(text)
  })
  page.on('pageerror', error => complaints.push(error.message))
  page.on('request', request => {
    const { protocol, host } = new URL(request.url())
    if (!['data:', 'blob:'].includes(protocol) && host !== new URL(address()).host)
      complaints.push(`asked ${request.url()}`)
  })
  return complaints
}

/**
 * Removes the routes of a page before the page closes. Otherwise a handler could answer a closed page, and throw in the
 * worker between two tests. A page that its test has closed has no routes.
 */
export const leaveRoutes = async (page: Page): Promise<void> => {
  if (page.isClosed()) return
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await page.context().unrouteAll({ behavior: 'ignoreErrors' })
}

export const test = base.extend({
  // biome-ignore lint/correctness/noEmptyPattern: the library reads the required fixtures from the pattern.
  baseURL: async ({}, use) => use(address()),
  page: async ({ page }, use) => {
    const complaints = watch(page)
    await use(page)
    await leaveRoutes(page)
    expect(complaints).toEqual([])
  },
})
export { expect }

export const people = {
  administrator: ['user/login', { email: 'demo@example.com', password: 'Demo#2026' }],
  manager: ['user/login', { email: 'grace@example.com', password: 'Demo#2026' }],
  employee: ['personal/login', { code: '10000001', workno: '4', password: 'Demo#2026' }],
} as const
export type Who = keyof typeof people

/** Calls a path of the API like another program. Throws unless the answer is a success. */
export const call = async (
  path: string,
  input: unknown,
  token?: string,
  headers: Record<string, string> = {},
): Promise<Record<string, unknown>> => {
  const response = await fetch(`${address()}/api/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token && { 'x-token': token }), ...headers },
    body: JSON.stringify(input),
  })
  const answer = (await response.json()) as { code: number; data: Record<string, unknown> }
  if (answer.code !== 0) throw new Error(`${path}: ${JSON.stringify(answer)}`)
  return answer.data
}

/** Waits until a task is done, and returns its id. */
export const endOf = async ({ task }: Record<string, unknown>, token: string) => {
  await expect.poll(async () => (await call('task/get', { id: task }, token)).state, { timeout: 60_000 }).toBe('done')
  return task
}

/** The text of the last mail to an address. A user may get several kinds of mails, so `has` can select one kind. */
export const mailTo = async (email: string, has = /./): Promise<string> => {
  const mails = (await (await fetch(`${address()}/outbox?format=json`)).json()) as { to: string; text: string }[]
  return mails.findLast(({ to, text }) => to === email && has.test(text))?.text ?? 'no mail'
}

export const tokenOf = async (who: Who) => {
  const [path, input] = people[who]
  return String((await call(path, input)).token)
}

/** Registers a company for tests that change the whole company. Returns the token of its owner. */
export const newCompany = async (company_name = 'Olive & Sons', timezone = 'Europe/Athens'): Promise<string> => {
  const [email, password] = [freshEmail('owner'), 'Rhubarb#42']
  const { nonce } = await call('user/register/code', { email })
  const code = /\b\d{6}\b/.exec(await mailTo(email))?.[0]
  const person = { first_name: 'Olga', last_name: 'Owner', email, password, confirm_password: password }
  return String((await call('user/register', { ...person, code, nonce, company_name, timezone, terms: true })).token)
}

/** Opens a page as a user of the demo company or by a token, in a language and a theme. */
export const openAs = async (
  page: Page,
  who: Who | 'stranger' | { token: string },
  path: string,
  { language = 'en', theme = 'light' }: { language?: string; theme?: string } = {},
) => {
  const token = who === 'stranger' ? '' : typeof who === 'object' ? who.token : await tokenOf(who)
  await page.addInitScript(
    ([token = '', language = '', theme = '']) => {
      if (sessionStorage.getItem('prepared')) return
      sessionStorage.setItem('prepared', 'yes')
      if (token) localStorage.setItem('token', token)
      localStorage.setItem('language', language)
      localStorage.setItem('theme', theme)
    },
    [token, language, theme],
  )
  await page.goto(path)
}

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Measures the page with axe once. Says whether the page changed meanwhile, as by a late answer or a transition. */
const measureWithAxe = (page: Page) =>
  page.evaluate(async () => {
    // Wait for finite animations: a fading element has too little contrast for a moment. Spinners turn forever, so skip them.
    const finite = document
      .getAnimations()
      .filter(({ effect }) => effect?.getComputedTiming().endTime !== Number.POSITIVE_INFINITY)
    await Promise.all(finite.map(animation => animation.finished.catch(() => undefined)))
    let hasChanged = false
    const noteChange = () => {
      hasChanged = true
    }
    const observer = new MutationObserver(noteChange)
    observer.observe(document.body, { subtree: true, childList: true, attributes: true, characterData: true })
    for (const name of ['transitionrun', 'animationstart']) document.addEventListener(name, noteChange, true)
    const { axe } = globalThis as unknown as { axe: typeof import('axe-core') }
    const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
    const { violations } = await axe.run(document, { runOnly: tags })
    observer.disconnect()
    for (const name of ['transitionrun', 'animationstart']) document.removeEventListener(name, noteChange, true)
    const findings = violations.map(
      ({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`,
    )
    return { findings, hasChanged }
  })

/**
 * All findings of axe against WCAG 2.2 AA and its best practices, each with the elements concerned. A page that
 * changes during the measurement is measured again, at most three times.
 */
export const axeFindings = async (page: Page): Promise<string[]> => {
  await page.evaluate(axeSource)
  for (let attempt = 1; ; attempt += 1) {
    const { findings, hasChanged } = await measureWithAxe(page)
    if (findings.length === 0 || !hasChanged || attempt === 3) return findings
  }
}

/** Searches an employee in a field and chooses the option with Enter, because the list moves during the search. */
export const pickPerson = async (page: Page, field: Locator, words: string, label: string) => {
  await field.click()
  await field.pressSequentially(words)
  await expect(page.getByRole('option', { name: label })).toBeVisible()
  await page.keyboard.press('Enter')
  await expect(field).toHaveValue(label)
}

/** Waits until the page has finished loading and all animations have ended. */
export const settled = async (page: Page) => {
  await expect(page.locator('.spinner, .skeleton, [aria-busy="true"]')).toHaveCount(0)
  await page.evaluate(async () => {
    await document.fonts.ready
    await Promise.all(document.getAnimations().map(animation => animation.finished.catch(() => undefined)))
  })
}
