import type { Page, Route } from '@playwright/test'
import { call, expect, newCompany, openAs, test, tokenOf, watch } from './site.ts'

// Failures between page and server, and of the page itself: the user sees the failure and can go on.

/** The answer of a gateway when the server is down. */
const unavailable = (route: Route) =>
  route.fulfill({ status: 503, contentType: 'application/json', body: '{"message":"Service Unavailable"}' })
const search = (page: Page) => page.getByPlaceholder('Name, employee ID, e-mail or position')
const storedToken = (page: Page) => page.evaluate(() => localStorage.getItem('token'))

test('the site keeps a user signed in when the server is down', async ({ page }) => {
  await page.route('**/api/auth/get', unavailable)
  await openAs(page, 'administrator', '/employee')
  await expect(page.getByRole('heading', { name: 'No connection' })).toBeVisible()
  expect(await storedToken(page)).not.toBe(null)
  await page.unroute('**/api/auth/get')
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByRole('row', { name: /Ada Brandt/ })).toBeVisible()
})

test('after a gateway error, a save shows that the server did not respond, and the form keeps its values', async ({
  page,
}) => {
  await openAs(page, 'administrator', '/department')
  await page.getByRole('button', { name: 'Add department', exact: true }).click()
  await page.getByLabel('Department name').fill('Nowhere')
  await page.route('**/api/department/add', route =>
    route.fulfill({ status: 502, contentType: 'text/html', body: '<html><body>Bad Gateway</body></html>' }),
  )
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.locator('.toast')).toHaveText('No response from the server. Check your network.')
  await expect(page.getByLabel('Department name')).toHaveValue('Nowhere')
})

test('a failed search shows no rows of the previous search', async ({ page }) => {
  await openAs(page, 'administrator', '/employee')
  const ada = page.getByRole('row', { name: /Ada Brandt/ })
  await expect(ada).toBeVisible()
  await page.route('**/api/employee/grid', unavailable)
  await search(page).fill('grace')
  await expect(page.getByRole('heading', { name: "This couldn't be loaded" })).toBeVisible()
  await expect(ada).toHaveCount(0)
  await page.unroute('**/api/employee/grid')
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByRole('row', { name: /Grace Huang/ })).toBeVisible()
})

test('a tab with unsaved changes keeps its user when another user signs in from another tab', async ({
  page,
  context,
}) => {
  const ownToken = await tokenOf('administrator')
  await openAs(page, { token: ownToken }, '/department')
  await page.getByRole('button', { name: 'Add department', exact: true }).click()
  const name = `Mine ${Date.now()}`
  await page.getByLabel('Department name').fill(name)
  const unloading = page.waitForEvent('dialog')
  page.on('dialog', dialog => void dialog.dismiss())
  const managerToken = await tokenOf('manager')
  const other = await context.newPage()
  await other.goto('/login')
  await other.evaluate(token => localStorage.setItem('token', token), managerToken)
  expect((await unloading).type()).toBe('beforeunload')

  const saving = page.waitForRequest('**/api/department/add')
  await page.getByRole('button', { name: 'Save' }).click()
  expect((await saving).headers()['x-token']).toBe(ownToken)
  await expect(page.getByLabel('Department name')).toHaveCount(0)
  await page.reload()
  await expect(page.getByRole('button', { name: /Grace Huang/ })).toBeVisible()
})

test('a sign-out in one tab signs the user out in the other', async ({ page, context }) => {
  await openAs(page, { token: await tokenOf('administrator') }, '/employee')
  await expect(page.getByRole('row', { name: /Ada Brandt/ })).toBeVisible()
  const other = await context.newPage()
  await other.goto('/dashboard')
  await other.getByRole('button', { name: /Ada Brandt/ }).click()
  await other.getByRole('menuitem', { name: 'Log out' }).click()
  await other.getByRole('dialog').getByRole('button', { name: 'Log out' }).click()
  await expect(other).toHaveURL(/\/login/)
  await expect(page).toHaveURL(/\/login/)
})

test('a page that fails to render shows an error, and the other pages still work', async ({ browser, baseURL }) => {
  const page = await browser.newPage({ ...(baseURL && { baseURL }) })
  const complaints = watch(page)
  await openAs(page, 'administrator', '/exception?from=2026-01-01')
  const title = page.getByRole('heading', { level: 1, name: 'Exceptions' })
  await expect(title).toBeVisible()
  await page.route('**/api/exception/grid', route => route.fulfill({ json: { code: 0, data: { list: [null] } } }))
  await page.reload()
  const broken = page.getByRole('heading', { name: "This page couldn't be shown" })
  await expect(broken).toBeVisible()
  expect(complaints.length).toBeGreaterThan(0)
  await page.getByRole('navigation', { name: 'Records' }).getByRole('link', { name: 'Records' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Records' })).toBeVisible()
  await page.goBack()
  await expect(broken).toBeVisible()
  await page.unroute('**/api/exception/grid')
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(title).toBeVisible()
  await page.close()
})

test('a page that fails to load does not affect other pages', async ({ browser, baseURL }) => {
  const page = await browser.newPage({ ...(baseURL && { baseURL }) })
  const complaints = watch(page)
  await openAs(page, 'stranger', '/login')
  const signIn = page.getByRole('button', { name: 'Sign in' })
  await expect(signIn).toBeVisible()
  // Marks the site as just reloaded for a missing script, so that it does not reload again.
  await page.evaluate(() => sessionStorage.setItem('loadedAnewAt', String(Date.now())))
  await page.route(/\/register-[^/]*\.js$/, route => route.abort())
  await page.getByRole('link', { name: 'Register your company' }).click()
  await expect(page.getByRole('heading', { name: "This page couldn't be shown" })).toBeVisible()
  expect(complaints.length).toBeGreaterThan(0)
  await page.goBack()
  await expect(signIn).toBeVisible()
  await page.close()
})

test('a late answer does not lead the visitor back to a page that the visitor has left', async ({ page }) => {
  await openAs(page, 'stranger', '/register')
  const received = Promise.withResolvers<Route>()
  await page.route('**/api/user/register/code', received.resolve)
  await page.getByLabel('E-mail').fill('late@example.com')
  await page.getByLabel('E-mail').press('Enter')
  const route = await received.promise
  await page.getByRole('link', { name: 'Sign in' }).click()
  await expect(page).toHaveURL(/\/login$/)
  await route.fulfill({ json: { code: 0, data: { resendSeconds: 60, nonce: 'n' } } })
  await expect.poll(() => page.evaluate(() => sessionStorage.length)).toBeGreaterThan(1)
  await expect(page.getByLabel('Password', { exact: true })).toBeVisible()
  await expect(page).toHaveURL(/\/login$/)
})

test('a user cannot close a form during its request, so a late answer closes no other form', async ({ page }) => {
  await openAs(page, 'administrator', '/department')
  await page.getByRole('button', { name: 'Add department', exact: true }).click()
  const panel = page.getByRole('dialog')
  await panel.getByLabel('Department name').fill('On its way')
  const received = Promise.withResolvers<Route>()
  await page.route('**/api/department/add', received.resolve)
  await panel.getByRole('button', { name: 'Save' }).click()
  const route = await received.promise
  await page.keyboard.press('Escape')
  await panel.getByRole('button', { name: 'Close' }).click()
  await expect(panel.getByRole('button', { name: 'Cancel' })).toBeDisabled()
  await expect(page.getByRole('dialog')).toHaveCount(1)
  await route.fulfill({ json: { code: 0, data: { id: 'none' } } })
  await expect(page.getByRole('dialog')).toHaveCount(0)
})

test('the page ignores an invalid day in the address', async ({ page }) => {
  const request = page.waitForRequest('**/api/record/grid')
  await openAs(page, 'administrator', '/record?from=2026-99-99&to=x')
  const { from, to } = (await request).postDataJSON().filters
  expect(Date.parse(to) - Date.parse(from)).toBe(6 * 86_400_000)
  await expect(page.getByRole('heading', { level: 1, name: 'Records' })).toBeVisible()
  await page.goto('/schedule?week=2026-02-30')
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await expect(page.getByLabel('Days shown')).toHaveValue('month')
})

test('a question stays open after a request without an answer, and a retry uses the same idempotency key', async ({
  page,
}) => {
  const token = await newCompany()
  const { id } = await call('department/add', { name: 'Short-lived' }, token)
  expect(id).toBeTruthy()
  await openAs(page, { token }, '/department')
  await page.getByRole('row').getByRole('button', { name: 'Short-lived', exact: true }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  const question = page.getByRole('dialog', { name: /^Delete/ })
  const keys: (string | undefined)[] = []
  await page.route('**/api/department/delete', route => {
    keys.push(route.request().headers()['idempotency-key'])
    return keys.length === 1 ? unavailable(route) : route.continue()
  })
  await question.getByRole('button', { name: 'Delete' }).click()
  await expect(question.getByRole('alert')).toHaveText(/^No response from the server/)
  await question.getByRole('button', { name: 'Delete' }).click()
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await expect(page.getByRole('button', { name: 'Short-lived', exact: true })).toHaveCount(0)
  expect(keys).toHaveLength(2)
  expect(keys[0]).toBe(keys[1])
})
