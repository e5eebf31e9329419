import { call, expect, mailTo, openAs, people, test, tokenOf } from './site.ts'

test('a visitor signs in and returns to the requested page', async ({ page }) => {
  await openAs(page, 'stranger', '/record?from=2026-01-01')
  await expect(page).toHaveURL(/\/login\?redirect=%2Frecord%3Ffrom%3D2026-01-01$/)
  const [, { email, password }] = people.administrator
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(page).toHaveURL(/\/record\?from=2026-01-01$/)
  await expect(page.getByRole('heading', { name: 'Records' })).toBeVisible()
})

test('the site ignores a redirect to another site', { tag: '@long' }, async ({ page }) => {
  await openAs(page, 'administrator', '/login?redirect=//example.com/')
  await expect(page).toHaveURL(/\/dashboard$/)
})

test('the employee side has no management page and no management menu', { tag: '@long' }, async ({ page }) => {
  await openAs(page, 'employee', '/department')
  await expect(page).toHaveURL(/\/404$/)
  await expect(page.getByText("Sorry, we couldn't find that page.")).toBeVisible()
  await page.getByRole('link', { name: 'Go to home' }).click()
  await expect(page.getByRole('heading', { name: 'Hello, Daniel' })).toBeVisible()
  await expect(page.getByRole('navigation', { name: 'Main menu' }).getByRole('link')).toHaveText([
    'Dashboard',
    'Timecard',
    'My requests',
  ])
})

test('an unknown address shows the 404 page', { tag: '@long' }, async ({ page }) => {
  await openAs(page, 'administrator', '/nowhere/at/all')
  await expect(page).toHaveURL(/\/404$/)
})

test('an employee signs in by company number and employee ID', async ({ page }) => {
  await openAs(page, 'stranger', '/login')
  await page.getByRole('link', { name: 'Employee' }).click()
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(page.getByText('Cannot be empty here')).toHaveCount(3)
  const [, { code, workno, password }] = people.employee
  await page.getByLabel('Company ID').fill(code)
  await page.getByLabel('Employee ID').fill(workno)
  await page.getByLabel('Password', { exact: true }).fill(`${password}!`)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(page.getByText('Wrong account or password')).toBeVisible()
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(page.getByRole('heading', { name: 'Hello, Daniel' })).toBeVisible()
})

test('a manager of a department sees only that department', { tag: '@long' }, async ({ page }) => {
  await openAs(page, 'manager', '/department')
  // The heading of the tree counts as a row too.
  await expect(page.getByRole('treegrid', { name: 'Departments' }).getByRole('row')).toHaveCount(2)
  await expect(page.getByRole('row').getByRole('button', { name: 'Production', exact: true })).toBeVisible()
})

test('a user without permission for a page gets another page of its group, and the menu omits groups without pages', {
  tag: '@long',
}, async ({ page }) => {
  const administrator = await tokenOf('administrator')
  const { id: roleId } = await call(
    'role/add',
    { name: `Devices ${Date.now()}`, permissions: [2, 9], departments: [] },
    administrator,
  )
  const { list } = (await call('department/all', {}, administrator)) as { list: { id: string }[] }
  const [email, password] = [`device-${Date.now()}@example.com`, 'Rhubarb#42']
  const workno = String(Date.now() % 1_000_000_000)
  const person = { first_name: 'Dora', last_name: 'Door', workno, department: list[0]?.id }
  const { id } = await call('employee/add', { ...person, email, role: 2, roleId }, administrator)
  await call('employee/send_qrcode', { ids: [id] }, administrator)
  const invitation = /\/join#([\w-]+)/.exec(await mailTo(email))?.[1]
  const join = { token: invitation, account: 'new', password, confirm_password: password, terms: true }
  const { token } = await call('user/invite/join', join)

  await page.addInitScript(token => localStorage.setItem('token', token), String(token))
  await page.goto('/employee')
  await expect(page).toHaveURL(/\/device$/)
  const menu = page.getByRole('navigation', { name: 'Main menu' }).getByRole('link')
  await expect(menu).toHaveText(['Dashboard', 'Organization', 'Records'])
  await expect(page.getByRole('navigation', { name: 'Organization' }).getByRole('link')).toHaveText(['Devices'])
  await page.goto('/schedule')
  await expect(page).toHaveURL(/\/404$/)
})
