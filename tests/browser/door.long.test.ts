import { axeFindings, call, expect, newCompany, openAs, settled, test } from './site.ts'

// The forms before sign-in: going back, waiting times and retries.

const uniqueEmail = (name: string) => `${name}-${Date.now()}-${Math.floor(Math.random() * 1e6)}@example.com`

for (const [path, button, mail] of [
  ['/register', 'Send code', 'user/register/code'],
  ['/login/link', 'Send link', 'user/login/link'],
] as const) {
  test(`${path}: Back returns to the address, and the next step sends no second mail`, async ({ page }) => {
    const mailRequests: string[] = []
    page.on('request', request => request.url().endsWith(`/api/${mail}`) && mailRequests.push(request.url()))
    const email = path === '/register' ? uniqueEmail('back') : 'demo@example.com'
    await openAs(page, 'stranger', '/login')
    await page.goto(path)
    await expect(page.getByLabel('E-mail')).toBeFocused()
    await page.getByLabel('E-mail').fill(email)
    await page.getByRole('button', { name: button }).click()
    await expect(page.getByRole('button', { name: 'Use another address' })).toBeVisible()
    await page.goBack()
    await expect(page).toHaveURL(new RegExp(`${path}$`))
    await expect(page.getByLabel('E-mail')).toHaveValue(email)
    await page.getByRole('button', { name: button }).click()
    await expect(page.getByRole('button', { name: 'Use another address' })).toBeVisible()
    await page.reload()
    await page.getByRole('button', { name: 'Use another address' }).click()
    await expect(page.getByLabel('E-mail')).toHaveValue(email)
    await page.goBack()
    await expect(page).toHaveURL(/\/login$/)
    expect(mailRequests).toHaveLength(1)
  })
}

test('a visitor can request another code only after a countdown of sixty seconds', async ({ page }) => {
  await page.clock.install()
  await openAs(page, 'stranger', '/register')
  await page.getByLabel('E-mail').fill(uniqueEmail('count'))
  await page.getByRole('button', { name: 'Send code' }).click()
  const countdown = page.getByText(/^\d+s after get again$/)
  const secondsLeft = async () => Number.parseInt((await countdown.textContent()) ?? '', 10)
  await expect(countdown).toBeVisible()
  const first = await secondsLeft()
  expect(first).toBeLessThanOrEqual(60)
  await page.clock.fastForward(20_000)
  await expect.poll(secondsLeft).toBeLessThanOrEqual(first - 20)
  await expect(page.getByRole('button', { name: 'Send again' })).toHaveCount(0)
  await page.clock.fastForward(41_000)
  await expect(page.getByRole('button', { name: 'Send again' })).toBeEnabled()
})

test('the field shows the waiting time if a visitor requests a code too soon', async ({ page }) => {
  const email = uniqueEmail('soon')
  await call('user/register/code', { email })
  await openAs(page, 'stranger', '/register')
  await page.getByLabel('E-mail').fill(email)
  await page.getByRole('button', { name: 'Send code' }).click()
  await expect(page.locator('.field .error')).toHaveText(/Too many attempts\. Please try again in \d+ seconds?\./)
  await expect(page.getByLabel('E-mail')).toBeFocused()
  await page.getByLabel('Language').selectOption('el')
  await expect(page.locator('.field .error')).toHaveText(/Δοκιμάστε ξανά σε \d+ δευτερόλεπτ/)
})

test('the first wrong field gets the focus, and each wrong field shows its error', async ({ page }) => {
  await openAs(page, 'stranger', '/login/employee')
  await page.getByLabel('Employee ID').fill('7')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(page.locator('.field .error')).toHaveText(['Cannot be empty here', 'Cannot be empty here'])
  await expect(page.getByLabel('Company ID')).toBeFocused()
  expect(await axeFindings(page)).toEqual([])
})

test('a visitor can retry the sign-in with a one-time code after a lost connection', async ({ page }) => {
  await page.route('**/api/user/login/sign', route => route.abort())
  await openAs(page, 'stranger', '/login/sign#token=none&company_id=none')
  await expect(page.getByText('No response from the server. Check your network.')).toBeVisible()
  await page.unroute('**/api/user/login/sign')
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByRole('heading', { name: 'Verification of the token failed' })).toBeVisible()
  expect(new URL(page.url()).hash).toBe('')
})

test('the first steps of a company complete without a reload', async ({ page }) => {
  const token = await newCompany()
  await openAs(page, { token }, '/dashboard')
  await page.getByRole('link', { name: 'Show as list' }).click()
  await expect(page.getByRole('heading', { name: 'First steps' })).toBeVisible()
  await expect(page.getByText('0 of 7 done')).toBeVisible()
  await settled(page)
  expect(await axeFindings(page)).toEqual([])
  await call('department/add', { name: 'Kitchen' }, token)
  await expect(page.getByText('1 of 7 done')).toBeVisible()
  await expect(page.getByRole('link', { name: /^Departments Done/ })).toContainText('2')
  await page.getByRole('link', { name: /^Employees/ }).click()
  await expect(page).toHaveURL(/\/employee$/)
})

test('an employee sees no first steps and no link to the management side', async ({ page }) => {
  await openAs(page, 'employee', '/guid')
  await expect(page).toHaveURL(/\/dashboard$/)
  await page.getByRole('button', { name: /Account menu/ }).click()
  await expect(page.getByRole('menuitem', { name: 'Log out' })).toBeVisible()
  await expect(page.getByRole('menuitem', { name: /Switch to|^Company$/ })).toHaveCount(0)
})
