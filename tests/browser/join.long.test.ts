import type { Browser, Page } from '@playwright/test'
import { address, axeFindings, call, expect, mailTo, openAs, settled, test, tokenOf, watch } from './site.ts'

const password = 'Rhubarb#42'
const uniqueEmail = (name: string) => `${name}-${Date.now()}-${Math.floor(Math.random() * 1e6)}@example.com`
/** Waits until the page asks for the code, and fills in the code of the last mail. */
const fillCode = async (page: Page, email: string) => {
  await expect(page.getByLabel('Verification code')).toBeVisible()
  await page.getByLabel('Verification code').fill(/\b\d{6}\b/.exec(await mailTo(email))?.[0] ?? '')
}
/** The link in the last mail, as a path on this site. */
const linkFor = async (email: string) => {
  const url = new URL(/https?:\/\/\S+/.exec(await mailTo(email))?.[0] ?? '')
  return url.pathname + url.search + url.hash
}

/** Runs the steps in a browser of another user, with an empty storage. */
const otherBrowser = async (browser: Browser, steps: (page: Page) => Promise<void>) => {
  const context = await browser.newContext({ baseURL: address() })
  const page = await context.newPage()
  const complaints = watch(page)
  await steps(page)
  expect(complaints).toEqual([])
  await context.close()
}

const register = async (page: Page, { email, company }: { email: string; company: string }) => {
  await page.goto('/register')
  await page.getByLabel('E-mail').fill(email)
  await page.getByRole('button', { name: 'Send code' }).click()
  await fillCode(page, email)
  await page.getByLabel('First name').fill('Rhea')
  await page.getByLabel('Last name').fill('Roth')
  await page.getByLabel('Organization name').fill(company)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByLabel('Confirm password').fill(password)
  await page.getByRole('checkbox').check()
  await page.getByRole('button', { name: 'Create company' }).click()
  await expect(page.getByRole('heading', { name: 'First steps' })).toBeVisible()
}

const choosePassword = async (page: Page) => {
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByLabel('Confirm password').fill(password)
  await page.getByRole('checkbox').check()
}

/** Adds an employee without an invitation to the demo company. */
const addEmployee = async (email: string) => {
  const administrator = await tokenOf('administrator')
  const { list } = (await call('department/all', {}, administrator)) as { list: { id: string }[] }
  const workno = String(Math.floor(Math.random() * 1e9) + 100)
  const person = { first_name: 'Nora', last_name: 'Nilsen', workno, department: list[0]?.id, email }
  const { id } = await call('employee/add', person, administrator)
  return { id: String(id), workno, administrator }
}

test('a founder registers a company and invites an employee, who sees only the employee side', async ({
  page,
  browser,
}) => {
  test.setTimeout(120_000)
  const guest = uniqueEmail('guest')
  await register(page, { email: uniqueEmail('rhea'), company: 'Roth Bakery' })
  const token = await page.evaluate(() => localStorage.getItem('token') ?? '')
  const { list } = (await call('department/all', {}, token)) as { list: { id: string }[] }

  await test.step('add a role for planners', async () => {
    await page.getByRole('navigation', { name: 'Main menu' }).getByRole('link', { name: 'System' }).click()
    await page.getByRole('link', { name: 'Roles', exact: true }).click()
    await expect(page.getByRole('heading', { name: /Role/ }).first()).toBeVisible()
    await call('role/add', { name: 'Planner', permissions: [6, 7], departments: list.map(({ id }) => id) }, token)
    await page.reload()
    await expect(page.getByText('Planner').first()).toBeVisible()
  })

  await test.step('invite an employee by mail', async () => {
    const person = { first_name: 'Gus', last_name: 'Guest', workno: '2', department: list[0]?.id, email: guest }
    const { id } = await call('employee/add', person, token)
    await call('employee/send_qrcode', { ids: [id] }, token)
  })

  await otherBrowser(browser, async guestPage => {
    await guestPage.goto(await linkFor(guest))
    await expect(guestPage.getByRole('heading', { name: 'Join Roth Bakery' })).toBeVisible()
    await expect(guestPage.getByText(guest)).toBeVisible()
    await settled(guestPage)
    expect(await axeFindings(guestPage)).toEqual([])
    await choosePassword(guestPage)
    await guestPage.getByRole('button', { name: 'Join Roth Bakery' }).click()
    await expect(guestPage.getByRole('heading', { name: 'Hello, Gus' })).toBeVisible()
    // The address drops the token of the invitation.
    expect(new URL(guestPage.url()).hash).toBe('')
    const menu = guestPage.getByRole('navigation', { name: 'Main menu' })
    await expect(menu.getByRole('link')).toHaveText(['Dashboard', 'Timecard', 'My requests'])
    for (const path of ['/employee', '/department', '/system/role', '/schedule']) {
      await guestPage.goto(path)
      await expect(guestPage).toHaveURL(/\/404$/)
    }
  })
})

test('an invitation works once, and afterwards its page says that the link has expired', async ({ page }) => {
  const email = uniqueEmail('once')
  const { id, administrator } = await addEmployee(email)
  await call('employee/send_qrcode', { ids: [id] }, administrator)
  const link = await linkFor(email)
  await openAs(page, 'stranger', link)
  await choosePassword(page)
  await page.getByRole('button', { name: /^Join/ }).click()
  await expect(page.getByRole('heading', { name: 'Hello, Nora' })).toBeVisible()
  await page.goto('/dashboard')
  await page.goto(link)
  await expect(page.getByRole('heading', { name: 'Link has expired' })).toBeVisible()
})

test('an employee joins by the company link, confirms an address, and signs in after getting a role', async ({
  page,
}) => {
  const administrator = await tokenOf('administrator')
  const { url } = await call('employee/qrcode', {}, administrator)
  const email = uniqueEmail('walk-in')
  await openAs(page, 'stranger', `/join${new URL(String(url)).hash}`)
  await page.getByLabel('First name').fill('Wanda')
  await page.getByLabel('Last name').fill('Walkin')
  await page.getByLabel('E-mail').fill(email)
  await page.getByRole('button', { name: 'Send code' }).click()
  await fillCode(page, email)
  await choosePassword(page)
  await page.getByRole('button', { name: /^Join/ }).click()
  await expect(page.getByRole('heading', { name: 'You have joined' })).toBeVisible()
  await page.getByRole('link', { name: 'Go to sign-in' }).click()
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(page.getByText('This account is not activated')).toBeVisible()

  const { list } = (await call('employee/grid', { filters: { search: email } }, administrator)) as {
    list: Record<string, unknown>[]
  }
  const [waiting] = list
  const { id, version, first_name, last_name, workno, department } = waiting ?? {}
  const form = { id, version, first_name, last_name, workno, department, email, role: 3 }
  await call('employee/update', form, administrator)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(page.getByRole('heading', { name: 'Hello, Wanda' })).toBeVisible()
})

test('a user sets a new password with a mailed code, and the old password no longer works', async ({ page }) => {
  const email = uniqueEmail('forgetful')
  await register(page, { email, company: 'Forgetful & Co' })
  await page.evaluate(() => localStorage.clear())
  await page.goto('/login')
  await page.getByRole('link', { name: 'Forgot your password?' }).click()
  await expect(page).toHaveURL(/\/forget\/email$/)
  // Wait for the new page, because the previous page has a field with this label too.
  await expect(page.getByRole('heading', { name: 'Set a new password' })).toBeVisible()
  await page.getByLabel('E-mail').fill(uniqueEmail('nobody'))
  await page.getByRole('button', { name: 'Send code' }).click()
  await expect(page.getByText('This e-mail is not registered')).toBeVisible()
  await page.getByLabel('E-mail').fill(email)
  await page.getByRole('button', { name: 'Send code' }).click()
  await page.getByLabel('Verification code').fill('000000')
  await page.getByLabel('New password').fill('Celery#42')
  await page.getByLabel('Confirm password').fill('Celery#42')
  await page.getByRole('button', { name: 'Set password' }).click()
  await expect(page.getByText('This code is wrong or has expired')).toBeVisible()
  await fillCode(page, email)
  await page.getByRole('button', { name: 'Set password' }).click()
  await expect(page).toHaveURL(/\/login$/)
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(page.getByText('Wrong account or password')).toBeVisible()
  await page.getByLabel('Password', { exact: true }).fill('Celery#42')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(page.getByRole('heading', { name: 'First steps' })).toBeVisible()
})

test('a mailed link signs in once and leaves no code in the address', async ({ page }) => {
  const email = uniqueEmail('linked')
  await register(page, { email, company: 'Linked & Co' })
  await page.evaluate(() => localStorage.clear())
  await page.goto('/login')
  await page.getByRole('link', { name: 'E-mail me a sign-in link' }).click()
  // Wait for the new page, because the previous page has a field with this label too.
  await expect(page.getByRole('heading', { name: 'Sign in by e-mail' })).toBeVisible()
  await page.getByLabel('E-mail').fill(email)
  await page.getByRole('button', { name: 'Send link' }).click()
  await expect(page.getByText(email)).toBeVisible()
  const link = await linkFor(email)
  await page.goto(link)
  await expect(page.getByRole('heading', { name: 'First steps' })).toBeVisible()
  expect(page.url()).not.toContain('token')
  await page.evaluate(() => localStorage.clear())
  await page.goto(link)
  await expect(page.getByRole('heading', { name: 'Verification of the token failed' })).toBeVisible()
})

test('a user founds another company and chooses a company after sign-in', async ({ page }) => {
  const email = uniqueEmail('founder')
  await register(page, { email, company: 'First Ltd' })
  await page.getByRole('button', { name: /Rhea Roth/ }).click()
  await page.getByRole('menuitem', { name: 'Company', exact: true }).click()
  await page.getByRole('menuitem', { name: 'All companies…' }).click()
  await page.getByRole('link', { name: 'Create a new company' }).click()
  await page.getByLabel('Organization name').fill('Second Ltd')
  await page.getByRole('button', { name: 'Create company' }).click()
  await expect(page.locator('.head .company')).toHaveText('Second Ltd')
  await page.evaluate(() => localStorage.clear())
  await page.goto('/login')
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(page.getByRole('heading', { name: 'Choose a company' })).toBeVisible()
  await settled(page)
  expect(await axeFindings(page)).toEqual([])
  await page.getByRole('button', { name: /Second Ltd/ }).click()
  await expect(page.locator('.head .company')).toHaveText('Second Ltd')
})

test('a user changes name and sign-in address in the profile', async ({ page }) => {
  const [email, next] = [uniqueEmail('old'), uniqueEmail('new')]
  await register(page, { email, company: 'Profile Ltd' })
  const open = async () => {
    await page.getByRole('button', { name: /Roth/ }).click()
    await page.getByRole('menuitem', { name: 'My profile' }).click()
  }
  await open()
  await page.getByLabel('First name').fill('Rita')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByRole('button', { name: /Rita Roth/ })).toBeVisible()
  await open()
  await page.getByRole('button', { name: 'Change sign-in e-mail' }).click()
  await page.getByLabel('New e-mail').fill(next)
  await page.getByRole('button', { name: 'Send code' }).click()
  await fillCode(page, next)
  await page.getByLabel('Your password').fill(password)
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('You now sign in with the new e-mail').last()).toBeVisible()
  await call('user/login', { email: next, password })
})

test('an administrator can print invitations', async ({ page }) => {
  await openAs(page, 'administrator', '/printGlobal')
  await expect(page.getByRole('heading', { name: 'Join Demo Works' })).toBeVisible()
  await expect(page.getByRole('img', { name: /QR code/ })).toBeVisible()
  await settled(page)
  expect(await axeFindings(page)).toEqual([])
})

test('an employee cannot open the printed invitations', async ({ page }) => {
  await openAs(page, 'employee', '/printGlobal')
  await expect(page).toHaveURL(/\/404$/)
})
