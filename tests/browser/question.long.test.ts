import type { Page, Route } from '@playwright/test'
import { addMonths } from '../../shared/local-day.ts'
import { call, expect, newCompany, openAs, test } from './site.ts'

// What is asked once more before it is done: where no answer comes the question stays, and so does what was entered, be it in
// the question or in the form under it.

test.use({ timezoneId: 'Etc/UTC', viewport: { width: 1440, height: 900 } })

const silence = (route: Route) => route.abort()
const refusal =
  (code: number, fields = {}) =>
  (route: Route) =>
    route.fulfill({ json: { code, message: 'Refused', fields } })
const question = (page: Page, name: string | RegExp) => page.getByRole('dialog', { name })
const unanswered = /^No response from the server/

/** Answers with yes while nobody answers the path: the question stays, and says so. */
const agreeInVain = async (page: Page, path: string, name: string | RegExp, yes: string) => {
  await page.route(`**/api/${path}`, silence)
  await question(page, name).getByRole('button', { name: yes, exact: true }).click()
  await expect(question(page, name).getByRole('alert')).toHaveText(unanswered)
  await expect(page.locator('.toast')).toHaveCount(0)
  await page.unroute(`**/api/${path}`)
}

test('a changed shift is asked about until it is saved; what is refused of it stands at its field', async ({
  page,
}) => {
  await openAs(page, 'administrator', '/shift')
  await page.getByRole('button', { name: 'Late', exact: true }).click()
  const panel = question(page, 'Late')
  await panel.getByRole('textbox', { name: 'End time' }).fill('22:30')
  await panel.getByRole('button', { name: 'Save' }).click()
  const asked = 'Save changes to Late?'
  await agreeInVain(page, 'shift/update', asked, 'Save and recalculate')
  await page.route('**/api/shift/update', refusal(59022))
  await question(page, asked).getByRole('button', { name: 'Save and recalculate' }).click()
  await expect(question(page, asked)).toHaveCount(0)
  await expect(panel.getByText('The end time must be later than the start time')).toBeVisible()
  await expect(panel.getByRole('textbox', { name: 'End time' })).toHaveValue('22:30')
  await expect(panel.getByRole('textbox', { name: 'End time' })).toBeFocused()
})

test('days are asked about until they are locked', async ({ page }) => {
  await openAs(page, { token: await newCompany() }, '/report')
  await page.getByRole('button', { name: 'Lock days' }).click()
  const panel = question(page, 'Locked days')
  await panel.getByRole('combobox', { name: 'Lock through' }).fill('2020-01-31')
  await panel.getByRole('button', { name: 'Lock', exact: true }).click()
  await agreeInVain(page, 'report/lock/update', /^Lock all days/, 'Lock')
  await question(page, /^Lock all days/)
    .getByRole('button', { name: 'Lock', exact: true })
    .click()
  await expect(page.getByRole('dialog')).toHaveCount(0)
})

test('an endpoint is asked about until it is switched off or has its new secret, and keeps the one that was typed', async ({
  page,
}) => {
  const token = await newCompany()
  const { id } = await call('webhooks/endpoint/add', { url: 'http://127.0.0.1:8099/attendance', events: [] }, token)
  await openAs(page, { token }, `/system/application?endpoint=${id}`)
  await page.getByRole('button', { name: 'Edit' }).click()
  await page.getByRole('button', { name: 'New secret' }).click()
  const asked = question(page, 'Create a new secret?')
  const own = asked.getByLabel('Your own secret')
  await own.fill('quite-long-enough-a-secret')
  await agreeInVain(page, 'webhooks/endpoint/rotate', 'Create a new secret?', 'New secret')
  await page.route('**/api/webhooks/endpoint/rotate', refusal(60017))
  await asked.getByRole('button', { name: 'New secret' }).click()
  await expect(asked.getByRole('alert')).toHaveText('This is already done')
  await expect(own).toHaveValue('quite-long-enough-a-secret')
  await asked.getByRole('button', { name: 'Cancel' }).click()

  await page.getByRole('switch', { name: 'Enabled' }).uncheck()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await agreeInVain(page, 'webhooks/endpoint/update', /^Disable the endpoint/, 'Disable')
  await question(page, /^Disable the endpoint/)
    .getByRole('button', { name: 'Disable' })
    .click()
  await expect(page.getByRole('dialog')).toHaveCount(0)
})

test('what is replaced, and what is taken back, on the board is asked about until it is begun', async ({ page }) => {
  const month = addMonths(`${new Date().toISOString().slice(0, 7)}-01`, 13).slice(0, 7)
  await openAs(page, 'administrator', `/schedule?month=${month}`)
  const cell = page.locator('[data-row="3"][data-column="20"]')
  const save = page.getByRole('button', { name: 'Save', exact: true })
  const paint = async (key: string) => {
    await cell.click()
    await page.keyboard.press(key)
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Save 1 day' }).click()
  }
  await paint('2')
  await expect(save).toBeDisabled()
  await expect(cell).toHaveAccessibleName(/: Day /)
  await paint('3')
  await agreeInVain(page, 'schedule/plan', 'Replace scheduled shifts?', 'Save')
  await expect(cell).toHaveAccessibleName(/: Late .* \(not saved\)$/)
  await question(page, 'Replace scheduled shifts?').getByRole('button', { name: 'Save', exact: true }).click()
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await expect(cell).toHaveAccessibleName(/: Late 14:00–22:00$/)

  await page.getByRole('button', { name: 'Undo save' }).click()
  await agreeInVain(page, 'schedule/plan', 'Undo the last save?', 'Undo')
  await question(page, 'Undo the last save?').getByRole('button', { name: 'Undo' }).click()
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await expect(cell).toHaveAccessibleName(/: Day [^(]*$/)
})

test('what is refused of a question in which something was typed is said in it, and what was typed stays', async ({
  page,
}) => {
  const token = await newCompany()
  const { list } = (await call('department/all', {}, token)) as { list: { id: string }[] }
  const person = { first_name: 'Ella', last_name: 'Ending', workno: '77', department: list[0]?.id }
  await call('employee/add', person, token)
  await openAs(page, { token }, '/employee')
  await page.getByRole('button', { name: 'Ella Ending' }).click()
  await page.getByRole('tab', { name: 'More' }).click()
  await page.getByRole('button', { name: 'Erase' }).click()
  const asked = question(page, 'Permanently erase Ella Ending?')
  const typed = asked.getByLabel(/^Type the employee ID/)
  await typed.fill('77')
  await page.route('**/api/employee/erase', refusal(60009))
  await asked.getByRole('button', { name: 'Erase' }).click()
  await expect(asked.getByRole('alert')).toHaveText('This is not available')
  await expect(typed).toHaveValue('77')
})
