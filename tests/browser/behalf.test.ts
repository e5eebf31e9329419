import type { Page } from '@playwright/test'
import { addDays } from '../../shared/local-day.ts'
import { dayIn, eveningZone } from '../kit/evening.ts'
import { openSocket } from '../kit/socket.ts'
import { address, axeFindings, call, expect, newCompany, openAs, settled, test } from './site.ts'

// Managers enter requests for other people, from the approvals, the leave and the exceptions.

const zone = eveningZone()
const today = dayIn(zone)
const tomorrow = addDays(today, 1)
const password = 'Rhubarb#42'
test.use({ timezoneId: zone, viewport: { width: 1440, height: 900 } })

/** Registers a company with employees who have an early shift from yesterday to the day after tomorrow. */
const addTeam = async (...names: string[]) => {
  const boss = await newCompany('Olive & Sons', zone)
  const { company } = (await call('auth/get', {}, boss)) as { company: { company_num: string } }
  const { list } = (await call('department/all', {}, boss)) as { list: { id: string }[] }
  const hours = { onDuty: '05:00', offDuty: '13:00', punchStart: '04:00', punchEnd: '15:00' }
  const { id: shift } = await call('shift/add', { name: 'Early', ...hours }, boss)
  const people: { id: string; token: string }[] = []
  for (const [i, first_name] of names.entries()) {
    const workno = String(11 + i)
    const person = { first_name, last_name: 'Early', workno, department: list[0]?.id, password }
    const { id } = await call('employee/add', person, boss)
    const { token } = await call('personal/login', { code: company.company_num, workno, password })
    people.push({ id: String(id), token: String(token) })
  }
  const employees = people.map(({ id }) => id)
  const days = [today, tomorrow, addDays(today, 2)]
  await call('schedule/add', { employees, days, shift }, boss, { 'x-timezone': zone })
  return { boss, department: list[0]?.id, people }
}

const panel = (page: Page) => page.getByRole('dialog')
const toastWith = (page: Page, text: string) => page.locator('.toast').filter({ hasText: text })
const pick = async (page: Page, name: string) => {
  await panel(page).getByRole('combobox', { name: 'Employees' }).fill(name)
  await page.getByRole('option', { name: new RegExp(name) }).click()
  await expect(panel(page).getByRole('list', { name: 'Employees' })).toContainText(name)
}
const inspect = async (page: Page, shot: string) => {
  await settled(page)
  await page.screenshot({ path: `tests/browser/shots/${shot}.png` })
  expect(await axeFindings(page)).toEqual([])
}

test('a manager enters sick leave with a preview, and the person sees who entered it', { tag: '@long' }, async ({
  page,
  browser,
}) => {
  const { boss, people } = await addTeam('Daphne', 'Zoe')
  const [daphne, zoe] = people
  if (!daphne || !zoe) throw new Error('Nobody')
  await call('personal/request/leave/add', { leaveType: 3, date: today, isAllDay: true }, zoe.token)
  await openAs(page, { token: boss }, '/approve')
  await page.getByRole('button', { name: 'Add request' }).click()

  await test.step('the form asks for the people and the leave type', async () => {
    await panel(page).getByRole('button', { name: 'Add and approve' }).click()
    await expect(panel(page).getByText('Please select employee')).toBeVisible()
  })
  await test.step('the preview shows what the leave takes and what it overlaps', async () => {
    await pick(page, 'Daphne')
    await pick(page, 'Zoe')
    await panel(page).getByLabel('Leave type').selectOption('Sick leave')
    const effects = panel(page).getByRole('region', { name: 'Leave taken' })
    await expect(effects.getByRole('listitem').first()).toContainText('1 day')
    await expect(effects).toContainText('Overlaps: Annual leave')
    await inspect(page, 'behalf-conflict')
    await panel(page).getByRole('button', { name: 'Add and approve' }).click()
    await expect(panel(page).locator('.error')).toContainText('Zoe Early: Already has a request for this time')
  })
  await test.step('it is entered for the people who can have it', async () => {
    await panel(page).getByRole('button', { name: 'Remove Zoe Early' }).click()
    await panel(page).getByLabel('Note').fill('Phoned in')
    await panel(page).getByRole('button', { name: 'Add and approve' }).click()
    await expect(toastWith(page, 'Approved')).toBeVisible()
    await expect(panel(page)).toHaveCount(0)
  })

  const phone = await browser.newContext({
    ...{ baseURL: new URL(page.url()).origin, timezoneId: zone, locale: 'en-GB' },
    ...{ viewport: { width: 390, height: 844 }, hasTouch: true },
  })
  const own = await phone.newPage()
  await openAs(own, { token: daphne.token }, '/request')
  await expect(own.getByRole('list', { name: 'My requests' })).toContainText('Entered by Olga Owner')
  await own.locator('.request-row').tap()
  await expect(own.getByRole('dialog')).toContainText('Approved by Olga Owner')
  await inspect(own, 'behalf-own')
  await phone.close()
})

test('from an exception, a manager opens the leave of that person and day; with two approvers it waits for the second', {
  tag: '@long',
}, async ({ page }) => {
  const { boss, department } = await addTeam('Daphne')
  const { version } = await call('approve/params', {}, boss)
  await call('approve/params/update', { version, secondStep: [2] }, boss)
  const sn = `BEHALF${Date.now()}${Math.random().toString(36).slice(2, 6)}`.toUpperCase()
  const { serverPath } = await call('device/add', { serialNumber: sn, name: 'Gate', department }, boss)
  const terminal = await openSocket(address(), { path: String(serverPath) })
  terminal.say({ cmd: 'reg', sn, cpusn: 'c1', devinfo: { modelname: 'AiFace', firmware: 'v1', usednewlog: 0 } })
  await terminal.hear({ ret: 'reg' })
  const record = [{ enrollid: 11, time: `${today} 04:55:00`, mode: 8, inout: 0, event: 0 }]
  terminal.say({ cmd: 'sendlog', sn, count: 1, logindex: 1, record })
  expect(await terminal.hear({ ret: 'sendlog' })).toMatchObject({ result: true })

  const filters = { from: today, to: today }
  await expect.poll(async () => (await call('exception/grid', { filters }, boss)).count, { timeout: 60_000 }).toBe(1)
  await openAs(page, { token: boss }, '/exception')
  const entry = page.getByRole('button', { name: /^More actions: Daphne Early/ })
  await expect(entry).toBeVisible()
  await inspect(page, 'behalf-exception')
  await entry.click()
  await page.getByRole('menuitem', { name: 'Add leave…' }).click()
  await page.setViewportSize({ width: 390, height: 844 })
  await expect(panel(page)).toContainText('Daphne Early')
  await expect(panel(page).getByRole('combobox', { name: 'First day' })).toHaveValue(today)
  await panel(page).getByLabel('Leave type').selectOption('Sick leave')
  await expect(panel(page).getByRole('region', { name: 'Leave taken' })).toContainText('1 day')
  await expect(panel(page)).toContainText('A second person has to approve before it takes effect.')
  await inspect(page, 'behalf-390')
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
  await panel(page).getByRole('button', { name: 'Add and approve' }).click()
  await expect(toastWith(page, 'Waits for a second approval')).toBeVisible()

  await page.goto('/leave')
  await settled(page)
  await page.screenshot({ path: 'tests/browser/shots/behalf-leave-390.png' })
  await page.getByRole('button', { name: 'Add leave' }).click()
  await expect(panel(page).getByRole('heading', { name: 'Add leave' })).toBeVisible()
  await page.goto('/approve')
  await settled(page)
  await page.screenshot({ path: 'tests/browser/shots/behalf-approve-390.png' })
})
