import { dayIn, eveningZone } from '../kit/evening.ts'
import { openSocket } from '../kit/socket.ts'
import { address, axeFindings, call, expect, newCompany, openAs, settled, test, watch } from './site.ts'

// What a company looks at in the morning, while it changes: a punch, the day it leaves open, why, what its person asks for, and
// how exception, report and dashboards settle, each in a window of its own that nobody loads again.

const zone = eveningZone()
const day = dayIn(zone)
test.use({ timezoneId: zone, viewport: { width: 1440, height: 900 } })

test('a punch is seen at once, a day that was left open is explained, asked for and right again wherever it is shown', async ({
  page,
  browser,
}) => {
  // A story of four windows takes as long as a dozen other tests.
  test.setTimeout(180_000)
  const boss = await newCompany('Olive & Sons', zone)
  const { company } = (await call('auth/get', {}, boss)) as { company: { company_num: string } }
  const { list } = (await call('department/all', {}, boss)) as { list: { id: string }[] }
  const department = list[0]?.id
  const person = { first_name: 'Daphne', last_name: 'Early', workno: '7', department, password: 'Rhubarb#42' }
  const { id: employee } = await call('employee/add', person, boss)
  const hours = { onDuty: '05:00', offDuty: '13:00', punchStart: '04:00', punchEnd: '15:00' }
  const { id: shift } = await call('shift/add', { name: 'Early', ...hours }, boss)
  await call('schedule/add', { employees: [employee], days: [day], shift }, boss, { 'x-timezone': zone })
  const sn = `RESULT${Date.now()}`
  const { serverPath } = await call('device/add', { serialNumber: sn, name: 'Gate', department }, boss)
  const terminal = await openSocket(address(), { path: String(serverPath) })
  terminal.say({ cmd: 'reg', sn, cpusn: 'c1', devinfo: { modelname: 'AiFace', firmware: 'v1', usednewlog: 0 } })
  await terminal.hear({ ret: 'reg' })

  const complaints: string[] = []
  const openWindow = async (path: string, token = boss) => {
    const context = await browser.newContext({ baseURL: address(), timezoneId: zone, locale: 'en-GB' })
    const window = await context.newPage()
    window.on('close', () => complaints.push(...seen))
    const seen = watch(window)
    await openAs(window, { token }, path)
    return window
  }
  await openAs(page, { token: boss }, '/dashboard')
  await expect(page.getByText('0 of 1 clocked in today')).toBeVisible()
  const exceptions = await openWindow('/exception')
  const report = await openWindow(`/report?from=${day}&to=${day}`)
  const { token } = await call('personal/login', { code: company.company_num, workno: '7', password: 'Rhubarb#42' })
  const own = await openWindow('/dashboard', String(token))
  const row = report.getByRole('table', { name: 'Daily' }).getByRole('row', { name: /Daphne Early/ })
  const today = own.locator('section').filter({ has: own.getByRole('heading', { name: 'Requests', exact: true }) })

  await test.step('she punches in, and the dashboard shows it by itself', async () => {
    const record = [{ enrollid: 7, time: `${day} 04:55:00`, mode: 8, inout: 0, event: 0 }]
    terminal.say({ cmd: 'sendlog', sn, count: 1, logindex: 1, record })
    expect(await terminal.hear({ ret: 'sendlog' })).toMatchObject({ result: true })
    await expect(page.getByText('1 of 1 clocked in today')).toBeVisible()
    await expect(page.getByText('100%')).toBeVisible()
  })

  await test.step('the day she left open is held up, and explained by any of its figures', async () => {
    await expect(exceptions.getByText('1 to review')).toBeVisible()
    await expect(row).toContainText('No clock-out')
    await row.locator('.row-title.figure').click()
    const why = report.getByRole('dialog')
    await expect(why).toContainText('Clock-out missing')
    expect(await axeFindings(report)).toEqual([])
    await report.keyboard.press('Escape')
    await expect(why).toHaveCount(0)
  })

  await test.step('she asks for the punch she forgot, and it is approved', async () => {
    await today.getByRole('link', { name: /^Add clock-out/ }).click()
    const form = own.getByRole('dialog', { name: 'Request a missing punch' })
    await form.getByLabel('Note').fill('I left by the back door')
    await form.getByRole('button', { name: 'Send' }).click()
    await expect(form).toHaveCount(0)
    await own.getByRole('navigation', { name: 'Main menu' }).getByRole('link', { name: 'Dashboard' }).click()
    await expect(today.getByText('Pending')).toBeVisible()
    const approvals = await openWindow('/approve')
    await approvals.getByRole('button', { name: 'Daphne Early', exact: true }).click()
    await approvals.getByRole('dialog').getByRole('button', { name: 'Approve' }).click()
    await approvals
      .getByRole('dialog', { name: 'Approve this request?' })
      .getByRole('button', { name: 'Approve' })
      .click()
    await expect(approvals.getByText('Approved by Olga Owner')).toBeVisible()
    await approvals.context().close()
  })

  await test.step('exception, report and dashboards settle', async () => {
    await expect(exceptions.getByRole('heading', { name: 'Nothing to review' })).toBeVisible()
    await exceptions.getByLabel('Status').selectOption('Resolved')
    await expect(exceptions.getByRole('row').filter({ hasText: 'Daphne Early' })).toContainText('No clock-out')
    await expect(row).not.toContainText('No clock-out')
    await expect(row).toContainText('13:00')
    await expect(row).toContainText('480480')
    await expect(today.getByText('No clock-out')).toHaveCount(0)
    await expect(own.getByText('8.00 h').first()).toBeVisible()
    const latest = page
      .locator('section')
      .filter({ has: page.getByRole('heading', { name: 'Latest punches', exact: true }) })
    await expect(latest.getByRole('listitem').first()).toContainText('13:00')
    await settled(page)
    await page.screenshot({ path: 'tests/browser/shots/results-settled.png' })
    await row.locator('.row-title.figure').click()
    await expect(report.getByRole('dialog')).toContainText('13:00 clock-out')
    await report.screenshot({ path: 'tests/browser/shots/results-explained.png' })
  })

  for (const window of [exceptions, report, own]) await window.context().close()
  expect(complaints).toEqual([])
  terminal.close()
})
