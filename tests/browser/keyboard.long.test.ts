import { randomUUID } from 'node:crypto'
import type { Locator, Page } from '@playwright/test'
import { dayIn, eveningZone } from '../kit/evening.ts'
import { openSocket } from '../kit/socket.ts'
import { address, axeFindings, call, expect, mailTo, newCompany, openAs, test } from './site.ts'

// A user works with the site by keyboard only.

const zone = eveningZone()
const today = dayIn(zone)
const password = 'Rhubarb#42'
test.use({ timezoneId: zone, viewport: { width: 1440, height: 900 } })

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name })
const palette = (page: Page) => page.getByRole('dialog', { name: 'Search or jump to…' })

/** Presses Tab until the target has the focus. */
const tabTo = async (page: Page, target: Locator) => {
  await expect(target).toBeVisible()
  for (let step = 0; step < 150; step++) {
    if (await target.evaluate(element => element === document.activeElement)) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`The keyboard does not come to ${target}.`)
}

/** Opens the palette and types the words. */
const search = async (page: Page, words: string) => {
  await page.keyboard.press('Control+k')
  await expect(palette(page).getByRole('combobox')).toBeFocused()
  await page.keyboard.type(words)
}

/** Searches in the palette and opens the first result. */
const jump = async (page: Page, words: string, option: string | RegExp) => {
  await search(page, words)
  await expect(palette(page).getByRole('option', { name: option, selected: true })).toBeVisible()
  await page.keyboard.press('Enter')
  await expect(palette(page)).toHaveCount(0)
}

test('the palette opens an employee, a page and an action', async ({ page }) => {
  await openAs(page, 'administrator', '/dashboard')
  await expect(heading(page, 'Today')).toBeVisible()

  await search(page, '')
  // Each option has a unique id, which `aria-activedescendant` needs.
  const ids = await palette(page)
    .getByRole('option')
    .evaluateAll(options => options.map(({ id }) => id))
  expect(ids.filter((id, at) => id === '' || /\s/.test(id) || ids.indexOf(id) !== at)).toEqual([])
  for (let step = 0; step < ids.length; step++) {
    expect(await palette(page).getByRole('combobox').getAttribute('aria-activedescendant')).toBe(ids[step])
    await page.keyboard.press('ArrowDown')
  }
  await page.keyboard.type('add')
  expect(await axeFindings(page)).toEqual([])
  await page.keyboard.type(' no such thing')
  await expect(palette(page).getByRole('status')).toHaveText('No results')
  await page.keyboard.press('Escape')
  await expect(palette(page)).toHaveCount(0)

  await jump(page, 'rep', /^Report/)
  await expect(page).toHaveURL(/\/report$/)
  await expect(heading(page, 'Report')).toBeVisible()

  await jump(page, 'grace', /^Grace Huang/)
  await expect(page).toHaveURL(/\/employee\/[a-z0-9]{16}$/)
  await expect(heading(page, 'Grace Huang')).toBeVisible()

  await jump(page, 'add sh', 'Add shift')
  await expect(page.getByRole('heading', { name: 'Add shift' })).toBeVisible()
  await expect(page.getByLabel('Shift name')).toBeFocused()
  // The address drops the action, so a reload does not repeat it.
  await expect(page).toHaveURL(/\/shift$/)
})

test('the palette and the shortcuts open only pages that the user may open', async ({ page }) => {
  await openAs(page, 'employee', '/dashboard')
  await expect(page.locator('h1')).toBeVisible()
  await search(page, 'grace')
  await expect(palette(page).getByRole('status')).toHaveText('No results')
  await page.keyboard.press('Escape')
  await expect(palette(page)).toHaveCount(0)
  await page.keyboard.press('g')
  await page.keyboard.press('e')
  await page.keyboard.press('g')
  await page.keyboard.press('t')
  await expect(page).toHaveURL(/\/timecard$/)
})

test('the site opens the page of a second key jump while the page of the first jump still loads', async ({ page }) => {
  await openAs(page, 'administrator', '/dashboard')
  await expect(page.locator('h1')).toBeVisible()
  const loaded = Promise.withResolvers<void>()
  await page.context().route(/\.js(\?|$)/, async route => {
    await loaded.promise
    await route.continue()
  })
  await page.keyboard.press('g')
  await page.keyboard.press('s')
  await expect(page).toHaveURL(/\/schedule/)
  await page.keyboard.press('g')
  await page.keyboard.press('r')
  await expect(page).toHaveURL(/\/record$/)
  loaded.resolve()
  await expect(heading(page, 'Records')).toBeVisible()
})

test('the question mark opens the keyboard shortcuts, where the user can disable single-key shortcuts', async ({
  page,
}) => {
  await openAs(page, 'administrator', '/approve')
  await expect(heading(page, 'Approvals')).toBeVisible()
  const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  await page.keyboard.press('?')
  await expect(sheet.getByRole('heading', { name: 'On this page' })).toBeVisible()
  await expect(sheet.getByText('G, then E')).toBeVisible()
  expect(await axeFindings(page)).toEqual([])
  await tabTo(page, sheet.getByRole('switch'))
  await page.keyboard.press('Space')
  await expect(sheet.getByRole('switch')).not.toBeChecked()
  await page.keyboard.press('Escape')
  await expect(sheet).toHaveCount(0)

  await page.keyboard.press('?')
  await page.keyboard.press('Control+k')
  await expect(palette(page)).toBeVisible()
  await expect(sheet).toHaveCount(0)
})

test('the lists keep the chosen row height after a reload', async ({ page }) => {
  const rowHeight = async () => (await page.getByRole('row').nth(1).boundingBox())?.height ?? 0
  await openAs(page, 'administrator', '/employee')
  await expect(page.getByRole('link', { name: 'Ada Brandt', exact: true })).toBeVisible()
  const comfortable = await rowHeight()
  await jump(page, 'compact', /^Compact/)
  await expect.poll(rowHeight).toBeLessThan(comfortable)
  const compact = await rowHeight()
  await page.reload()
  await expect(page.getByRole('link', { name: 'Ada Brandt', exact: true })).toBeVisible()
  expect(await rowHeight()).toBe(compact)
  // Rows on touch screens are never compact.
  await page.setViewportSize({ width: 1024, height: 768 })
  await expect.poll(rowHeight).toBeGreaterThanOrEqual(44)
})

test('a manager works from sign-in to an approval by keyboard only', async ({ page }) => {
  // The journey takes as long as a dozen other tests.
  test.slow()
  const boss = await newCompany('Olive & Sons', zone)
  const { company } = (await call('auth/get', {}, boss)) as { company: { company_num: string } }
  const { list } = (await call('department/all', {}, boss)) as { list: { id: string }[] }
  const email = `keys-${randomUUID()}@example.com`
  const manager = { first_name: 'Kay', last_name: 'Board', workno: '90', department: list[0]?.id, email, role: 1 }
  const { id } = await call('employee/add', manager, boss)
  await call('employee/send_qrcode', { ids: [id] }, boss)
  const link = /\/join#([\w-]{43})/
  const token = link.exec(await mailTo(email, link))?.[1]
  await call('user/invite/join', { token, account: 'new', password, confirm_password: password, terms: true })

  await test.step('sign in', async () => {
    await openAs(page, 'stranger', '/login')
    await tabTo(page, page.getByLabel('E-mail'))
    await page.keyboard.type(email)
    await tabTo(page, page.getByLabel('Password', { exact: true }))
    await page.keyboard.type(password)
    await page.keyboard.press('Enter')
    await expect(page).toHaveURL(/\/(dashboard|guid)$/)
    await expect(page.locator('h1')).toBeVisible()
  })

  await test.step('add an employee', async () => {
    await jump(page, 'add emp', 'Add employee')
    await expect(page.getByLabel('First name')).toBeFocused()
    await page.keyboard.type('Tabea')
    await page.keyboard.press('Tab')
    await page.keyboard.type('Keys')
    await page.keyboard.press('Tab')
    await page.keyboard.type('12')
    await tabTo(page, page.getByRole('textbox', { name: /^Password/ }))
    await page.keyboard.type(password)
    await page.keyboard.press('Enter')
    await expect(page.getByRole('link', { name: 'Tabea Keys', exact: true })).toBeVisible()
  })

  await test.step('add a shift', async () => {
    await jump(page, 'add sh', 'Add shift')
    await expect(page.getByLabel('Shift name')).toBeFocused()
    await page.keyboard.type('Early')
    await page.keyboard.press('Enter')
    await expect(page.getByRole('row', { name: /Early/ })).toBeVisible()
  })

  await test.step('plan the last day of the month', async () => {
    await page.keyboard.press('g')
    await page.keyboard.press('s')
    await expect(heading(page, 'Schedule')).toBeVisible()
    await tabTo(page, page.locator('[data-column][tabindex="0"]'))
    await page.keyboard.press('Control+End')
    await page.keyboard.press('1')
    await page.keyboard.press('Enter')
    await expect(page.locator('[data-column]:focus')).toHaveAccessibleName(/Early .*\(not saved\)$/)
    await page.keyboard.press('Control+s')
    await expect(page.locator('[data-column]:focus')).toHaveAccessibleName(/Early [^(]*$/)
  })

  await test.step('see a new punch', async () => {
    await page.keyboard.press('g')
    await page.keyboard.press('r')
    await expect(heading(page, 'Records')).toBeVisible()
    const sn = `KEY${Date.now()}${Math.random().toString(36).slice(2, 6)}`.toUpperCase()
    const gate = { serialNumber: sn, name: 'Gate', department: list[0]?.id }
    const { serverPath } = await call('device/add', gate, boss)
    const terminal = await openSocket(address(), { path: String(serverPath) })
    terminal.say({ cmd: 'reg', sn, cpusn: 'c1', devinfo: { modelname: 'AiFace', firmware: 'v1', usednewlog: 0 } })
    await terminal.hear({ ret: 'reg' })
    const record = [{ enrollid: 12, time: `${today} 00:05:00`, mode: 8, inout: 0, event: 0 }]
    terminal.say({ cmd: 'sendlog', sn, count: 1, logindex: 1, record })
    await terminal.hear({ ret: 'sendlog' })
    await expect(page.getByRole('row', { name: /Tabea Keys/ })).toBeVisible()
    terminal.close()
  })

  await test.step('approve her request', async () => {
    const signIn = { code: company.company_num, workno: '12', password }
    const employeeToken = String((await call('personal/login', signIn)).token)
    await call('personal/request/overtime/add', { date: today, from: '18:00', to: '20:00' }, employeeToken)
    await page.keyboard.press('g')
    await page.keyboard.press('a')
    await tabTo(page, page.getByRole('button', { name: 'Open: Tabea Keys' }))
    await page.keyboard.press('a')
    const question = page.getByRole('dialog', { name: 'Approve this request?' })
    await tabTo(page, question.getByRole('button', { name: 'Approve' }))
    await page.keyboard.press('Enter')
    await expect(page.getByText('You’re all caught up')).toBeVisible()
  })
})
