import type { Page } from '@playwright/test'
import { dayIn, eveningZone } from '../kit/evening.ts'
import { openSocket } from '../kit/socket.ts'
import { pick } from './board.ts'
import { address, expect, test } from './site.ts'

const zone = eveningZone()
test.use({ timezoneId: zone, viewport: { width: 1440, height: 900 } })

const mailedCode = async (email: string) => {
  const mails = (await (await fetch(`${address()}/outbox?format=json`)).json()) as { to: string; text: string }[]
  return /\b\d{6}\b/.exec(mails.findLast(({ to }) => to === email)?.text ?? '')?.[0] ?? ''
}

const openPage = (page: Page, group: string, entry: string) =>
  test.step(`open ${entry}`, async () => {
    await page.getByRole('navigation', { name: 'Main menu' }).getByRole('link', { name: group }).click()
    await page.getByRole('navigation', { name: group }).getByRole('link', { name: entry }).click()
  })

test('a founder registers a company, schedules a day, connects a terminal and reads the report', async ({ page }) => {
  // The journey takes as long as a dozen other tests.
  test.setTimeout(180_000)
  const email = `anna-${Date.now()}@example.com`
  const day = dayIn(zone)

  await test.step('register with a mailed code', async () => {
    await page.goto('/')
    await expect(page).toHaveURL(/\/login\?redirect=%2Fdashboard$/)
    await page.getByRole('link', { name: 'Register your company' }).click()
    await expect(page.getByRole('heading', { name: 'Register your company' })).toBeVisible()
    await page.getByLabel('E-mail').fill(email)
    await page.getByRole('button', { name: 'Send code' }).click()
    await expect(page.getByText('s after get again')).toBeVisible()
    await page.getByLabel('Verification code').fill(await mailedCode(email))
    await page.getByLabel('First name').fill('Anna')
    await page.getByLabel('Last name').fill('Albers')
    await page.getByLabel('Organization name').fill('Albers Bakery')
    await expect.poll(() => page.getByLabel('Time zone').inputValue()).toContain(zone)
    await page.getByLabel('Password', { exact: true }).fill('Rhubarb#42')
    await page.getByLabel('Confirm password').fill('Rhubarb#42')
    await page.getByRole('button', { name: 'Create company' }).click()
    await expect(page.getByText('Please accept the terms')).toBeVisible()
    await page.getByRole('checkbox').check()
    await page.getByRole('button', { name: 'Create company' }).click()
    await expect(page.getByRole('heading', { name: 'First steps' })).toBeVisible()
  })

  await test.step('add a department and an employee', async () => {
    await openPage(page, 'Organization', 'Departments')
    await page.getByRole('button', { name: 'Add department' }).click()
    await page.getByLabel('Department name').fill('Workshop')
    await page.getByRole('button', { name: 'Save' }).click()
    await expect(page.getByRole('row', { name: /Workshop/ })).toBeVisible()

    await page.getByRole('link', { name: 'Employees', exact: true }).click()
    await page.getByRole('button', { name: 'Add employee' }).click()
    await page.getByLabel('First name').fill('Bert')
    await page.getByLabel('Last name').fill('Berger')
    await page.getByLabel('Employee ID').fill('7')
    await page.getByRole('dialog').getByLabel('Department', { exact: true }).fill('Workshop')
    await page.getByRole('option', { name: 'Workshop' }).click()
    await page.getByRole('button', { name: 'Save' }).click()
    await expect(page.getByRole('link', { name: 'Bert Berger' })).toBeVisible()
  })

  await test.step('describe a shift and schedule it for today', async () => {
    await openPage(page, 'Shifts', 'Shifts')
    await page.getByRole('button', { name: 'Add shift' }).first().click()
    await page.getByLabel('Shift name').fill('Day')
    await page.getByLabel('Punches count until', { exact: true }).fill('19:30')
    await page.getByRole('button', { name: 'Save' }).click()
    await expect(page.getByRole('button', { name: 'Day', exact: true })).toBeVisible()

    await page.getByRole('link', { name: 'Schedule', exact: true }).click()
    await pick(page, 'Day')
    await page
      .getByRole('row', { name: /Bert Berger/ })
      .locator('.today')
      .click()
    await page.getByRole('button', { name: 'Save 1 day' }).click()
    await expect(page.getByText('1 day saved').last()).toBeVisible()
    await page.screenshot({ path: 'tests/browser/shots/line-schedule.png' })
    await page.reload()
    await expect(page.getByRole('gridcell', { name: /^Bert Berger, .*: Day 09:00–18:00$/ })).toHaveCount(1)
  })

  const serialNumber = `SITE${Date.now()}`
  const path = await test.step('add a terminal and read what to enter on it', async () => {
    await openPage(page, 'Organization', 'Devices')
    await page.getByRole('button', { name: 'Add terminal' }).first().click()
    await page.getByLabel('Serial number', { exact: true }).fill(serialNumber)
    await page.getByLabel('Name', { exact: true }).fill('Main entrance')
    await page.getByRole('dialog').getByLabel('Department', { exact: true }).fill('Workshop')
    await page.getByRole('option', { name: 'Workshop' }).click()
    await page.getByRole('button', { name: 'Continue' }).click()
    await expect(page.getByRole('listitem').filter({ hasText: 'Waiting to connect (in progress)' })).toBeVisible()
    const lines = page.locator('.setup dl code')
    await expect(lines.first()).toHaveText(new URL(address()).hostname)
    return (await lines.nth(2).textContent()) ?? ''
  })

  const terminal = await openSocket(address(), { path })
  await test.step('the terminal connects, and the open page shows it', async () => {
    terminal.say({
      cmd: 'reg',
      sn: serialNumber,
      cpusn: 'c1',
      devinfo: { modelname: 'AiFace', firmware: 'v1', usednewlog: 0 },
    })
    expect(await terminal.hear({ ret: 'reg' })).toMatchObject({ result: true })
    await expect(page.getByRole('listitem').filter({ hasText: 'Connected (done)' })).toBeVisible()
  })

  await test.step('the open dashboard shows the punches', async () => {
    await page.getByRole('link', { name: 'Dashboard' }).click()
    await expect(page.getByText('0 of 1', { exact: true })).toBeVisible()
    const punch = (time: string) => ({ enrollid: 7, time: `${day} ${time}`, mode: 8, inout: 0, event: 0 })
    const record = [punch('09:06:30'), punch('18:10:00')]
    terminal.say({ cmd: 'sendlog', sn: serialNumber, count: record.length, logindex: 1, record })
    expect(await terminal.hear({ ret: 'sendlog' })).toMatchObject({ result: true })
    await expect(page.getByText('1 of 1', { exact: true })).toBeVisible()
    await expect(page.getByText('100%')).toBeVisible()
    await page.screenshot({ path: 'tests/browser/shots/line-dashboard.png' })
  })
  terminal.close()

  await test.step('records and report show them', async () => {
    await openPage(page, 'Records', 'Records')
    await expect(page.getByRole('row', { name: /Bert Berger 7 .* 09:06:30 In Workshop/ })).toBeVisible()
    await expect(page.getByRole('row', { name: /Bert Berger 7 .* 18:10:00 Out Workshop/ })).toBeVisible()
    await page.getByRole('link', { name: 'Report', exact: true }).click()
    const row = page.getByRole('table', { name: 'Daily' }).getByRole('row', { name: /Bert Berger/ })
    // The minutes scheduled, worked, late, early, absent and overtime. Six late minutes exceed the allowed five, so all
    // six count.
    await expect(row).toHaveAccessibleName(/Day 09:06 18:10 480 474 6 – – – /)
  })

  await test.step('log out, after a question', async () => {
    await page.getByRole('button', { name: /Anna Albers/ }).click()
    await page.getByRole('menuitem', { name: 'Log out' }).click()
    await page.getByRole('dialog', { name: 'Log out?' }).getByRole('button', { name: 'Log out' }).click()
    await expect(page).toHaveURL(/\/login$/)
    await page.getByLabel('E-mail').fill(email)
    await page.getByLabel('Password', { exact: true }).fill('Rhubarb#42')
    await page.getByLabel('Password', { exact: true }).press('Enter')
    await expect(page.getByText('1 of 1', { exact: true })).toBeVisible()
  })
})
