import { dayIn, eveningZone } from '../kit/evening.ts'
import { openSocket } from '../kit/socket.ts'
import { address, axeFindings, call, expect, newCompany, openAs, settled, test, watch } from './site.ts'

// The open windows of exceptions, report and dashboards follow a punch, an incomplete day and its correction, without a
// reload.

const zone = eveningZone()
const day = dayIn(zone)
test.use({ timezoneId: zone, viewport: { width: 1440, height: 900 } })

test('every open page shows a punch, an incomplete day and its correction without a reload', async ({
  page,
  browser,
}) => {
  // A journey over four windows takes as long as a dozen other tests.
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
    window.on('close', () => complaints.push(...windowComplaints))
    const windowComplaints = watch(window)
    await openAs(window, { token }, path)
    return window
  }
  await openAs(page, { token: boss }, '/dashboard')
  await expect(page.getByText('0 of 1', { exact: true })).toBeVisible()
  const exceptions = await openWindow('/exception')
  const report = await openWindow(`/report?from=${day}&to=${day}`)
  const { token } = await call('personal/login', { code: company.company_num, workno: '7', password: 'Rhubarb#42' })
  const ownDashboard = await openWindow('/dashboard', String(token))
  const row = report.getByRole('table', { name: 'Daily' }).getByRole('row', { name: /Daphne Early/ })
  const requests = ownDashboard
    .locator('section')
    .filter({ has: ownDashboard.getByRole('heading', { name: 'Requests', exact: true }) })

  await test.step('the employee punches in, and the open dashboard shows it', async () => {
    const record = [{ enrollid: 7, time: `${day} 04:55:00`, mode: 8, inout: 0, event: 0 }]
    terminal.say({ cmd: 'sendlog', sn, count: 1, logindex: 1, record })
    expect(await terminal.hear({ ret: 'sendlog' })).toMatchObject({ result: true })
    await expect(page.getByText('1 of 1', { exact: true })).toBeVisible()
    await expect(page.getByText('100%')).toBeVisible()
  })

  await test.step('the exceptions list the incomplete day, and its figures open the explanation', async () => {
    await expect(exceptions.getByText('1 to review')).toBeVisible()
    await expect(row).toContainText('No clock-out')
    await row.locator('.row-title.figure').click()
    const explanation = report.getByRole('dialog')
    await expect(explanation).toContainText('Clock-out missing')
    expect(await axeFindings(report)).toEqual([])
    await report.keyboard.press('Escape')
    await expect(explanation).toHaveCount(0)
  })

  await test.step('the employee requests the missing punch, and the owner approves it', async () => {
    await requests.getByRole('link', { name: /^Add clock-out/ }).click()
    const form = ownDashboard.getByRole('dialog', { name: 'Request a missing punch' })
    await form.getByLabel('Note').fill('I left by the back door')
    await form.getByRole('button', { name: 'Send' }).click()
    await expect(form).toHaveCount(0)
    await ownDashboard.getByRole('navigation', { name: 'Main menu' }).getByRole('link', { name: 'Dashboard' }).click()
    await expect(requests.getByText('Pending')).toBeVisible()
    const approvals = await openWindow('/approve')
    await approvals.getByRole('button', { name: 'Open: Daphne Early' }).click()
    await approvals.getByRole('dialog').getByRole('button', { name: 'Approve' }).click()
    await approvals
      .getByRole('dialog', { name: 'Approve this request?' })
      .getByRole('button', { name: 'Approve' })
      .click()
    await expect(approvals.getByText('Approved by Olga Owner')).toBeVisible()
    await approvals.context().close()
  })

  await test.step('exceptions, report and dashboards show the corrected day', async () => {
    await expect(exceptions.getByRole('heading', { name: 'No exceptions to review' })).toBeVisible()
    await exceptions.getByLabel('Status').selectOption('Resolved')
    await expect(exceptions.getByRole('row').filter({ hasText: 'Daphne Early' })).toContainText('No clock-out')
    await expect(row).not.toContainText('No clock-out')
    await expect(row).toContainText('13:00')
    await expect(row).toContainText('480480')
    await expect(requests.getByText('No clock-out')).toHaveCount(0)
    await expect(ownDashboard.getByText('8.00 h').first()).toBeVisible()
    await page.getByRole('tab', { name: 'Finished' }).click()
    await expect(page.getByRole('tabpanel').getByRole('listitem').filter({ hasText: 'Daphne' })).toContainText(
      'left 13:00',
    )
    await settled(page)
    await page.screenshot({ path: 'tests/browser/shots/results-settled.png' })
    await row.locator('.row-title.figure').click()
    await expect(report.getByRole('dialog')).toContainText('13:00 clock-out')
    await report.screenshot({ path: 'tests/browser/shots/results-explained.png' })
  })

  for (const window of [exceptions, report, ownDashboard]) await window.context().close()
  expect(complaints).toEqual([])
  terminal.close()
})
