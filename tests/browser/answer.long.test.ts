import type { Page, Route } from '@playwright/test'
import { expect, leaveRoutes, newCompany, openAs, test, watch } from './site.ts'

// The site shows each answer code in the user's language, at a field or in a toast. The tests fake answers that the server
// never sends.

const answerWith = (body: unknown) => (route: Route) => route.fulfill({ json: body })

const addDepartment = async (page: Page, name: string) => {
  await openAs(page, 'administrator', '/department')
  await page.getByRole('button', { name: 'Add department', exact: true }).click()
  await page.getByLabel('Department name').fill(name)
}
const save = (page: Page) => page.getByRole('button', { name: 'Save' }).click()
const toast = (page: Page) => page.locator('.toast')

test('the site accepts answers with code 0 or 200 as success', async ({ page }) => {
  await openAs(page, 'administrator', '/employee')
  await expect(page.getByRole('row', { name: /Ada Brandt/ })).toBeVisible()
  await page.route('**/api/employee/grid', async route => {
    const body = await (await route.fetch()).json()
    await route.fulfill({ json: { ...body, code: 200 } })
  })
  await page.reload()
  await expect(page.getByRole('row', { name: /Ada Brandt/ })).toBeVisible()
})

test('the site shows the sentence of a known error code, and the number of an unknown error code', async ({ page }) => {
  await addDepartment(page, 'Unknown')
  await page.route('**/api/department/add', answerWith({ code: 77777, message: 'Surprise' }))
  await save(page)
  await expect(toast(page)).toHaveText('Error 77777. Please try again.')
  await page.unroute('**/api/department/add')
  await page.route('**/api/department/add', answerWith({ code: 60070, message: 'Too much' }))
  await save(page)
  await expect(toast(page).last()).toHaveText('The report has too many rows. Choose fewer days or fewer people.')
})

test('the site logs an answer without a code and accepts its data', async ({ browser, baseURL }) => {
  const page = await browser.newPage({ ...(baseURL && { baseURL }) })
  const complaints = watch(page)
  await page.route('**/api/employee/grid', async route => {
    const { data } = await (await route.fetch()).json()
    await route.fulfill({ json: data })
  })
  await openAs(page, 'administrator', '/employee')
  await expect(page.getByRole('row', { name: /Ada Brandt/ })).toBeVisible()
  expect(complaints.every(text => text.startsWith('employee/grid answered without a code'))).toBe(true)
  expect(complaints.length).toBeGreaterThan(0)
  await leaveRoutes(page)
  await page.close()
})

test('a toast shows each refusal for two seconds, and a missing answer for five seconds', async ({ page }) => {
  await page.clock.install()
  await addDepartment(page, 'Slow')
  await page.route('**/api/department/add', answerWith({ code: 60070, message: 'Too much' }))
  await save(page)
  await expect(toast(page)).toHaveCount(1)
  await page.clock.runFor(2000)
  await expect(toast(page)).toHaveCount(0)
  await save(page)
  await expect(toast(page)).toHaveCount(1)
  await page.clock.runFor(1500)
  const again = page.waitForResponse('**/api/department/add')
  await save(page)
  await again
  await expect(page.getByRole('button', { name: 'Save' })).not.toHaveAttribute('aria-busy')
  await page.clock.runFor(1500)
  await expect(toast(page)).toHaveCount(1)
  await page.clock.runFor(500)
  await expect(toast(page)).toHaveCount(0)

  await page.unroute('**/api/department/add')
  await page.route('**/api/department/add', route => route.abort())
  await save(page)
  const silence = toast(page).getByText('No response from the server. Check your network.')
  await expect(silence).toBeVisible()
  await page.clock.runFor(2500)
  await expect(silence).toBeVisible()
  await page.clock.runFor(2500)
  await expect(silence).toBeHidden()
})

test('the form stops waiting after twenty seconds without an answer', async ({ page }) => {
  await addDepartment(page, 'Never')
  const requestSent = Promise.withResolvers<void>()
  // The request never gets an answer.
  await page.route('**/api/department/add', () => requestSent.resolve())
  await page.clock.install()
  await save(page)
  await requestSent.promise
  await page.clock.runFor(15_000)
  await expect(page.getByRole('button', { name: 'Save' })).toBeDisabled()
  await page.clock.runFor(5000)
  await expect(toast(page)).toHaveText('No response from the server. Check your network.')
  await expect(page.getByRole('button', { name: 'Save' })).toBeEnabled()
  await page.unrouteAll({ behavior: 'ignoreErrors' })
})

for (const code of [101, 502])
  test(`the site asks the user to sign in again on code ${code}`, async ({ page }) => {
    await openAs(page, 'administrator', '/employee')
    await expect(page.getByRole('row', { name: /Ada Brandt/ })).toBeVisible()
    await page.route('**/api/employee/grid', answerWith({ code, message: 'Ended' }))
    await page.getByPlaceholder('Name, employee ID, e-mail or position').fill('grace')
    const question = page.getByRole('dialog', { name: 'Please sign in again' })
    await expect(question.getByRole('button', { name: 'Cancel' })).toBeVisible()
    await question.getByRole('button', { name: 'OK' }).click()
    await expect(page).toHaveURL(/\/login\?redirect=%2Femployee$/)
  })

test('a form asks for the required field that is empty', async ({ page }) => {
  const token = await newCompany()
  await openAs(page, { token }, '/organization/new')
  await page.getByRole('button', { name: 'Create company' }).click()
  await expect(page.getByText('Please enter an organization name')).toBeVisible()

  await page.goto('/system/company')
  await page.getByLabel('Company name').fill('')
  await save(page)
  await expect(page.getByText('Please enter an organization name')).toBeVisible()
  await page.getByLabel('Company name').fill('Olive & Sons')

  await page.goto('/shift')
  await page
    .getByRole('button', { name: /^Add shift$/ })
    .first()
    .click()
  await save(page)
  await expect(page.locator('.field .error').getByText('Please enter the shift name')).toBeVisible()
})
