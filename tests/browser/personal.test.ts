import type { Page } from '@playwright/test'
import { addDays } from '../../shared/local-day.ts'
import { dayIn, eveningZone } from '../kit/evening.ts'
import { openSocket, type Socket } from '../kit/socket.ts'
import { address, axeFindings, call, endOf, expect, newCompany, openAs, settled, test } from './site.ts'

// The employee side on a phone: the current day, the month and the calculation of a day.

const zone = eveningZone()
const today = dayIn(zone)
const dayAt = (offset: number) => addDays(today, offset)
test.use({ timezoneId: zone, viewport: { width: 390, height: 844 }, hasTouch: true })

const longDay = (day: string) =>
  new Intl.DateTimeFormat('en', { weekday: 'long', day: 'numeric', month: 'long', timeZone: 'UTC' }).format(
    new Date(`${day}T12:00:00Z`),
  )
const punch = (day: string, time: string) => ({ enrollid: 7, time: `${day} ${time}`, mode: 8, inout: 0, event: 0 })

/** Calls a path like a browser, with the time zone in `x-timezone`. */
const callWithZone = (path: string, input: unknown, token: string) => call(path, input, token, { 'x-timezone': zone })

/** Registers a company with an employee who has a shift today, and connects a terminal. */
const addEmployee = async (): Promise<{ token: string; deliver: (...record: object[]) => Promise<void> }> => {
  const boss = await newCompany('Olive & Sons', zone)
  const { company } = (await call('auth/get', {}, boss)) as { company: { company_num: string } }
  const { list } = (await call('department/all', {}, boss)) as { list: { id: string }[] }
  const person = { first_name: 'Daphne', last_name: 'D', workno: '7', department: list[0]?.id, password: 'Rhubarb#42' }
  const { id } = await call('employee/add', person, boss)
  const hours = { onDuty: '09:00', offDuty: '18:00', punchStart: '07:00', punchEnd: '23:00', allowedLateMinutes: 5 }
  const lateOut = { counts: true, afterMinutes: 30 }
  const { id: shift } = await call('shift/add', { name: 'Day', ...hours, lateOutOvertime: lateOut }, boss)
  const plan = { from: dayAt(-3), shifts: [shift], rows: [{ employees: [id], cells: [[0], [0], null, [0], [0]] }] }
  const preview = await endOf(await callWithZone('schedule/preview', { plan }, boss), boss)
  await endOf(await callWithZone('schedule/plan', { plan, preview }, boss), boss)
  const sn = `OWN${Date.now()}${Math.random().toString(36).slice(2, 6)}`.toUpperCase()
  const { serverPath } = await call('device/add', { serialNumber: sn, name: 'Gate', department: list[0]?.id }, boss)
  const terminal: Socket = await openSocket(address(), { path: String(serverPath) })
  terminal.say({ cmd: 'reg', sn, cpusn: 'c1', devinfo: { modelname: 'AiFace', firmware: 'v1', usednewlog: 0 } })
  await terminal.hear({ ret: 'reg' })
  const deliver = async (...record: object[]) => {
    terminal.say({ cmd: 'sendlog', sn, count: record.length, logindex: 1, record })
    expect(await terminal.hear({ ret: 'sendlog' })).toMatchObject({ result: true })
  }
  // The employee was late three days ago and had overtime two days ago.
  await deliver(
    ...[punch(dayAt(-3), '09:12:00'), punch(dayAt(-3), '18:00:00')],
    ...[punch(dayAt(-2), '09:00:00'), punch(dayAt(-2), '19:30:00')],
  )
  const { token } = await call('personal/login', { code: company.company_num, workno: '7', password: 'Rhubarb#42' })
  return { token: String(token), deliver }
}

const checkWidth = async (page: Page) =>
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)

test('the employee’s open day updates with each punch', async ({ page }) => {
  const { token, deliver } = await addEmployee()
  await openAs(page, { token }, '/dashboard')
  const state = page.getByRole('status').first()
  await expect(state).toHaveText(/You have not clocked in.*09:00/)
  await expect(page.getByText('No punch yet')).toBeVisible()
  await deliver(punch(today, '09:07:00'))
  await expect(state).toHaveText(/You are at work.*09:07/)
  await expect(page.getByText('7 min late')).toBeVisible()
  await expect(page.getByRole('listitem').filter({ hasText: '09:07' })).toHaveText(/In.*Gate/)
  await deliver(punch(today, '18:01:00'))
  await expect(state).toHaveText(/You have clocked out.*18:01/)
  await settled(page)
  await checkWidth(page)
  await page.screenshot({ path: 'tests/browser/shots/own-day.png', fullPage: true })
  expect(await axeFindings(page)).toEqual([])

  await page.getByRole('button', { name: 'How it is calculated' }).tap()
  const panel = page.getByRole('dialog', { name: longDay(today) })
  await expect(panel.getByText('Late 09:00–09:07, beyond the grace period: 7 min.')).toBeVisible()
  await expect(panel.getByText('18:01 clock-out')).toBeVisible()
})

test('an employee opens the calculation of a timecard day by tap and by keyboard', { tag: '@long' }, async ({
  page,
}) => {
  const { token } = await addEmployee()
  const [lateDay, overtimeDay] = [dayAt(-3), dayAt(-2)]
  await openAs(page, { token }, `/timecard?month=${lateDay.slice(0, 7)}`)
  const calendar = page.getByRole('grid')
  const dayButton = (day: string) => calendar.getByRole('button', { name: new RegExp(`^${longDay(day)},`) })
  await expect(dayButton(lateDay)).toHaveAccessibleName(/Day, 09:12–18:00, .* late/)
  await settled(page)
  await checkWidth(page)
  await page.screenshot({ path: 'tests/browser/shots/timecard.png', fullPage: true })
  expect(await axeFindings(page)).toEqual([])

  await test.step('by tap', async () => {
    await dayButton(lateDay).tap()
    const panel = page.getByRole('dialog', { name: longDay(lateDay) })
    await expect(panel.getByText('Late 09:00–09:12, beyond the grace period: 12 min.')).toBeVisible()
    await expect(panel.getByText('09:12 clock-in')).toBeVisible()
    await settled(page)
    await checkWidth(page)
    await page.screenshot({ path: 'tests/browser/shots/explained-day.png', fullPage: true })
    expect(await axeFindings(page)).toEqual([])
    await page.goBack()
    await expect(panel).toHaveCount(0)
  })

  await test.step('by keyboard', async () => {
    await page.goto(`/timecard?month=${overtimeDay.slice(0, 7)}`)
    await expect(dayButton(overtimeDay)).toHaveAccessibleName(/Day/)
    await calendar.getByRole('button').last().focus()
    await page.keyboard.press('PageUp')
    await expect(calendar.getByRole('button').first()).toBeFocused()
    const daysOn = Number(overtimeDay.slice(8)) - 1
    for (let week = 0; week < Math.floor(daysOn / 7); week++) await page.keyboard.press('ArrowDown')
    for (let day = 0; day < daysOn % 7; day++) await page.keyboard.press('ArrowRight')
    await expect(dayButton(overtimeDay)).toBeFocused()
    await page.keyboard.press('Enter')
    const panel = page.getByRole('dialog', { name: longDay(overtimeDay) })
    await expect(panel.getByText('Overtime after the shift 18:00–19:30: 90 min.')).toBeVisible()
    await page.keyboard.press('Escape')
    await expect(panel).toHaveCount(0)
    await expect(dayButton(overtimeDay)).toBeFocused()
  })
})

test('a late employee corrects the time or explains, and the day then needs no attention', { tag: '@long' }, async ({
  page,
}) => {
  const { token, deliver } = await addEmployee()
  await deliver(punch(today, '05:00:00'), punch(today, '09:00:00'), punch(today, '18:00:00'))
  await openAs(page, { token }, '/dashboard')
  const card = page.locator('.own-requests')
  const late = longDay(dayAt(-3))
  const correct = card.getByRole('link', { name: `Correct the time, ${late}` })
  await expect(correct).toHaveAttribute('href', `/request?new=shift&date=${dayAt(-3)}&inout=0&time=09%3A00`)
  await settled(page)
  await checkWidth(page)
  await page.screenshot({ path: 'tests/browser/shots/personal-late.png', fullPage: true })
  expect(await axeFindings(page)).toEqual([])
  await card.getByRole('link', { name: `Explain, ${late}` }).tap()
  const panel = page.getByRole('dialog', { name: late })
  await panel.getByLabel('Your explanation').fill('The bridge was closed')
  await settled(page)
  await page.screenshot({ path: 'tests/browser/shots/personal-explain.png' })
  expect(await axeFindings(page)).toEqual([])
  await panel.getByRole('button', { name: 'Send' }).tap()
  await expect(panel.getByText('The bridge was closed')).toBeVisible()
  await expect(panel.getByRole('button', { name: 'Change explanation' })).toBeVisible()
  await page.goto('/dashboard')
  await expect(card).toBeVisible()
  await expect(card.getByText('Needs your attention')).toHaveCount(0)

  await page.goto(`/timecard?month=${today.slice(0, 7)}&day=${today}`)
  const own = page.getByRole('dialog', { name: longDay(today) })
  await expect(own.getByText('A punch is outside your shift’s hours, so no shift counts it.')).toBeVisible()
})

test('the list shows the days that the dashboard counts', { tag: '@long' }, async ({ page }) => {
  const { token } = await addEmployee()
  const lateDay = dayAt(-3)
  await openAs(page, { token }, `/timecard?view=list&show=lateearly&month=${lateDay.slice(0, 7)}`)
  const rows = page.getByRole('listitem').getByRole('button')
  await expect(rows).toHaveCount(1)
  await expect(rows).toHaveText(/Day.*09:12–18:00.*late/)
  await page.getByLabel('Show').selectOption('Overtime')
  await expect(rows.filter({ hasText: '09:12' })).toHaveCount(0)
  await settled(page)
  await checkWidth(page)
  expect(await axeFindings(page)).toEqual([])
  await page.goto('/dashboard')
  await page.getByRole('link', { name: /^Late or left early/ }).tap()
  await expect(page).toHaveURL(/\/timecard\?view=list&show=lateearly$/)
})
