import { randomUUID } from 'node:crypto'
import type { Page } from '@playwright/test'
import { addDays } from '../../shared/local-day.ts'
import { dayIn, eveningZone } from '../kit/evening.ts'
import { openSocket } from '../kit/socket.ts'
import { address, axeFindings, call, expect, mailTo, newCompany, openAs, settled, test, watch } from './site.ts'

// Managers decide on requests: in a second window, by keyboard, in two steps and as a delegate.

const zone = eveningZone()
const today = dayIn(zone)
const [tomorrow, later] = [addDays(today, 1), addDays(today, 2)]
const password = 'Rhubarb#42'
test.use({ timezoneId: zone })

const longDay = (day: string) =>
  new Intl.DateTimeFormat('en', { weekday: 'long', day: 'numeric', month: 'long', timeZone: 'UTC' }).format(
    new Date(`${day}T12:00:00Z`),
  )

/** Registers a company with employees who have an early shift today and on the next two days. */
const addTeam = async (...names: string[]) => {
  const boss = await newCompany('Olive & Sons', zone)
  const { company } = (await call('auth/get', {}, boss)) as { company: { company_num: string } }
  const { list } = (await call('department/all', {}, boss)) as { list: { id: string }[] }
  const department = list[0]?.id
  const hours = { onDuty: '05:00', offDuty: '13:00', punchStart: '04:00', punchEnd: '15:00' }
  const { id: shift } = await call('shift/add', { name: 'Early', ...hours }, boss)
  const people: { id: string; token: string }[] = []
  for (const [i, first_name] of names.entries()) {
    const workno = String(11 + i)
    const { id } = await call('employee/add', { first_name, last_name: 'Early', workno, department, password }, boss)
    const { token } = await call('personal/login', { code: company.company_num, workno, password })
    people.push({ id: String(id), token: String(token) })
  }
  const employees = people.map(({ id }) => id)
  await call('schedule/add', { employees, days: [today, tomorrow, later], shift }, boss, { 'x-timezone': zone })
  return { boss, department, people }
}

/** Invites another manager who may approve. Returns the manager's token. */
const addManager = async (boss: string, department: string | undefined, first_name: string) => {
  const email = `manager-${randomUUID()}@example.com`
  const person = { first_name, last_name: 'M', workno: '90', department, email, role: 2, roleId: 'personnelmanager' }
  const { id } = await call('employee/add', person, boss)
  await call('employee/send_qrcode', { ids: [id] }, boss)
  const link = /\/join#([\w-]{43})/
  const token = link.exec(await mailTo(email, link))?.[1]
  const form = { token, account: 'new', password, confirm_password: password, terms: true }
  return String((await call('user/invite/join', form)).token)
}

const askLeave = (token: string, date: string, notes?: string) =>
  call('personal/request/leave/add', { leaveType: 3, date, isAllDay: true, ...(notes && { notes }) }, token)
const askOvertime = (token: string, date: string) =>
  call('personal/request/overtime/add', { date, from: '18:00', to: '20:00' }, token)

const rows = (page: Page) => page.locator('.worklist .grid-body > .grid-row')
const toastWith = (page: Page, text: string) => page.locator('.toast').filter({ hasText: text })
const focused = (page: Page) => page.locator('.grid-row', { has: page.locator(':focus') })
const inspect = async (page: Page, shot: string) => {
  await settled(page)
  await page.screenshot({ path: `tests/browser/shots/${shot}.png` })
  expect(await axeFindings(page)).toEqual([])
}

test('a manager approves a new request, and the employee sees the changed month, both without a reload', async ({
  page,
  browser,
}) => {
  const { boss, department, people } = await addTeam('Daphne', 'Zoe')
  const [daphne, zoe] = people
  if (!daphne || !zoe) throw new Error('Nobody')
  const sn = `TWO${Date.now()}${Math.random().toString(36).slice(2, 6)}`.toUpperCase()
  const { serverPath } = await call('device/add', { serialNumber: sn, name: 'Gate', department }, boss)
  const terminal = await openSocket(address(), { path: String(serverPath) })
  terminal.say({ cmd: 'reg', sn, cpusn: 'c1', devinfo: { modelname: 'AiFace', firmware: 'v1', usednewlog: 0 } })
  await terminal.hear({ ret: 'reg' })
  const record = [{ enrollid: 11, time: `${today} 04:55:00`, mode: 8, inout: 0, event: 0 }]
  terminal.say({ cmd: 'sendlog', sn, count: 1, logindex: 1, record })
  expect(await terminal.hear({ ret: 'sendlog' })).toMatchObject({ result: true })
  await askLeave(zoe.token, tomorrow)

  await openAs(page, { token: boss }, '/approve')
  await expect(rows(page)).toHaveCount(1)
  await expect(page.getByText('1 request waiting for you')).toBeVisible()

  const phone = await browser.newContext({
    ...{ baseURL: address(), timezoneId: zone, locale: 'en-GB' },
    ...{ viewport: { width: 390, height: 844 }, hasTouch: true },
  })
  const timecard = await phone.newPage()
  const complaints = watch(timecard)
  await openAs(timecard, { token: daphne.token }, '/timecard')
  const day = (date: string) =>
    timecard.getByRole('grid').getByRole('button', { name: new RegExp(`^${longDay(date)},`) })
  await expect(day(today)).toHaveAccessibleName(/Early, 04:55–…/)

  await test.step('the employee requests the missing punch', async () => {
    await day(today).tap()
    await timecard.getByRole('link', { name: 'Add clock-out' }).tap()
    const form = timecard.getByRole('dialog', { name: 'Request a missing punch' })
    await form.getByLabel('Note').fill('The terminal was busy')
    await form.getByRole('button', { name: 'Send' }).tap()
    await expect(form).toHaveCount(0)
    await timecard.getByRole('link', { name: 'Timecard' }).tap()
    await expect(day(today)).toHaveAccessibleName(/Missing punch: Pending/)
  })

  await test.step('the manager sees the request and its effect', async () => {
    await expect(rows(page)).toHaveCount(2)
    await expect(page.getByText('2 requests waiting for you')).toBeVisible()
    await expect(page.getByRole('link', { name: /^Approvals/ })).toContainText('2')
    await inspect(page, 'approve-list')
    await rows(page).filter({ hasText: 'Daphne' }).getByRole('button', { name: 'Open: Daphne Early' }).click()
    const panel = page.getByRole('dialog', { name: 'Daphne Early · Missing punch' })
    await expect(panel.getByText('The terminal was busy')).toBeVisible()
    const effects = panel.locator('.judged-days > li')
    await expect(effects).toHaveCount(1)
    await expect(effects).toContainText(/Now04:55 – \?.*No clock-out.*With this request04:55 – 13:00/)
    await inspect(page, 'approve-panel')
    await panel.getByRole('button', { name: 'Approve' }).click()
    const question = page.getByRole('dialog', { name: 'Approve this request?' })
    await inspect(page, 'approve-question')
    await question.getByRole('button', { name: 'Approve' }).click()
    await expect(panel.getByText('Approved by Olga Owner')).toBeVisible()
    await page.keyboard.press('Escape')
    await expect(rows(page)).toHaveCount(1)
  })

  await test.step('the employee sees the month change', async () => {
    await expect(day(today)).toHaveAccessibleName(/Early, 04:55–13:00.*Missing punch: Approved/)
    expect(complaints).toEqual([])
    await phone.close()
  })
})

test('a manager works through requests by keyboard', { tag: '@long' }, async ({ page }) => {
  const { boss, people } = await addTeam('Ada', 'Ben', 'Carl')
  for (const { token } of people) await askLeave(token, tomorrow, 'A wedding')
  await openAs(page, { token: boss }, '/approve')
  await expect(rows(page)).toHaveCount(3)

  await test.step('open a request', async () => {
    await page.getByRole('table', { name: 'Approvals' }).focus()
    await page.keyboard.press('ArrowDown')
    await expect(focused(page)).toContainText('Ada')
    await page.keyboard.press('j')
    await expect(focused(page)).toContainText('Ben')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Enter')
    const panel = page.getByRole('dialog', { name: 'Ada Early · Annual leave' })
    await expect(panel.getByText('2 of 4 people')).toBeVisible()
    await expect(panel.locator('.judged-days > li')).toContainText(/Working day.*Leave\s480\smin/)
    await inspect(page, 'approve-panel-leave')
    await page.keyboard.press('Escape')
    await expect(panel).toHaveCount(0)
    await expect(focused(page)).toContainText('Ada')
  })

  await test.step('approve the request after a question and move to the next', async () => {
    await page.keyboard.press('a')
    const question = page.getByRole('dialog', { name: 'Approve this request?' })
    await expect(question).toContainText('Ada Early')
    await question.getByRole('button', { name: 'Approve' }).focus()
    await page.keyboard.press('Enter')
    await expect(toastWith(page, '1 request approved')).toBeVisible()
    await expect(rows(page)).toHaveCount(2)
    await expect(focused(page)).toContainText('Ben')
  })

  await test.step('select two requests and decline them with a reason', async () => {
    await page.keyboard.press('Space')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Space')
    await expect(page.getByText('2 selected')).toBeVisible()
    await page.keyboard.press('d')
    const question = page.getByRole('dialog', { name: 'Decline 2 requests?' })
    await question.getByLabel('Reason').fill('We take stock')
    await question.getByRole('button', { name: 'Decline' }).click()
    await expect(page.getByRole('heading', { name: 'You’re all caught up' })).toBeVisible()
    await inspect(page, 'approve-empty')
    await page.getByLabel('Status').selectOption('Declined')
    await expect(rows(page)).toHaveCount(2)
    await expect(rows(page).getByText('We take stock')).toHaveCount(2)
  })

  await test.step('revoke an approval', async () => {
    await page.getByLabel('Status').selectOption('Approved')
    await expect(rows(page)).toHaveCount(1)
    await page.getByRole('table', { name: 'Approvals' }).focus()
    await page.keyboard.press('ArrowDown')
    // A manager cannot decline an approved request, so the key for declining does nothing.
    await page.keyboard.press('d')
    await page.keyboard.press('c')
    const question = page.getByRole('dialog', { name: 'Revoke the approval of this request?' })
    await question.getByRole('button', { name: 'Revoke approval' }).click()
    await expect(page.getByRole('heading', { name: 'No matching requests' })).toBeVisible()
    await page.getByLabel('Status').selectOption('All')
    await expect(rows(page)).toHaveCount(3)
    await expect(rows(page).filter({ hasText: 'Ada' })).toContainText('Cancelled')
  })
})

test('a company with two steps needs two approvers, and a delegate decides for an absent manager', {
  tag: '@long',
}, async ({ page }) => {
  const { boss, department, people } = await addTeam('Ada')
  const [ada] = people
  if (!ada) throw new Error('Nobody')
  await openAs(page, { token: boss }, '/system/request')
  await page.getByRole('switch', { name: 'Overtime' }).click()
  await page.getByRole('button', { name: 'Save', exact: true }).locator('visible=true').click()
  await expect(toastWith(page, 'Saved')).toBeVisible()

  await askOvertime(ada.token, tomorrow)
  const nora = await addManager(boss, department, 'Nora')
  await page.goto('/approve')
  await page.getByRole('button', { name: /^Approve: Ada/ }).click()
  const question = page.getByRole('dialog', { name: 'Approve this request?' })
  await expect(question.getByText('A second person has to approve before it takes effect.')).toBeVisible()
  await question.getByRole('button', { name: 'Approve' }).click()
  await expect(rows(page)).toContainText(/1 of 2 approved.*You gave the first approval/)
  await expect(page.getByRole('button', { name: /^Approve: Ada/ })).toHaveCount(0)

  await page.getByRole('button', { name: 'Delegate approvals' }).click()
  const panel = page.getByRole('dialog', { name: 'Delegate approvals' })
  await panel.getByRole('combobox', { name: 'Delegate' }).fill('Nora')
  await page.getByRole('option', { name: 'Nora M · 90' }).click()
  await inspect(page, 'approve-away')
  await panel.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText(/^Nora M approves for you from/)).toBeVisible()

  const { list } = (await call('approve/grid', {}, nora)) as { list: { id: string; employee: string }[] }
  const requests = list.map(({ id, employee }) => ({ id, employee }))
  await call('approve/update', { requests, status: 1 }, nora)
  await expect(page.getByRole('heading', { name: 'You’re all caught up' })).toBeVisible()
  await page.getByRole('button', { name: 'Delegate approvals' }).click()
  await panel.getByRole('button', { name: 'End delegation' }).click()
  await expect(page.getByText(/approves for you from/)).toHaveCount(0)
})
