import { dayIn, eveningZone } from '../kit/evening.ts'
import { openSocket } from '../kit/socket.ts'
import { address, call, expect, newCompany, openAs, test } from './site.ts'

const zone = eveningZone()
test.use({ timezoneId: zone, viewport: { width: 1440, height: 900 } })

test('the open dashboard updates when an employee punches', async ({ page }) => {
  const day = dayIn(zone)
  const token = await newCompany('Olive & Sons', zone)
  const { list } = await call('department/all', {}, token)
  const department = (list as { id: string }[])[0]?.id
  const form = { onDuty: '09:00', offDuty: '18:00', punchStart: '07:00', punchEnd: '23:00' }
  const { id: shift } = await call('shift/add', { name: 'Day', ...form }, token)
  const add = (workno: string, first_name: string) =>
    call('employee/add', { workno, first_name, last_name: 'Berger', department }, token)
  const [bert, cleo] = [await add('7', 'Bert'), await add('8', 'Cleo')]
  await call('schedule/add', { employees: [bert.id, cleo.id], days: [day], shift }, token, { 'x-timezone': zone })
  const serialNumber = `DASH${Date.now()}`
  const { serverPath } = await call('device/add', { serialNumber, name: 'Door', department }, token)
  const terminal = await openSocket(address(), { path: String(serverPath) })
  const devinfo = { modelname: 'AiFace', firmware: 'v1', usednewlog: 0 }
  terminal.say({ cmd: 'reg', sn: serialNumber, cpusn: 'c1', devinfo })
  expect(await terminal.hear({ ret: 'reg' })).toMatchObject({ result: true })

  await openAs(page, { token }, '/dashboard')
  const card = (name: string) =>
    page.locator('section').filter({ has: page.getByRole('heading', { name, exact: true }) })
  await expect(page.getByText('0 of 2 clocked in today')).toBeVisible()
  await expect(card('Not in yet').getByRole('listitem')).toHaveText([/Bert Berger\s*7\s*Day/, /Cleo Berger\s*8\s*Day/])
  await expect(page.getByText('Days appear here once they are over.')).toBeVisible()

  const record = [{ enrollid: 7, time: `${day} 09:06:30`, mode: 8, inout: 0, event: 0 }]
  terminal.say({ cmd: 'sendlog', sn: serialNumber, count: 1, logindex: 1, record })
  expect(await terminal.hear({ ret: 'sendlog' })).toMatchObject({ result: true })
  await expect(page.getByText('1 of 2 clocked in today')).toBeVisible()
  await expect(page.getByText('50%')).toBeVisible()
  await expect(card('Not in yet').getByRole('listitem')).toHaveText([/Cleo Berger/])
  await expect(card('Latest punches').getByRole('listitem')).toHaveText([/Bert Berger\s*Door\s*09:06/])
  await expect(page.locator('.figure-card').filter({ hasText: 'Records today' })).toContainText(/1$/)
  terminal.close()
})

test('the dashboard shows the last thirty days as bars and as a table', { tag: '@long' }, async ({ page }) => {
  await openAs(page, 'administrator', '/dashboard')
  const history = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Last 30 days' }) })
  const table = (view: string) => history.getByRole('table', { name: `Last 30 days: ${view}` })
  // Screen readers get the table although it is hidden.
  await expect(table('Attendance').getByRole('row')).toHaveCount(31)
  await expect(history.locator('svg .accent').first()).toBeVisible()
  const days = table('Attendance').getByRole('rowheader')
  await expect(days).toHaveCount(30)

  const dayBand = history.locator('.chart-band').last()
  await dayBand.hover()
  const [name = ''] = await days.allInnerTexts()
  await expect(history.locator('.chart-tip')).toContainText(name)

  await history.getByRole('radio', { name: 'Hours' }).focus()
  await page.keyboard.press('ArrowLeft')
  await expect(table('Irregularities').getByRole('columnheader')).toHaveText([
    'Day',
    'Late',
    'Left early',
    'Absent',
    'Overtime',
    'Exceptions',
  ])
  await page.keyboard.press('ArrowRight')
  await expect(table('Hours').getByRole('columnheader')).toHaveText(['Day', 'Worked', 'Overtime'])
  await history.getByRole('button', { name: 'Show as table' }).click()
  await expect(history.locator('svg .accent')).toHaveCount(0)
  await table('Hours').getByRole('row').nth(1).getByRole('link').click()
  await expect(page).toHaveURL(/\/report\?from=(\d{4}-\d\d-\d\d)&to=\1/)
})
