import type { Page } from '@playwright/test'
import { dayIn, eveningZone } from '../kit/evening.ts'
import { openSocket } from '../kit/socket.ts'
import { address, call, expect, newCompany, openAs, test } from './site.ts'

const zone = eveningZone()
test.use({ timezoneId: zone, viewport: { width: 1440, height: 900 } })

/** A company with two people and a terminal. The terminal sends punches by employee ID and time of day. */
const found = async () => {
  const day = dayIn(zone)
  const token = await newCompany('Olive & Sons', zone)
  const { list } = await call('department/all', {}, token)
  const department = (list as { id: string }[])[0]?.id
  const add = (workno: string, first_name: string) =>
    call('employee/add', { workno, first_name, last_name: 'Berger', department }, token)
  const [bert, cleo] = [await add('7', 'Bert'), await add('8', 'Cleo')]
  const serialNumber = `DASH${Date.now()}`
  const { serverPath } = await call('device/add', { serialNumber, name: 'Door', department }, token)
  const terminal = await openSocket(address(), { path: String(serverPath) })
  const devinfo = { modelname: 'AiFace', firmware: 'v1', usednewlog: 0 }
  terminal.say({ cmd: 'reg', sn: serialNumber, cpusn: 'c1', devinfo })
  expect(await terminal.hear({ ret: 'reg' })).toMatchObject({ result: true })
  let logindex = 0
  const punch = async (enrollid: number, time: string) => {
    const record = [{ enrollid, time: `${day} ${time}`, mode: 8, inout: 0, event: 0 }]
    terminal.say({ cmd: 'sendlog', sn: serialNumber, count: 1, logindex: ++logindex, record })
    expect(await terminal.hear({ ret: 'sendlog' })).toMatchObject({ result: true })
  }
  const schedule = async () => {
    const form = { onDuty: '09:00', offDuty: '23:00', punchStart: '07:00', punchEnd: '23:30' }
    const { id: shift } = await call('shift/add', { name: 'Day', ...form }, token)
    await call('schedule/add', { employees: [bert.id, cleo.id], days: [day], shift }, token, { 'x-timezone': zone })
  }
  return { token, punch, schedule, close: () => terminal.close() }
}
const countOf = (page: Page, name: string) => page.getByRole('tab', { name })
const people = (page: Page) => page.getByRole('tabpanel').getByRole('listitem')

test('an unscheduled person punches and appears under In now', async ({ page }) => {
  const { token, punch, close } = await found()
  await openAs(page, { token }, '/dashboard')
  await expect(countOf(page, 'In now')).toHaveText(/In now\s*0/)
  await expect(page.getByText('Nobody is in right now')).toBeVisible()
  await expect(page.getByText('Nobody is scheduled today')).toBeVisible()
  await expect(page.getByText('Updates live')).toBeVisible()

  await punch(7, '09:06:30')
  await expect(people(page)).toHaveText([/Bert Berger.*since 09:06.*Door/])
  await expect(countOf(page, 'In now')).toHaveText(/In now\s*1/)
  await expect(page.locator('.figure-card').filter({ hasText: 'Records today' })).toContainText(/1$/)
  close()
})

test('the counts follow the punches of scheduled people', { tag: '@long' }, async ({ page }) => {
  const { token, punch, schedule, close } = await found()
  await schedule()
  await openAs(page, { token }, '/dashboard?list=missing')
  await expect(people(page)).toHaveText([/Bert Berger.*due 09:00/, /Cleo Berger.*due 09:00/])
  await expect(countOf(page, 'Late')).toHaveText(/Late\s*2/)
  await punch(7, '09:36:30')
  await expect(people(page)).toHaveText([/Cleo Berger.*overdue/])
  await expect(page.getByText('50%')).toBeVisible()

  await countOf(page, 'Not in yet').press('ArrowLeft')
  await expect(page).toHaveURL(/list=late/)
  await expect(people(page)).toHaveText([/Cleo Berger/, /Bert Berger.*36 min late/])
  await punch(7, '19:00:00')
  await countOf(page, 'Late').press('End')
  await expect(people(page)).toHaveText([/Bert Berger.*left 19:00/])

  await countOf(page, 'Finished').press('ArrowDown')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('dialog', { name: /Bert Berger/ })).toContainText('09:36')
  await page.keyboard.press('Escape')
  await expect(people(page).getByRole('button')).toBeFocused()
  await page.keyboard.press('ArrowUp')
  await expect(countOf(page, 'Finished')).toBeFocused()
  close()
})

test('the page says when it was updated while the live connection is down', { tag: '@long' }, async ({ page }) => {
  await page.routeWebSocket(/\/web$/, socket => socket.close())
  await openAs(page, 'administrator', '/dashboard')
  await expect(page.getByText(/^Updated \d\d:\d\d$/)).toBeVisible()
})

test('what needs attention leads to the page that settles it', { tag: '@long' }, async ({ page }) => {
  const { token, punch, close } = await found()
  await openAs(page, { token }, '/dashboard')
  const strip = page.getByRole('region', { name: 'Needs your attention' })
  await expect(strip).toHaveText('You’re all caught up')
  await punch(999, '10:00:00')
  await expect(strip).toContainText('1 unknown employee ID')
  close()
  await expect(strip).toContainText('1 terminal offline')
  await strip.getByRole('link', { name: /Assign/ }).click()
  await expect(page.getByRole('dialog')).toContainText('999')
})

test('the wall shows large counts and names without the frame', { tag: '@long' }, async ({ page }) => {
  const { token, punch, close } = await found()
  await punch(7, '09:06:30')
  await openAs(page, { token }, '/dashboard')
  await page.getByRole('link', { name: 'Wall view' }).click()
  await expect(page.locator('.wall')).toBeVisible()
  await expect(page.getByText('Bert Berger', { exact: true })).toBeVisible()
  await expect(page.getByText('since 09:06')).toBeVisible()
  await page.keyboard.press('ArrowLeft')
  await expect(page.getByText('Nobody has finished yet')).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(countOf(page, 'Finished')).toBeVisible()
  close()
})

test('the dashboard shows the last thirty days as bars and as a table', { tag: '@long' }, async ({ page }) => {
  await openAs(page, 'administrator', '/dashboard')
  const history = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Last 30 days' }) })
  const table = (view: string) => history.getByRole('table', { name: `Last 30 days: ${view}` })
  await history.getByText('Attendance').click()
  // Screen readers get the table although it is hidden.
  await expect(table('Attendance').getByRole('row')).toHaveCount(31)
  await expect(history.locator('svg .accent').first()).toBeVisible()
  const days = table('Attendance').getByRole('rowheader')
  await expect(days).toHaveCount(30)

  const dayBand = history.locator('.chart-band').last()
  await dayBand.hover()
  const [name = ''] = await days.allInnerTexts()
  await expect(history.locator('.chart-tip')).toContainText(name)

  await history.getByRole('radio', { name: 'Attendance' }).focus()
  await page.keyboard.press('ArrowLeft')
  await expect(table('Irregularities').getByRole('columnheader')).toHaveText([
    'Day',
    'Late',
    'Left early',
    'Absent',
    'Overtime',
    'Exceptions',
  ])
  await page.keyboard.press('ArrowLeft')
  await expect(table('Hours').getByRole('columnheader')).toHaveText(['Day', 'Worked', 'Overtime'])
  await history.getByRole('button', { name: 'Show as table' }).click()
  await expect(history.locator('svg .accent')).toHaveCount(0)
  await table('Hours').getByRole('row').nth(1).getByRole('link').click()
  await expect(page).toHaveURL(/\/report\?from=(\d{4}-\d\d-\d\d)&to=\1/)
})
