import type { Page, Route } from '@playwright/test'
import { addMonths } from '../../shared/local-day.ts'
import { call, expect, newCompany, openAs, test } from './site.ts'

// The server does not answer after a confirmation. The question stays open, and the question and the form behind it
// keep their values.

test.use({ timezoneId: 'Etc/UTC', viewport: { width: 1440, height: 900 } })

const dropRequest = (route: Route) => route.abort()
const refuse =
  (code: number, fields = {}) =>
  (route: Route) =>
    route.fulfill({ json: { code, message: 'Refused', fields } })
const question = (page: Page, name: string | RegExp) => page.getByRole('dialog', { name })
const noResponse = /^No response from the server/

/** Confirms while the path sends no answer. The question stays open and shows an error. */
const confirmWithoutAnswer = async (page: Page, path: string, name: string | RegExp, button: string) => {
  await page.route(`**/api/${path}`, dropRequest)
  await question(page, name).getByRole('button', { name: button, exact: true }).click()
  await expect(question(page, name).getByRole('alert')).toHaveText(noResponse)
  await expect(page.locator('.toast')).toHaveCount(0)
  await page.unroute(`**/api/${path}`)
}

test('the question about a changed shift stays until the save, and the form shows a refusal at its field', async ({
  page,
}) => {
  await openAs(page, 'administrator', '/shift')
  await page.getByRole('button', { name: 'Late', exact: true }).click()
  const panel = question(page, 'Late')
  await panel.getByRole('textbox', { name: 'End time' }).fill('22:30')
  await panel.getByRole('button', { name: 'Save' }).click()
  const title = 'Save changes to Late?'
  await confirmWithoutAnswer(page, 'shift/update', title, 'Save and recalculate')
  await page.route('**/api/shift/update', refuse(59022))
  await question(page, title).getByRole('button', { name: 'Save and recalculate' }).click()
  await expect(question(page, title)).toHaveCount(0)
  await expect(panel.getByText('The end time must be later than the start time')).toBeVisible()
  await expect(panel.getByRole('textbox', { name: 'End time' })).toHaveValue('22:30')
  await expect(panel.getByRole('textbox', { name: 'End time' })).toBeFocused()
})

test('the question about locking days stays until the lock', async ({ page }) => {
  await openAs(page, { token: await newCompany() }, '/report')
  await page.getByRole('button', { name: 'Lock days' }).click()
  const panel = question(page, 'Locked days')
  await panel.getByRole('combobox', { name: 'Lock through' }).fill('2020-01-31')
  await panel.getByRole('button', { name: 'Lock', exact: true }).click()
  await confirmWithoutAnswer(page, 'report/lock/update', /^Lock all days/, 'Lock')
  await question(page, /^Lock all days/)
    .getByRole('button', { name: 'Lock', exact: true })
    .click()
  await expect(page.getByRole('dialog')).toHaveCount(0)
})

test('the questions about an endpoint stay until it is disabled or has a new secret, and keep the typed secret', async ({
  page,
}) => {
  const token = await newCompany()
  const { id } = await call('webhooks/endpoint/add', { url: 'http://127.0.0.1:8099/attendance', events: [] }, token)
  await openAs(page, { token }, `/system/Application?endpoint=${id}`)
  await page.getByRole('button', { name: 'Edit' }).click()
  await page.getByRole('button', { name: 'New secret' }).click()
  const rotation = question(page, 'Create a new secret?')
  const ownSecret = rotation.getByLabel('Your own secret')
  await ownSecret.fill('quite-long-enough-a-secret')
  await confirmWithoutAnswer(page, 'webhooks/endpoint/rotate', 'Create a new secret?', 'New secret')
  await page.route('**/api/webhooks/endpoint/rotate', refuse(60017))
  await rotation.getByRole('button', { name: 'New secret' }).click()
  await expect(rotation.getByRole('alert')).toHaveText(
    'We already received this request. Reload the page to see its result.',
  )
  await expect(ownSecret).toHaveValue('quite-long-enough-a-secret')
  await rotation.getByRole('button', { name: 'Cancel' }).click()

  await page.getByRole('switch', { name: 'Enabled' }).uncheck()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await confirmWithoutAnswer(page, 'webhooks/endpoint/update', /^Disable the endpoint/, 'Disable')
  await question(page, /^Disable the endpoint/)
    .getByRole('button', { name: 'Disable' })
    .click()
  await expect(page.getByRole('dialog')).toHaveCount(0)
})

test('the board’s questions about replacing and undoing stay until the task starts', async ({ page }) => {
  const month = addMonths(`${new Date().toISOString().slice(0, 7)}-01`, 13).slice(0, 7)
  await openAs(page, 'administrator', `/schedule?month=${month}`)
  const cell = page.locator('[data-row="3"][data-column="20"]')
  const save = page.getByRole('button', { name: 'Save', exact: true })
  const assign = async (key: string) => {
    await cell.click()
    await page.keyboard.press(key)
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Save 1 day' }).click()
  }
  await assign('2')
  await expect(save).toBeDisabled()
  await expect(cell).toHaveAccessibleName(/: Day /)
  await assign('3')
  await confirmWithoutAnswer(page, 'schedule/plan', 'Replace scheduled shifts?', 'Save')
  await expect(cell).toHaveAccessibleName(/: Late .* \(not saved\)$/)
  await question(page, 'Replace scheduled shifts?').getByRole('button', { name: 'Save', exact: true }).click()
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await expect(cell).toHaveAccessibleName(/: Late 14:00–22:00$/)

  await page.getByRole('button', { name: 'Undo save' }).click()
  await confirmWithoutAnswer(page, 'schedule/plan', 'Undo the last save?', 'Undo')
  await question(page, 'Undo the last save?').getByRole('button', { name: 'Undo' }).click()
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await expect(cell).toHaveAccessibleName(/: Day [^(]*$/)
})

test('a question with a field shows a refusal and keeps the typed value', async ({ page }) => {
  const token = await newCompany()
  const { list } = (await call('department/all', {}, token)) as { list: { id: string }[] }
  const person = { first_name: 'Ella', last_name: 'Ending', workno: '77', department: list[0]?.id }
  await call('employee/add', person, token)
  await openAs(page, { token }, '/employee')
  await page.getByRole('link', { name: 'Ella Ending' }).click()
  await page.getByRole('button', { name: 'More actions for Ella Ending' }).click()
  await page.getByRole('menuitem', { name: 'More' }).click()
  await page.getByRole('button', { name: 'Erase' }).click()
  const erasure = question(page, 'Permanently erase Ella Ending?')
  const confirmation = erasure.getByLabel(/^Type the employee ID/)
  await confirmation.fill('77')
  await page.route('**/api/employee/erase', refuse(60009))
  await erasure.getByRole('button', { name: 'Erase' }).click()
  await expect(erasure.getByRole('alert')).toHaveText('This is not available. Please reload the page.')
  await expect(confirmation).toHaveValue('77')
})
