import { axeFindings, call, expect, newCompany, openAs, test, tokenOf } from './site.ts'

test('after its session ended, the site asks for a sign-in: OK opens the sign-in, Cancel keeps the page', async ({
  page,
}) => {
  await openAs(page, 'administrator', '/employee')
  await expect(page.getByRole('link', { name: 'Ada Brandt' }).first()).toBeVisible()
  const token = await page.evaluate(() => localStorage.getItem('token') ?? '')
  await call('user/login/off', {}, token)

  await page.getByPlaceholder('Name, employee ID, e-mail or position').fill('grace')
  const question = page.getByRole('dialog', { name: 'Please sign in again' })
  await question.getByRole('button', { name: 'Cancel' }).click()
  await expect(question).toBeHidden()
  await expect(page.getByRole('heading', { name: 'Employees' })).toBeVisible()

  await page.getByPlaceholder('Name, employee ID, e-mail or position').fill('ada')
  await question.getByRole('button', { name: 'OK' }).click()
  await expect(page).toHaveURL(/\/login\?redirect=%2Femployee$/)
})

test('the site shows that it cannot reach the server, and the user can retry', { tag: '@long' }, async ({ page }) => {
  await page.route('**/api/auth/get', route => route.abort())
  await openAs(page, 'administrator', '/dashboard')
  await expect(page.getByRole('heading', { name: 'No connection' })).toBeVisible()
  await page.unroute('**/api/auth/get')
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByRole('heading', { name: 'Today' })).toBeVisible()
})

test('the site reports a save without an answer, and a retry saves only once', async ({ page }) => {
  await openAs(page, 'administrator', '/department')
  const name = `Once ${Date.now()}`
  const keys: (string | undefined)[] = []
  await page.route('**/api/department/add', async route => {
    keys.push(route.request().headers()['idempotency-key'])
    // The first request arrives, but its answer is lost.
    if (keys.length === 1) {
      await route.fetch()
      await route.abort()
    } else await route.continue()
  })
  await page.getByRole('button', { name: 'Add department', exact: true }).click()
  await page.getByLabel('Department name').fill(name)
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('No response from the server. Check your network.').last()).toBeVisible()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByPlaceholder('Department name').fill(name)
  await expect(page.getByRole('row').getByRole('button', { name, exact: true })).toHaveCount(1)
  expect(keys).toHaveLength(2)
  expect(keys[0]).toBe(keys[1])
})

test('the open page shows a change of another session', { tag: '@long' }, async ({ page }) => {
  await openAs(page, 'administrator', '/department')
  const name = `Elsewhere ${Date.now()}`
  await page.getByPlaceholder('Department name').fill(name)
  await expect(page.getByText('No results')).toBeVisible()
  await call('department/add', { name }, await tokenOf('administrator'))
  await expect(page.getByRole('row').getByRole('button', { name, exact: true })).toBeVisible()
})

test('the page shows a lost connection, reconnects and reads the missed changes', {
  tag: '@long',
}, async ({ page }) => {
  let lines = 0
  const cuts: (() => void)[] = []
  await page.routeWebSocket('**/web', line => {
    lines++
    // The first connection works until the test cuts it. The second connection closes at once. The third connection
    // works.
    if (lines === 2) return void line.close()
    line.connectToServer()
    cuts.push(() => void line.close())
  })
  await openAs(page, 'administrator', '/department')
  const name = `Missed ${Date.now()}`
  await page.getByPlaceholder('Department name').fill(name)
  await expect(page.getByText('No results')).toBeVisible()
  await expect.poll(() => lines).toBe(1)
  const token = await tokenOf('administrator')
  cuts[0]?.()
  await expect(page.getByText('Reconnecting…')).toBeVisible()
  await call('department/add', { name }, token)
  await expect(page.getByText('Reconnecting…')).toBeHidden()
  await expect(page.getByRole('row').getByRole('button', { name, exact: true })).toBeVisible()
  expect(lines).toBe(3)
})

test('a user changes the language without a reload, and the site keeps the chosen language', { tag: '@long' }, async ({
  page,
}) => {
  const token = await newCompany()
  await openAs(page, { token }, '/department')
  await expect(page).toHaveTitle('Departments · Attendance')
  await page.evaluate(() => document.body.setAttribute('data-same', 'yes'))
  await page.getByRole('button', { name: /Olga Owner/ }).click()
  await page.getByRole('menuitem', { name: 'Language' }).click()
  expect(await axeFindings(page)).toEqual([])
  // The page requests names from the server again, in the new language.
  const greekRequest = page.waitForRequest(
    request => request.url().endsWith('/api/department/grid') && request.headers()['x-language'] === 'el',
  )
  await page.getByRole('menuitemcheckbox', { name: 'Ελληνικά' }).click()
  await greekRequest
  await expect(page.getByRole('heading', { name: 'Τμήματα' })).toBeVisible()
  await expect(page.locator('body')).toHaveAttribute('data-same', 'yes')
  await expect(page.locator('html')).toHaveAttribute('lang', 'el')
  await expect(page).toHaveTitle(/^Τμήματα · /)
  await expect.poll(async () => (await call('user/employee', {}, token)).language).toBe('el')
  await page.reload()
  await expect(page.getByRole('heading', { name: 'Τμήματα' })).toBeVisible()
})

for (const [browserLocale, language] of [
  ['zh-TW', 'zh'],
  ['zh-Hant-HK', 'zh'],
  ['es-419', 'es'],
  ['pt-BR', 'en'],
] as const)
  test.describe(() => {
    test.use({ locale: browserLocale })
    test(`the site uses ${language} for a browser in ${browserLocale}`, { tag: '@long' }, async ({ page }) => {
      await page.goto('/login')
      await expect(page.locator('h1')).toBeVisible()
      await expect(page.locator('html')).toHaveAttribute('lang', language)
    })
  })

test('an employee changes the password with the old password, and signs in with the new password', {
  tag: '@long',
}, async ({ page }) => {
  const administrator = await tokenOf('administrator')
  const { list } = (await call('department/all', {}, administrator)) as { list: { id: string }[] }
  const workno = String(Date.now() % 1_000_000_000)
  const person = { first_name: 'Paula', last_name: 'Pass', workno, department: list[0]?.id, password: 'Rhubarb#42' }
  await call('employee/add', person, administrator)
  const { token } = await call('personal/login', { code: '10000001', workno, password: 'Rhubarb#42' })

  await page.addInitScript(token => localStorage.setItem('token', token), String(token))
  await page.goto('/dashboard')
  await page.getByRole('button', { name: /Paula Pass/ }).click()
  await page.getByRole('menuitem', { name: 'Change password' }).click()
  const fill = async (values: Record<string, string>) => {
    for (const [label, value] of Object.entries(values)) await page.getByLabel(label, { exact: true }).fill(value)
    await page.getByRole('button', { name: 'Save' }).click()
  }
  await fill({ 'Old password': 'Rhubarb#43', 'New password': 'Celery#42', 'Confirm password': 'Celery#43' })
  await expect(page.getByText("Password don't match")).toBeVisible()
  await fill({ 'New password': 'celery', 'Confirm password': 'celery' })
  await expect(page.locator('.field .error')).toHaveText(/At least 6 characters/)
  await fill({ 'New password': 'Celery#42', 'Confirm password': 'Celery#42' })
  await expect(page.locator('.field .error')).toHaveText('The old password is wrong')
  await fill({ 'Old password': 'Rhubarb#42' })
  await expect(page.getByRole('heading', { name: 'Change password' })).toBeHidden()
  await call('personal/login', { code: '10000001', workno, password: 'Celery#42' })
})

test('the theme follows the system until the user chooses light or dark', { tag: '@long' }, async ({ page }) => {
  await page.emulateMedia({ colorScheme: 'dark' })
  await openAs(page, 'administrator', '/department', { theme: 'system' })
  const background = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor)
  await expect.poll(background).toBe('rgb(13, 19, 17)')
  await page.getByRole('button', { name: /Ada Brandt/ }).click()
  await page.getByRole('menuitem', { name: 'Appearance' }).click()
  await page.getByRole('menuitemcheckbox', { name: 'Light' }).click()
  await expect.poll(background).toBe('rgb(246, 244, 239)')
  await page.reload()
  expect(await background()).toBe('rgb(246, 244, 239)')
})

test('the site gets a new token with each switch between management and employee side', { tag: '@long' }, async ({
  page,
}) => {
  await openAs(page, 'administrator', '/department')
  const token = () => page.evaluate(() => localStorage.getItem('token'))
  const first = await token()
  await page.getByRole('button', { name: /Ada Brandt/ }).click()
  await page.getByRole('menuitem', { name: 'Switch to employee' }).click()
  await expect(page.getByRole('heading', { name: 'Hello, Ada' })).toBeVisible()
  const second = await token()
  await page.getByRole('button', { name: /Ada Brandt/ }).click()
  await page.getByRole('menuitem', { name: 'Switch to management' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Today' })).toBeVisible()
  expect(new Set([first, second, await token()]).size).toBe(3)
})
