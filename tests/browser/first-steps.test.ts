import { axeFindings, call, expect, newCompany, openAs, settled, test } from './site.ts'

test('a newcomer completes the first steps, with sample data loaded and removed on the way', { tag: '@long' }, async ({
  page,
}) => {
  test.setTimeout(420_000)
  const token = await newCompany()
  await openAs(page, { token }, '/dashboard')
  const card = page.locator('.first-steps-card')
  await expect(card.getByRole('heading', { name: 'First steps' })).toBeVisible()
  await card.getByRole('button', { name: 'Load sample data' }).click()
  await expect(card.getByText('12 invented people are in your company.', { exact: false })).toBeVisible({
    timeout: 150_000,
  })
  // The list of people shows them, clearly marked by their department.
  await page.getByRole('button', { name: /Account menu/ }).click()
  await page.getByRole('menuitem', { name: 'First steps' }).click()
  await expect(page).toHaveURL(/\/guid$/)
  await expect(page.getByText('5 of 7 done')).toBeVisible()
  await settled(page)
  expect(await axeFindings(page)).toEqual([])
  await page.getByRole('button', { name: 'Remove sample data' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove sample data' }).click()
  await expect(page.getByRole('button', { name: 'Load sample data' })).toBeVisible({ timeout: 150_000 })
  await expect(page.getByText('0 of 7 done')).toBeVisible()

  // The newcomer now sets up the own company, one step after the other.
  const company = await call('company/get', {}, token)
  const { version, name, storesTemplates, retentionMonths } = company
  await call('company/update', { version, name, storesTemplates, retentionMonths, address: '1 Olive Street' }, token)
  const department = await call('department/add', { name: 'Kitchen' }, token)
  const device = { serialNumber: `FIRST${Date.now()}`, name: 'Door', department: department.id }
  await call('device/add', device, token)
  const person = { first_name: 'Petra', last_name: 'Plum', workno: '2', department: department.id }
  const { id } = await call('employee/add', person, token)
  const times = { onDuty: '09:00', offDuty: '17:00', punchStart: '07:00', punchEnd: '22:00' }
  const shift = await call('shift/add', { name: 'Day', ...times }, token)
  await expect(page.getByText('5 of 7 done')).toBeVisible()
  const tomorrow = new Date(Date.now() + 24 * 3600_000).toISOString().slice(0, 10)
  const plan = { employees: [id], days: [tomorrow], shift: shift.id }
  await call('schedule/add', plan, token, { 'x-timezone': 'Europe/Athens' })
  await expect(page.getByText('6 of 7 done')).toBeVisible()
  const yesterday = new Date(Date.now() - 24 * 3600_000).toISOString().slice(0, 10)
  await call('record/add', { employee: id, date: yesterday, time: '09:00', reason: 'First day' }, token)
  await expect(page.getByText('Setup is complete.', { exact: false })).toBeVisible()
  await page.getByRole('link', { name: 'Go to dashboard' }).click()
  await expect(page.getByRole('heading', { name: 'Today', level: 1 })).toBeVisible()
  await expect(card).toHaveCount(0)
  // A reload reads nothing about the finished steps.
  const paths: string[] = []
  page.on('request', request => paths.push(new URL(request.url()).pathname))
  await page.reload()
  await expect(page.getByRole('heading', { name: 'Today', level: 1 })).toBeVisible()
  await settled(page)
  expect(paths).toContain('/api/dashboard/today')
  for (const path of ['company/get', 'shift/all', 'schedule/grid', 'record/grid'])
    expect(paths).not.toContain(`/api/${path}`)
})

test('an administrator hides the first steps and finds them in the account menu', async ({ page }) => {
  await openAs(page, { token: await newCompany() }, '/dashboard')
  const card = page.locator('.first-steps-card')
  await card.getByRole('button', { name: 'Hide' }).click()
  await expect(card).toHaveCount(0)
  await page.getByRole('button', { name: /Account menu/ }).click()
  await page.getByRole('menuitem', { name: 'First steps' }).click()
  await page.getByRole('button', { name: 'Show on the dashboard' }).click()
  await page.getByRole('link', { name: 'Go to dashboard' }).click()
  await expect(card).toBeVisible()
})

test('the local sign-in page signs in a person of the demo company with one click', { tag: '@long' }, async ({
  page,
}) => {
  await openAs(page, 'stranger', '/login')
  await expect(page.getByRole('heading', { name: 'Try the demo company' })).toBeVisible()
  await settled(page)
  expect(await axeFindings(page)).toEqual([])
  await page.getByRole('button', { name: /^Manager/ }).click()
  await expect(page).toHaveURL(/\/dashboard$/)
  await page.evaluate(() => localStorage.clear())
  await page.goto('/login/employee')
  await page.getByRole('button', { name: /^Employee/ }).click()
  await expect(page).toHaveURL(/\/dashboard$/)
})
