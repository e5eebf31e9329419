import { randomUUID } from 'node:crypto'
import { addDays, addMonths } from '../../shared/local-day.ts'
import { pick } from './board.ts'
import { address, axeFindings, call, expect, mailTo, newCompany, openAs, settled, test } from './site.ts'

// Draft and publish: a manager turns drafts on, plans on the board, and publishes. The employee's bell, mail and calendar
// follow.

test.use({ timezoneId: 'Etc/UTC', viewport: { width: 1440, height: 900 } })

const password = 'Rhubarb#42'
/** The first job of a stack may wait for its start. */
const jobSeconds = 60
const month = addMonths(`${new Date().toISOString().slice(0, 7)}-01`, 1).slice(0, 7)
const [first, second] = [`${month}-01`, addDays(`${month}-01`, 1)]

/** A company with one employee and one shift, which plans in a draft. */
const addCompany = async () => {
  const boss = await newCompany('Olive & Sons', 'Etc/UTC')
  const { list } = (await call('department/all', {}, boss)) as { list: { id: string }[] }
  const { company } = (await call('auth/get', {}, boss)) as { company: { company_num: string } }
  const email = `ann-${randomUUID()}@example.com`
  const person = { first_name: 'Ann', last_name: 'Able', workno: '7', department: list[0]?.id, password, email }
  const { id } = await call('employee/add', person, boss)
  const { token } = await call('personal/login', { code: company.company_num, workno: '7', password })
  const shift = { name: 'Early', punchStart: '05:00', onDuty: '06:00', offDuty: '14:00', punchEnd: '15:00' }
  await call('shift/add', shift, boss)
  return { boss, ann: String(token), id: String(id), email }
}

test('a published plan reaches the ICS feed, the bell and the mail', async ({ page }) => {
  test.slow()
  const { boss, ann, email } = await addCompany()
  await openAs(page, { token: boss }, '/shift/params')
  await page.getByLabel('Plan in a draft').check({ force: true })
  await page.getByRole('button', { name: 'Save' }).last().click()
  await expect(page.locator('.toast', { hasText: 'Saved' })).toBeVisible()

  await page.goto(`${address()}/schedule?month=${month}`)
  const row = page.locator('.board-row', { hasText: 'Able' })
  const cell = (column: number) => row.locator(`[data-column="${column}"]`)
  await expect(cell(0)).toBeVisible()
  await pick(page, 'Early')
  await cell(0).click()
  await cell(1).click()
  await page.getByRole('button', { name: 'Save 2 days to the draft' }).click()
  await expect(page.getByText('2 days are not published')).toBeVisible({ timeout: jobSeconds * 1000 })
  await expect(cell(0)).toHaveAccessibleName(/: Early 06:00–14:00 \(draft\)$/)

  const calendar = String((await call('personal/calendar/add', {}, ann)).url)
  const feed = async () => (await fetch(calendar)).text()
  expect(await feed()).not.toContain('BEGIN:VEVENT')

  await page.getByRole('button', { name: 'Publish…' }).click()
  const panel = page.getByRole('dialog', { name: 'Publish the schedule' })
  await expect(panel).toContainText('Ann Able')
  await expect(panel).toContainText('day off → Early 06:00–14:00')
  await panel.getByLabel('Days').selectOption('shown')
  await expect(panel).toContainText('Ann Able')
  await settled(page)
  expect(await axeFindings(page)).toEqual([])
  await panel.getByRole('button', { name: 'Publish for 1 person' }).click()
  await expect(panel).toContainText('2 days published', { timeout: jobSeconds * 1000 })
  await panel.getByRole('button', { name: 'Close' }).last().click()
  await expect(page.getByText('2 days are not published')).toBeHidden()
  await expect(cell(0)).toHaveAccessibleName(/: Early 06:00–14:00$/)

  expect((await feed()).match(/DTSTART:(\d{8})T060000Z/g)).toEqual(
    [first, second].map(day => `DTSTART:${day.replaceAll('-', '')}T060000Z`),
  )
  await expect.poll(() => mailTo(email, /published your shifts/)).toContain('published your shifts')
  const own = await page.context().newPage()
  await openAs(own, { token: ann }, '/timecard')
  await own.getByRole('button', { name: 'Notifications, 1 unread' }).click()
  const bell = own.getByRole('dialog', { name: 'Notifications' })
  await bell.getByRole('button', { name: /published your shifts/ }).click()
  await expect(own).toHaveURL(new RegExp(`month=${month}`))
})

test('a manager discards a draft, and the published shifts show again', { tag: '@long' }, async ({ page }) => {
  test.slow()
  const { boss, id } = await addCompany()
  const { version } = (await call('company/schedule', {}, boss)) as { version: number }
  await call('company/schedule/update', { version, draftsSchedule: true }, boss)
  const { list } = (await call('shift/all', {}, boss)) as { list: { id: string }[] }
  const plan = { from: first, shifts: [list[0]?.id], rows: [{ employees: [id], cells: [[0]] }] }
  await call('schedule/draft/update', { plan }, boss, { 'x-timezone': 'Etc/UTC' })
  await expect
    .poll(() => call('schedule/draft/summary', {}, boss), { timeout: jobSeconds * 1000 })
    .toMatchObject({ days: 1 })
  await openAs(page, { token: boss }, `/schedule?month=${month}`)
  const cell = page.locator('.board-row', { hasText: 'Able' }).locator('[data-column="0"]')
  await expect(cell).toHaveAccessibleName(/: Early 06:00–14:00 \(draft\)$/)
  await page.getByRole('button', { name: 'Discard draft…' }).click()
  await page.getByRole('dialog', { name: 'Discard the draft?' }).getByRole('button', { name: 'Discard draft' }).click()
  await expect(cell).toHaveAccessibleName(/: day off$/)
  await expect(page.getByText('1 day is not published')).toBeHidden()
})

test('an employee creates a calendar address, renews it and stops it', { tag: '@long' }, async ({ page }) => {
  const { ann } = await addCompany()
  await openAs(page, { token: ann }, '/timecard')
  await page.getByRole('button', { name: 'Add to your calendar' }).click()
  const field = page.getByLabel('Calendar address')
  await expect(field).toHaveValue(/\/api\/calendar\.ics\?key=[\w-]{43}$/)
  await settled(page)
  expect(await axeFindings(page)).toEqual([])
  const url = await field.inputValue()
  expect((await fetch(url)).status).toBe(200)
  await page.getByRole('button', { name: 'Create a new address' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Create a new address' }).click()
  await expect(field).not.toHaveValue(url)
  expect((await fetch(url)).status).toBe(404)
  await page.getByRole('button', { name: 'Stop the calendar' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Stop the calendar' }).click()
  await expect(page.getByRole('button', { name: 'Add to your calendar' })).toBeVisible()
})
