import type { Page } from '@playwright/test'
import { addDays } from '../../shared/local-day.ts'
import { dayIn, eveningZone } from '../kit/evening.ts'
import { openSocket } from '../kit/socket.ts'
import { address, axeFindings, call, expect, newCompany, openAs, settled, test } from './site.ts'

// An employee requests missing punches, leave and overtime on a phone, and punches in the browser.

const zone = eveningZone()
const today = dayIn(zone)
const dayAt = (offset: number) => addDays(today, offset)
const year = Number(dayAt(1).slice(0, 4))
test.use({ timezoneId: zone, viewport: { width: 390, height: 844 }, hasTouch: true })

const longDay = (day: string) =>
  new Intl.DateTimeFormat('en', { weekday: 'long', day: 'numeric', month: 'long', timeZone: 'UTC' }).format(
    new Date(`${day}T12:00:00Z`),
  )

/**
 * Registers a company with an employee of an early shift today and on the next two days, without a clock-out.
 * `decide` decides on the latest request.
 */
const addForgetfulEmployee = async () => {
  const boss = await newCompany('Olive & Sons', zone)
  const { company } = (await call('auth/get', {}, boss)) as { company: { company_num: string } }
  const { list } = (await call('department/all', {}, boss)) as { list: { id: string }[] }
  const department = list[0]?.id
  const person = { first_name: 'Daphne', last_name: 'D', workno: '7', department, password: 'Rhubarb#42' }
  const { id: employee } = await call('employee/add', person, boss)
  const hours = { onDuty: '05:00', offDuty: '13:00', punchStart: '04:00', punchEnd: '15:00' }
  const { id: shift } = await call('shift/add', { name: 'Early', ...hours }, boss)
  await call('schedule/add', { employees: [employee], days: [0, 1, 2].map(dayAt), shift }, boss, { 'x-timezone': zone })
  const sn = `EARLY${Date.now()}${Math.random().toString(36).slice(2, 6)}`.toUpperCase()
  const { serverPath } = await call('device/add', { serialNumber: sn, name: 'Gate', department }, boss)
  const terminal = await openSocket(address(), { path: String(serverPath) })
  terminal.say({ cmd: 'reg', sn, cpusn: 'c1', devinfo: { modelname: 'AiFace', firmware: 'v1', usednewlog: 0 } })
  await terminal.hear({ ret: 'reg' })
  const record = [{ enrollid: 7, time: `${today} 04:55:00`, mode: 8, inout: 0, event: 0 }]
  terminal.say({ cmd: 'sendlog', sn, count: 1, logindex: 1, record })
  expect(await terminal.hear({ ret: 'sendlog' })).toMatchObject({ result: true })
  const { token } = await call('personal/login', { code: company.company_num, workno: '7', password: 'Rhubarb#42' })
  const decide = async (status: number, more: object = {}) => {
    const { list } = (await call('personal/request/grid', {}, String(token))) as { list: { id: string }[] }
    await call('approve/update', { requests: [{ employee, id: list[0]?.id }], status, ...more }, boss)
  }
  return { boss, employee: String(employee), token: String(token), decide }
}

const checkWidth = async (page: Page) =>
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
const inspect = async (page: Page, shot: string) => {
  await settled(page)
  await checkWidth(page)
  await page.screenshot({ path: `tests/browser/shots/${shot}.png` })
  expect(await axeFindings(page)).toEqual([])
}
const rows = (page: Page) => page.getByRole('list', { name: 'My requests' }).getByRole('button')

test('an employee requests a missing clock-out with one tap, and an approval corrects the day', async ({ page }) => {
  test.setTimeout(120_000)
  const { token, decide } = await addForgetfulEmployee()
  await openAs(page, { token }, '/dashboard')
  const card = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Requests', exact: true }) })
  await expect(card.getByText('No clock-out')).toBeVisible()
  await inspect(page, 'own-day-to-put-right')
  await card.getByRole('link', { name: `Add clock-out, ${longDay(today)}` }).tap()

  const form = page.getByRole('dialog', { name: 'Request a missing punch' })
  await expect(form.getByRole('radio', { name: 'Clock-out' })).toBeChecked()
  await expect(form.getByRole('textbox', { name: 'Time' })).toHaveValue('13:00')
  await form.getByLabel('Note').fill('The terminal was busy, I left without.')
  await inspect(page, 'request-form-shift')
  await form.getByRole('button', { name: 'Send' }).tap()
  await expect(form).toHaveCount(0)
  await expect(rows(page)).toHaveText([/Missing punch.*13:00 · Clock-out.*The terminal was busy.*Pending/])
  await inspect(page, 'requests')

  await page.getByRole('link', { name: 'Timecard' }).tap()
  const day = page.getByRole('grid').getByRole('button', { name: new RegExp(`^${longDay(today)},`) })
  await expect(day).toHaveAccessibleName(/Early, 04:55–….*Missing punch: Pending/)
  await decide(1)
  // The server pushes the decision, so the page shows it without a reload.
  await expect(day).toHaveAccessibleName(/Early, 04:55–13:00.*Missing punch: Approved/)

  await day.tap()
  const panel = page.getByRole('dialog', { name: longDay(today) })
  await expect(panel.getByText('13:00 clock-out')).toBeVisible()
  await expect(panel.getByText('No clock-out', { exact: true })).toHaveCount(0)
  await inspect(page, 'own-day-asked')
  await panel.getByRole('link', { name: /^Missing punch .*Approved$/ }).tap()
  const details = page.getByRole('dialog', { name: 'Missing punch' })
  await expect(details.getByText('Approved by Olga Owner')).toBeVisible()
  // Only an approver can revoke a request whose day has begun.
  await expect(details.getByRole('button', { name: /^(Withdraw|Cancel)/ })).toHaveCount(0)
})

test('the leave form shows cost, balance and errors at their fields before the employee sends the request', {
  tag: '@long',
}, async ({ page }) => {
  test.setTimeout(120_000)
  const { boss, token, decide } = await addForgetfulEmployee()
  const rule = { since: year, mostCarriedDays: 0 }
  const { version } = await call('leave/params', {}, boss)
  const rules = [
    { ...rule, leaveType: 3, days: 20, excess: 'warn' },
    { ...rule, leaveType: 2, days: 0.5, excess: 'refuse' },
  ]
  await call('leave/params/update', { version, rules }, boss)
  const tomorrow = dayAt(1)
  await openAs(page, { token }, `/timecard?month=${tomorrow.slice(0, 7)}`)
  const day = page.getByRole('grid').getByRole('button', { name: new RegExp(`^${longDay(tomorrow)},`) })
  const form = page.getByRole('dialog', { name: 'Request leave' })

  await test.step('open the form from a future day', async () => {
    await day.tap()
    const panel = page.getByRole('dialog', { name: longDay(tomorrow) })
    await expect(panel.getByRole('heading', { name: 'Early' })).toBeVisible()
    // No punch can be missing yet.
    await expect(panel.getByRole('navigation', { name: 'New request' }).getByRole('link')).toHaveText([
      'Leave',
      'Overtime',
    ])
    await panel.getByRole('link', { name: 'Leave' }).tap()
  })

  await test.step('the total follows the entered values', async () => {
    await form.getByLabel('Leave type').selectOption('3')
    await expect(form.getByText('Takes 1 day of your schedule')).toBeVisible()
    await expect(form.getByText(`${year}: 20 days left, 19 days with this request`)).toBeVisible()
    await form.getByRole('switch', { name: 'All day' }).tap()
    await form.getByLabel('From').fill('05:00')
    await form.getByLabel('To', { exact: true }).fill('07:00')
    await expect(form.getByText('Takes 0.25 days of your schedule')).toBeVisible()
    await form.getByRole('switch', { name: 'All day' }).tap()
    await expect(form.getByText('Takes 1 day of your schedule')).toBeVisible()
  })

  await test.step('the form refuses leave beyond the balance if the company refuses it', async () => {
    await form.getByLabel('Leave type').selectOption('2')
    await expect(form.getByText('Exceeds the remaining leave balance')).toBeVisible()
    await inspect(page, 'request-form-leave-refused')
    await form.getByLabel('Leave type').selectOption('3')
    await expect(form.getByText('Exceeds the remaining leave balance')).toHaveCount(0)
  })

  await test.step('send with an attachment and a note', async () => {
    await form.getByLabel('Attachments').setInputFiles('tests/given/photo.jpg')
    await expect(form.getByText('photo.jpg')).toBeVisible()
    await form.getByLabel('Note').fill('A wedding')
    await inspect(page, 'request-form-leave')
    await form.getByRole('button', { name: 'Send' }).tap()
    await expect(form).toHaveCount(0)
    await expect(rows(page)).toHaveText([/Annual leave.*1 day.*A wedding.*Pending/])
    await expect(page.getByRole('listitem').filter({ hasText: 'Annual leave' }).first()).toHaveText(
      /19 remaining.*1 day planned/,
    )
  })

  await test.step('the form refuses an already requested time at once', async () => {
    await page.goto(`/request?new=leave&date=${tomorrow}`)
    await expect(form.locator('p.error')).toHaveText('You already requested this time. Withdraw that request first.')
    await form.getByRole('button', { name: 'Cancel' }).tap()
  })

  await test.step('the employee comments on the request', async () => {
    await rows(page).tap()
    const details = page.getByRole('dialog', { name: 'Annual leave' })
    await expect(details.getByRole('link', { name: 'photo.jpg' })).toBeVisible()
    await details.getByLabel('Your comment').fill('May I?')
    await details.getByRole('button', { name: 'Comment', exact: true }).tap()
    await expect(details.getByText('May I?')).toBeVisible()
    await expect(details.getByLabel('Your comment')).toHaveValue('')
    await inspect(page, 'request-details')
    await decide(1)
    await expect(details.getByText('Approved by Olga Owner')).toBeVisible()
  })

  await test.step('the employee cancels an approved request before its day, after a question', async () => {
    const details = page.getByRole('dialog', { name: 'Annual leave' })
    await details.getByRole('button', { name: 'Cancel approved request' }).tap()
    const question = page.getByRole('dialog', { name: 'Cancel this approved request?' })
    await expect(question.getByText('It was approved.')).toBeVisible()
    await question.getByRole('button', { name: 'Keep request' }).tap()
    await expect(details.getByText('Cancelled by')).toHaveCount(0)
    await details.getByRole('button', { name: 'Cancel approved request' }).tap()
    await question.getByRole('button', { name: 'Cancel approved request' }).tap()
    await expect(details.getByText('Cancelled by Daphne D')).toBeVisible()
    await expect(details.getByRole('button', { name: 'Cancel approved request' })).toHaveCount(0)
    await page.keyboard.press('Escape')
    await expect(rows(page)).toHaveText([/Annual leave.*Cancelled/])
    await expect(rows(page)).toBeFocused()
    await page.getByRole('button', { name: 'Filters' }).tap()
    const filters = page.getByRole('dialog', { name: 'Filters' })
    await filters.getByLabel('Status').selectOption('Pending')
    await filters.getByRole('button', { name: 'Done' }).tap()
    await expect(page.getByText('No matching requests.')).toBeVisible()
  })

  await test.step('the form shows no error before the employee chooses a day', async () => {
    await call('personal/request/leave/add', { leaveType: 3, date: today, isAllDay: true }, token)
    const refusal = page.waitForResponse(response => response.url().endsWith('leave/preview'))
    await page.goto('/request?new=leave')
    await refusal
    await settled(page)
    await expect(form.locator('p.error')).toHaveCount(0)
    await form.getByLabel('Leave type').selectOption('2')
    await expect(form.locator('p.error')).toHaveText('You already requested this time. Withdraw that request first.')
  })
})

test('the form shows the length of overtime over midnight, and the employee sees the reason of a decline', {
  tag: '@long',
}, async ({ page }) => {
  const { token, decide } = await addForgetfulEmployee()
  await openAs(page, { token }, '/request')
  await expect(page.getByText('No requests yet')).toBeVisible()
  await page.getByRole('navigation', { name: 'New request' }).getByRole('link', { name: 'Overtime' }).tap()
  const form = page.getByRole('dialog', { name: 'Request overtime' })
  await form.getByRole('button', { name: 'Send' }).tap()
  await expect(form.getByText('Cannot be empty here')).toHaveCount(2)
  await form.getByLabel('From').fill('22:00')
  await form.getByLabel('To', { exact: true }).fill('01:30')
  await expect(form.getByText('End must be after start')).toBeVisible()
  await form.getByRole('button', { name: 'To: next day' }).tap()
  await expect(form.getByText(/^Duration: 210\smin\.$/)).toBeVisible()
  await inspect(page, 'request-form-overtime')
  await form.getByRole('button', { name: 'Send' }).tap()
  await expect(rows(page)).toHaveText([/Overtime.*22:00–01:30.*Pending/])
  await decide(2, { reason: 'The machines are down that night.' })
  await expect(rows(page)).toHaveText([/Overtime.*Declined/])
  await rows(page).tap()
  await expect(
    page.getByRole('dialog', { name: 'Overtime' }).getByText('The machines are down that night.'),
  ).toBeVisible()
})

test('an employee chooses one of two repeated hours, and the form rejects a skipped hour', {
  tag: '@long',
}, async ({ page }) => {
  const boss = await newCompany('Olive & Sons', 'Europe/Athens')
  const { token } = await call('personal/login/switch', {}, boss)
  await openAs(page, { token: String(token) }, '/request?new=overtime&date=2026-10-25&from=03:30&to=05:00')
  const form = page.getByRole('dialog', { name: 'Request overtime' })
  const occurrence = form.getByRole('group', { name: 'From: this hour occurs twice (clock change)' })
  await expect(occurrence.getByRole('radio', { name: 'First occurrence' })).toBeChecked()
  await expect(form.getByText(/^Duration: 150\smin\.$/)).toBeVisible()
  await occurrence.getByText('Second occurrence').tap()
  await expect(form.getByText(/^Duration: 90\smin\.$/)).toBeVisible()
  await inspect(page, 'request-form-twice')
  await form.getByRole('button', { name: 'Send' }).tap()
  await expect(rows(page)).toHaveText([/Overtime.*03:30–05:00.*Pending/])
  const { list } = (await call('personal/request/grid', {}, String(token))) as { list: object[] }
  expect(list).toMatchObject([{ from: '2026-10-25T01:30:00.000Z', to: '2026-10-25T03:00:00.000Z' }])

  await page.goto('/request?new=overtime&date=2026-03-28&from=23:00&to=03:30%2B1')
  await expect(form.getByText('This time does not exist on that day (clock change)')).toBeVisible()
})

test('an employee punches in the browser if the company allows browser punches, and two taps make one punch', {
  tag: '@long',
}, async ({ page, context }) => {
  const { boss, token } = await addForgetfulEmployee()
  await openAs(page, { token }, '/dashboard')
  await expect(page.getByText("Today's clock-ins and outs")).toBeVisible()
  const button = page.getByRole('button', { name: /^Clock (in|out)$/ })
  await settled(page)
  await expect(button).toHaveCount(0)

  await test.step('the open page shows the new setting', async () => {
    const { version } = await call('company/punch', {}, boss)
    const office = { name: 'Office', latitude: 37.98, longitude: 23.73, radiusMetres: 100 }
    const rules = { isOn: true, isPlaceAsked: true, places: [office], outside: 'refuse' }
    await call('company/punch/update', { version, ...rules }, boss)
    await expect(page.getByText('Your company records where you clock in and out.')).toBeVisible()
    await inspect(page, 'punch-button')
  })

  await test.step('the site refuses a punch without a location or outside the allowed ones', async () => {
    await button.tap()
    await expect(page.getByRole('alert')).toHaveText(/Allow this site to use it/)
    await context.grantPermissions(['geolocation'])
    await context.setGeolocation({ latitude: 38.5, longitude: 23.73, accuracy: 10 })
    await button.tap()
    await expect(page.getByRole('alert')).toHaveText(
      'You are outside the locations where you can clock in. Move closer and try again.',
    )
    await inspect(page, 'punch-outside')
  })

  await test.step('two taps make one punch', async () => {
    await context.setGeolocation({ latitude: 37.98, longitude: 23.73, accuracy: 10 })
    await button.dblclick()
    await expect(page.getByText(/^Recorded at \d\d:\d\d · Office$/)).toBeVisible()
    await expect(page.getByRole('alert')).toHaveCount(0)
    const punches = page.getByRole('listitem').filter({ hasText: 'Browser' })
    await expect(punches).toHaveCount(1)
    await button.tap()
    await expect(page.getByText(/^Already recorded at \d\d:\d\d · Office$/)).toBeVisible()
    await expect(punches).toHaveCount(1)
    await inspect(page, 'punched')
  })
})
