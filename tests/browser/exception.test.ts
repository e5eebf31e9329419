import type { Page } from '@playwright/test'
import { dayIn, eveningZone } from '../kit/evening.ts'
import { openSocket } from '../kit/socket.ts'
import { address, axeFindings, call, expect, newCompany, openAs, pickPerson, settled, test } from './site.ts'

// Reviewing exceptions by keyboard, assigning unknown numbers and adding missing punches.

const zone = eveningZone()
const day = dayIn(zone)
test.use({ timezoneId: zone })

const punch = (enrollid: number, time: string, more: object = {}) => ({
  ...{ enrollid, time: `${day} ${time}`, mode: 8, inout: 0, event: 0 },
  ...more,
})

/** Registers a company with four employees of an early shift without clock-outs, and connects a terminal. */
const addForgetfulTeam = async () => {
  const boss = await newCompany('Olive & Sons', zone)
  const { list } = (await call('department/all', {}, boss)) as { list: { id: string }[] }
  const department = list[0]?.id
  const hours = { onDuty: '05:00', offDuty: '13:00', punchStart: '04:00', punchEnd: '15:00' }
  const { id: shift } = await call('shift/add', { name: 'Early', ...hours }, boss)
  const employees: string[] = []
  for (const [i, first_name] of ['Ada', 'Ben', 'Carl', 'Dora'].entries()) {
    const person = { first_name, last_name: 'Early', workno: String(11 + i), department }
    employees.push(String((await call('employee/add', person, boss)).id))
  }
  const response = await fetch(`${address()}/api/schedule/add`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-token': boss, 'x-timezone': zone },
    body: JSON.stringify({ employees, days: [day], shift }),
  })
  expect(await response.json()).toMatchObject({ code: 0 })
  const sn = `EARLY${Date.now()}${Math.random().toString(36).slice(2, 6)}`.toUpperCase()
  const { serverPath } = await call('device/add', { serialNumber: sn, name: 'Gate', department }, boss)
  const terminal = await openSocket(address(), { path: String(serverPath) })
  terminal.say({ cmd: 'reg', sn, cpusn: 'c1', devinfo: { modelname: 'AiFace', firmware: 'v1', usednewlog: 0 } })
  await terminal.hear({ ret: 'reg' })
  let logindex = 0
  const deliver = async (...record: object[]) => {
    terminal.say({ cmd: 'sendlog', sn, count: record.length, logindex: ++logindex, record })
    expect(await terminal.hear({ ret: 'sendlog' })).toMatchObject({ result: true })
  }
  await deliver(...[11, 12, 13, 14].map(number => punch(number, '04:55:00', { temp: 36.4 })))
  return { boss, deliver }
}

const open = (page: Page) => page.getByRole('row').filter({ hasText: 'No clock-out' })
const focused = (page: Page) => page.locator('.grid-row', { has: page.locator(':focus') })

test('a manager reviews exceptions by keyboard and undoes a review; late punches resolve open exceptions', async ({
  page,
}) => {
  const { boss, deliver } = await addForgetfulTeam()
  await openAs(page, { token: boss }, '/exception')
  await expect(open(page)).toHaveCount(4)
  await expect(page.getByText('4 to review')).toBeVisible()
  await settled(page)
  expect(await axeFindings(page)).toEqual([])

  await test.step('move down and up, and open the reason', async () => {
    await page.getByRole('table', { name: 'Exceptions' }).focus()
    await page.keyboard.press('ArrowDown')
    const first = await focused(page).innerText()
    await page.keyboard.press('j')
    expect(await focused(page).innerText()).not.toBe(first)
    await page.keyboard.press('ArrowUp')
    expect(await focused(page).innerText()).toBe(first)
    await page.keyboard.press('Enter')
    await expect(page.getByRole('dialog')).toContainText('Clock-out missing')
    await page.keyboard.press('Escape')
    await expect(page.getByRole('dialog')).toHaveCount(0)
    await expect(focused(page)).toContainText('Early')
  })

  await test.step('review an exception and move to the next', async () => {
    const name = await focused(page).locator('.row-title').innerText()
    await page.keyboard.press('a')
    await expect(open(page)).toHaveCount(3)
    await expect(page.getByText('1 exception marked as reviewed')).toBeVisible()
    await expect(focused(page)).toHaveCount(1)
    await expect(focused(page)).not.toContainText(name)
    await page.keyboard.press('z')
    await expect(open(page)).toHaveCount(4)
  })

  await test.step('select two exceptions and review them with a reason', async () => {
    await page.keyboard.press('Home')
    await page.getByRole('table', { name: 'Exceptions' }).focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Space')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Space')
    await expect(page.getByText('2 selected')).toBeVisible()
    await page.route('**/api/exception/accept', route => route.abort())
    await page.keyboard.press('n')
    await page.getByRole('dialog').getByLabel('Reason').fill('The terminal was off')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    await expect(page.getByRole('dialog').getByRole('button', { name: 'Mark as reviewed' })).toBeFocused()
    const failed = page.waitForEvent('requestfailed')
    await page.keyboard.press('Enter')
    expect((await failed).url()).toMatch(/exception\/accept$/)
    await expect(page.getByRole('alert')).toHaveText(/^No response from the server/)
    await page.unroute('**/api/exception/accept')
    await expect(page.getByLabel('Reason')).toHaveValue('The terminal was off')
    await page.keyboard.press('Enter')
    await expect(page.getByText('2 exceptions marked as reviewed')).toBeVisible()
    await expect(open(page)).toHaveCount(2)
    await page.getByLabel('Status').selectOption('Reviewed, no hours added')
    await expect(open(page)).toHaveCount(2)
    await expect(page.getByText('The terminal was off')).toHaveCount(2)
    await settled(page)
    expect(await axeFindings(page)).toEqual([])
  })

  await test.step('reopen an exception', async () => {
    await page.getByRole('table', { name: 'Exceptions' }).focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('r')
    await expect(page.getByText('1 exception reopened')).toBeVisible()
    await expect(open(page)).toHaveCount(1)
    // The focused row has disappeared, so the next row has the focus.
    await expect(page.locator('[data-index="0"] .row-act')).toBeFocused()
    // Undo keeps the reason of the review.
    await page.keyboard.press('z')
    await expect(page.getByText('The terminal was off')).toHaveCount(2)
    await page.getByRole('table', { name: 'Exceptions' }).focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('r')
    await expect(open(page)).toHaveCount(1)
  })

  await test.step('a late punch resolves the open exceptions, and the page shows it without a reload', async () => {
    await page.getByLabel('Status').selectOption('Open')
    await expect(open(page)).toHaveCount(3)
    await deliver(...[11, 12, 13, 14].map(number => punch(number, '13:02:00')))
    await expect(page.getByRole('heading', { name: 'No exceptions to review' })).toBeVisible({ timeout: 20_000 })
    await page.getByLabel('Status').selectOption('Resolved')
    await expect(open(page)).toHaveCount(4)
    await expect(page.getByText('A later punch')).toHaveCount(4)
  })
})

test('a manager assigns an unknown number to an employee, sees the punches and unassigns the number', {
  tag: '@long',
}, async ({ page }) => {
  const { boss, deliver } = await addForgetfulTeam()
  await deliver(punch(7001, '13:01:00', { temp: 38.2, mask: 0 }))
  await openAs(page, { token: boss }, '/record')
  const rows = page.getByRole('row').filter({ hasText: 'Early' })
  await expect(rows).toHaveCount(4)
  await page.getByRole('button', { name: 'Assign' }).click()
  const panel = page.getByRole('dialog')
  await expect(panel.getByText('Employee ID 7001')).toBeVisible()
  await expect(panel.getByText('Gate')).toBeVisible()
  const field = panel.getByRole('combobox', { name: 'Employee' })
  await pickPerson(page, field, 'Carl', 'Carl Early · 13')
  await settled(page)
  expect(await axeFindings(page)).toEqual([])
  await panel.getByRole('button', { name: 'Assign' }).click()
  await expect(panel.getByText('No unknown employee IDs.')).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(rows).toHaveCount(5)
  const highTemperature = rows.filter({ hasText: '38.2' })
  await expect(highTemperature).toContainText('Carl Early')
  await expect(highTemperature).toContainText('Without a mask')
  await settled(page)
  expect(await axeFindings(page)).toEqual([])

  await test.step('filters on temperature and mask narrow the list, and the address keeps them', async () => {
    await page.getByRole('button', { name: 'More filters' }).click()
    await page.getByLabel('Temperature').selectOption('High temperature')
    await expect(rows).toHaveCount(1)
    await expect(page).toHaveURL(/temperature=1/)
    await page.getByLabel('Mask').selectOption('With a mask')
    await expect(rows).toHaveCount(0)
    await page.getByRole('button', { name: 'Fewer filters' }).click()
    await expect(rows).toHaveCount(5)
  })

  await page.getByRole('button', { name: '1 ID assigned to someone in addition to their own' }).click()
  await panel.getByRole('button', { name: 'Unassign' }).click()
  const question = page.getByRole('dialog', { name: 'Unassign employee ID 7001?' })
  await question.getByRole('button', { name: 'Unassign' }).click()
  await expect(question).toHaveCount(0)
  await expect(panel.getByText('Employee ID 7001')).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(rows).toHaveCount(4)
})

test('a manager adds a forgotten clock-out in three clicks, ignores the punch and restores it', {
  tag: '@long',
}, async ({ page }) => {
  const { boss } = await addForgetfulTeam()
  await openAs(page, { token: boss }, '/exception')
  await expect(open(page)).toHaveCount(4)
  await open(page).first().getByRole('button', { name: /Early/ }).first().click()
  const panel = page.getByRole('dialog')
  await panel.getByRole('button', { name: 'Add punch' }).click()
  await expect(panel.getByLabel('Time')).toHaveValue('13:00')
  await expect(panel.locator('.correction-effect')).toContainText('480')
  await panel.getByRole('button', { name: 'Add punch' }).click()
  await expect(panel.getByLabel('Reason')).toHaveAttribute('aria-invalid', 'true')
  await settled(page)
  expect(await axeFindings(page)).toEqual([])
  await page.screenshot({ path: 'tests/browser/shots/correction-form.png' })
  await panel.getByLabel('Reason').fill('Forgot to clock out')
  await panel.getByRole('button', { name: 'Add punch' }).click()
  await expect(panel.getByText(/Added by .*: Forgot to clock out/)).toBeVisible()
  const missing = panel.getByText('Clock-out missing')
  await expect(missing).toHaveCount(0)
  await settled(page)
  await page.screenshot({ path: 'tests/browser/shots/correction-added.png' })

  await panel.getByRole('button', { name: 'Ignore the punch at 13:00' }).click()
  await panel.getByLabel('Reason').fill('Wrong day')
  await panel.getByRole('button', { name: 'Ignore', exact: true }).click()
  await expect(panel.getByText(/Ignored by .*: Wrong day/)).toBeVisible()
  await expect(missing).toBeVisible()
  await panel.getByRole('button', { name: 'Restore the punch at 13:00' }).click()
  await expect(missing).toHaveCount(0)
  await page.keyboard.press('Escape')
  await expect(open(page)).toHaveCount(3)
})

test('a manager adds all missing clock-outs in one action, and undoes the action', { tag: '@long' }, async ({
  page,
}) => {
  const { boss } = await addForgetfulTeam()
  await openAs(page, { token: boss }, '/exception')
  await expect(open(page)).toHaveCount(4)
  await expect(
    open(page)
      .first()
      .getByRole('button', { name: /^Add 13:00: / }),
  ).toHaveText('Add 13:00')
  await page.getByRole('checkbox').first().check()
  await page.getByRole('button', { name: 'Add 4 missing punches' }).click()
  const question = page.getByRole('dialog')
  await question.getByRole('button', { name: 'Add 4 missing punches' }).click()
  await expect(question.getByText('Enter a reason.')).toBeVisible()
  await settled(page)
  await page.screenshot({ path: 'tests/browser/shots/correction-bulk.png' })
  await question.getByLabel('Reason').fill('The terminal was off')
  await question.getByRole('button', { name: 'Add 4 missing punches' }).click()
  await expect(page.getByText('4 punches added')).toBeVisible()
  await expect(open(page)).toHaveCount(0)
  await page.screenshot({ path: 'tests/browser/shots/correction-bulk-done.png' })
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(open(page)).toHaveCount(4)
})

test('by keyboard, a manager fixes an exception as proposed, marks another as absent, and undoes the mark', {
  tag: '@long',
}, async ({ page }) => {
  const { boss } = await addForgetfulTeam()
  await openAs(page, { token: boss }, '/exception')
  await expect(open(page)).toHaveCount(4)
  const link = page.getByRole('navigation').getByRole('link', { name: /^Exceptions/ })
  await expect(link).toContainText('4 exceptions to review')
  await page.getByRole('table', { name: 'Exceptions' }).focus()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('f')
  await expect(page.getByRole('dialog').getByLabel('Reason')).toBeFocused()
  await page.keyboard.type('Forgot to clock out')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await expect(page.getByText('1 punch added')).toBeVisible()
  await expect(open(page)).toHaveCount(3)
  await expect(link).toContainText('3 exceptions to review')

  await expect(focused(page)).toHaveCount(1)
  await page.keyboard.press('x')
  await page.keyboard.press('j')
  await page.keyboard.press('x')
  await expect(page.getByText(/^2 selected · .* unresolved$/)).toBeVisible()
  await page.keyboard.press('b')
  const question = page.getByRole('dialog', { name: 'Mark 2 shifts as absent?' })
  await expect(question).toContainText('No hours are added')
  // The last reason is offered again.
  await expect(question.getByLabel('Reason')).toHaveValue('Forgot to clock out')
  await settled(page)
  expect(await axeFindings(page)).toEqual([])
  await page.screenshot({ path: 'tests/browser/shots/exception-absent.png' })
  await question.getByRole('button', { name: 'Mark 2 as absent' }).click()
  await expect(page.getByText('2 shifts marked as absent, no hours added')).toBeVisible()
  await expect(open(page)).toHaveCount(1)
  await page.keyboard.press('Control+z')
  await expect(open(page)).toHaveCount(3)
})

test('the menu of a row opens the form for another time, and the day shows who marked it as absent', {
  tag: '@long',
}, async ({ page }) => {
  const { boss } = await addForgetfulTeam()
  await openAs(page, { token: boss }, '/exception')
  await expect(open(page)).toHaveCount(4)
  await page.getByRole('table', { name: 'Exceptions' }).focus()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('t')
  const panel = page.getByRole('dialog')
  await expect(panel.getByLabel('Time')).toHaveValue('13:00')
  await page.keyboard.press('Escape')
  await expect(panel).toHaveCount(0)
  await page.keyboard.press('i')
  await expect(panel.getByRole('heading', { name: 'Ignore the punch at 04:55' })).toBeVisible()
  await page.keyboard.press('Escape')

  const first = open(page).first()
  await first.getByRole('button', { name: /^More actions/ }).click()
  await settled(page)
  expect(await axeFindings(page)).toEqual([])
  await page.screenshot({ path: 'tests/browser/shots/exception-menu.png' })
  await page.getByRole('menuitem', { name: 'Mark as absent… (0 h added)' }).click()
  await panel.getByLabel('Reason').fill('Did not come back')
  await panel.getByRole('button', { name: 'Mark as absent' }).click()
  await expect(open(page)).toHaveCount(3)
  await page.getByLabel('Status').selectOption('Resolved')
  const marked = open(page).filter({ hasText: 'Marked as absent' })
  await expect(marked).toHaveCount(1)
  await marked.getByRole('button', { name: /Early/ }).first().click()
  await expect(panel.getByText(/marked this shift as absent on .*: Did not come back/)).toBeVisible()
  await expect(panel.getByText('Marked as absent by a manager: 480 min.')).toBeVisible()
  await settled(page)
  expect(await axeFindings(page)).toEqual([])
  await page.screenshot({ path: 'tests/browser/shots/exception-absence-note.png' })
  await panel.getByRole('button', { name: 'Remove the mark' }).click()
  await expect(panel.getByText('Clock-out missing')).toBeVisible()
})

test('somebody else fixed an exception first, and the question names it and continues with the others', {
  tag: '@long',
}, async ({ page }) => {
  const { boss } = await addForgetfulTeam()
  await openAs(page, { token: boss }, '/exception')
  await expect(open(page)).toHaveCount(4)
  const filters = { from: day, to: day }
  const { list } = (await call('exception/grid', { filters }, boss)) as { list: Record<string, unknown>[] }
  await page.getByRole('checkbox').first().check()
  await page.getByRole('button', { name: 'Mark 4 as absent' }).click()
  const [first] = list
  const { employee, shift, type, minutes } = first ?? {}
  await call(
    'exception/fix',
    { exceptions: [{ employee, day, shift, type, minutes }], action: 'absent', reason: 'Me' },
    boss,
  )
  const question = page.getByRole('dialog')
  await question.getByLabel('Reason').fill('Left early')
  await question.getByRole('button', { name: 'Mark 4 as absent' }).click()
  await expect(question.getByRole('alert')).toContainText(`${first?.first_name} Early`)
  await expect(question.getByText('The other 3 can still be fixed.')).toBeVisible()
  await question.getByRole('button', { name: 'Mark 3 as absent' }).click()
  await expect(page.getByText('3 shifts marked as absent')).toBeVisible()
  await expect(open(page)).toHaveCount(0)
})

test('beside the list, a manager saves a correction and opens the next row; a changed form asks first', {
  tag: '@long',
}, async ({ page }) => {
  const { boss } = await addForgetfulTeam()
  await page.setViewportSize({ width: 1440, height: 900 })
  await openAs(page, { token: boss }, '/exception')
  await expect(open(page)).toHaveCount(4)
  const panel = page.getByRole('dialog', { name: / Early · / })
  await open(page).first().getByText('No clock-out', { exact: true }).click()
  await expect(panel.getByRole('button', { name: 'Add punch' })).toBeVisible()
  await settled(page)
  expect(await axeFindings(page)).toEqual([])
  const first = await panel.getByRole('heading', { level: 2 }).innerText()
  await page.keyboard.press('ArrowRight')
  await expect(panel.getByRole('heading', { level: 2 })).not.toHaveText(first)
  await page.keyboard.press('ArrowLeft')
  await expect(panel.getByRole('heading', { level: 2 })).toHaveText(first)

  await test.step('the question keeps the changed form', async () => {
    await page.keyboard.press('a')
    await panel.getByLabel('Reason').fill('Forgot to clock out')
    await open(page).last().getByText('No clock-out', { exact: true }).click()
    await page.getByRole('button', { name: 'Keep editing' }).click()
    await expect(panel.getByRole('heading', { level: 2 })).toHaveText(first)
    await settled(page)
    await page.screenshot({ path: 'tests/browser/shots/exception-docked.png' })
  })

  await test.step('Ctrl+Enter saves and opens the next row with the same reason', async () => {
    await panel.getByLabel('Reason').focus()
    await page.keyboard.press('Control+Enter')
    await expect(open(page)).toHaveCount(3)
    await expect(page.getByText('1 punch added')).toBeVisible()
    await expect(panel.getByRole('heading', { level: 2 })).not.toHaveText(first)
    await expect(panel.getByLabel('Reason')).toHaveValue('Forgot to clock out')
    await panel.getByRole('button', { name: 'Save and next' }).click()
    await expect(open(page)).toHaveCount(2)
    await panel.getByRole('button', { name: 'Close' }).click()
    await expect(panel).toHaveCount(0)
  })

  await test.step('the undo is announced and keeps the focus in the list', async () => {
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect(page.locator('.toast', { hasText: 'Undone' })).toBeVisible()
    await expect(open(page)).toHaveCount(3)
    await expect(focused(page)).toHaveCount(1)
  })

  await test.step('typing replaces the offered reason, and Enter sends it', async () => {
    await page.keyboard.press('f')
    const reason = page.getByRole('dialog').getByLabel('Reason')
    await expect(reason).toHaveValue('Forgot to clock out')
    await page.keyboard.type('Phone call')
    await expect(reason).toHaveValue('Phone call')
    await page.keyboard.press('Enter')
    await expect(open(page)).toHaveCount(2)
  })
})

test('the count leaves out locked rows and says so, and administrators find the way to reopen', {
  tag: '@long',
}, async ({ page }) => {
  const { boss } = await addForgetfulTeam()
  await page.route('**/api/exception/grid', async route => {
    const response = await route.fetch()
    const answer = (await response.json()) as { data: { list: Record<string, unknown>[] } }
    const [first, ...others] = answer.data.list
    const list = [{ ...first, isLocked: true, proposal: undefined, canBeAbsent: false }, ...others]
    await route.fulfill({ response, json: { ...answer, data: { ...answer.data, list } } })
  })
  await openAs(page, { token: boss }, '/exception')
  await expect(page.getByText(/3 to review · 1 locked, not counted/)).toBeVisible()
  await expect(open(page).first()).toContainText('Locked')
  await settled(page)
  await page.screenshot({ path: 'tests/browser/shots/exception-locked.png' })
  await open(page).first().getByRole('link', { name: 'Reopen period' }).click()
  await expect(page.getByRole('heading', { name: 'Close period' })).toBeVisible()
})
