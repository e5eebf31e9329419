import { dayIn, eveningZone } from '../kit/evening.ts'
import { openSocket } from '../kit/socket.ts'
import { address, axeFindings, call, expect, newCompany, openAs, settled, test } from './site.ts'

// Corrections under the company's rule: the administrator sets it, the employee answers, the manager sees the answer.

const zone = eveningZone()
const day = dayIn(zone)
test.use({ timezoneId: zone })

const callWithZone = (path: string, input: unknown, token: string) => call(path, input, token, { 'x-timezone': zone })
const longDay = new Intl.DateTimeFormat('en', {
  weekday: 'long',
  day: 'numeric',
  month: 'long',
  timeZone: 'UTC',
}).format(new Date(`${day}T12:00:00Z`))

/** A company under a rule, with an employee who punched at 05:12 and 13:00 today. */
const openCompany = async (correctionRule: 'manager' | 'objection' | 'agreement') => {
  const boss = await newCompany('Olive & Sons', zone)
  const { company } = (await call('auth/get', {}, boss)) as { company: { company_num: string } }
  const { list } = (await call('department/all', {}, boss)) as { list: { id: string }[] }
  const person = { first_name: 'Daphne', last_name: 'D', workno: '7', department: list[0]?.id, password: 'Rhubarb#42' }
  const { id: employee } = await call('employee/add', person, boss)
  const hours = { onDuty: '05:00', offDuty: '13:00', punchStart: '04:00', punchEnd: '16:00', breaks: [] }
  const { id: shift } = await call('shift/add', { name: 'Early', ...hours }, boss)
  await callWithZone('schedule/add', { employees: [employee], days: [day], shift }, boss)
  const { version } = await call('company/correction', {}, boss)
  await call('company/correction/update', { version, correctionRule, objectionDays: 7 }, boss)
  const sn = `COR${Date.now()}${Math.random().toString(36).slice(2, 6)}`.toUpperCase()
  const { serverPath } = await call('device/add', { serialNumber: sn, name: 'Gate', department: list[0]?.id }, boss)
  const terminal = await openSocket(address(), { path: String(serverPath) })
  terminal.say({ cmd: 'reg', sn, cpusn: 'c1', devinfo: { modelname: 'AiFace', firmware: 'v1', usednewlog: 0 } })
  await terminal.hear({ ret: 'reg' })
  const record = ['05:12:00', '13:00:00'].map(time => ({
    ...{ enrollid: 7, time: `${day} ${time}`, mode: 8, inout: 0, event: 0 },
  }))
  terminal.say({ cmd: 'sendlog', sn, count: 2, logindex: 1, record })
  expect(await terminal.hear({ ret: 'sendlog' })).toMatchObject({ result: true })
  terminal.close()
  const minutes = async () => {
    const { list } = (await call('report/day', { employee, day }, boss)) as { list: { workMinutes: number }[] }
    return list[0]?.workMinutes
  }
  await expect.poll(minutes, { timeout: 60_000 }).toBe(468)
  const punch = `7#${day}T05:12:00#${sn}`
  const correction = { employee, punch, date: day, time: '05:00', reason: 'Queue at the gate' }
  await callWithZone('record/update', correction, boss)
  const { token } = await call('personal/login', { code: company.company_num, workno: '7', password: 'Rhubarb#42' })
  return { boss, employee, token: String(token), minutes }
}

test('an employee objects to a correction on their timecard, and the manager sees the objection', {
  tag: '@long',
}, async ({ page, browser }) => {
  const { boss, employee, token, minutes } = await openCompany('objection')
  await expect.poll(minutes, { timeout: 60_000 }).toBe(480)
  await page.setViewportSize({ width: 390, height: 844 })
  await openAs(page, { token }, `/timecard?month=${day.slice(0, 7)}&day=${day}`)
  const panel = page.getByRole('dialog', { name: longDay })
  await expect(panel.getByText(/Recorded at 05:12.*Queue at the gate/)).toBeVisible()
  await expect(panel.getByText(/You can object until/)).toBeVisible()
  await panel.getByRole('button', { name: 'Object to the correction of the punch at 05:00' }).click()
  await panel.getByRole('button', { name: 'Object', exact: true }).click()
  await expect(panel.getByLabel('Reason')).toBeFocused()
  await panel.getByLabel('Reason').fill('I came at twelve past')
  await settled(page)
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
  await page.screenshot({ path: 'tests/browser/shots/correction-object.png' })
  expect(await axeFindings(page)).toEqual([])
  await page.keyboard.press('Enter')
  await expect(page.locator('.toast', { hasText: 'Objection sent' })).toBeVisible()
  await expect(panel.getByText(/Objection on .*I came at twelve past/)).toBeVisible()
  await expect(panel.getByText('05:12 clock-in')).toBeVisible()
  await expect.poll(minutes, { timeout: 60_000 }).toBe(468)

  const context = await browser.newContext({ timezoneId: zone, viewport: { width: 1440, height: 900 } })
  const managers = await context.newPage()
  await openAs(managers, { token: boss }, `${address()}/report?employee=${employee}&from=${day}&to=${day}&day=${day}`)
  const shown = managers.getByRole('dialog', { name: new RegExp(longDay) })
  await expect(shown.getByText('Objected, does not count')).toBeVisible()
  await shown.getByRole('button', { name: 'Change the punch at 05:12' }).click()
  await expect(shown.getByRole('paragraph').filter({ hasText: 'I came at twelve past' })).toBeVisible()
  await settled(managers)
  await managers.screenshot({ path: 'tests/browser/shots/correction-objected.png' })
  await managers.setViewportSize({ width: 390, height: 844 })
  await settled(managers)
  await managers.screenshot({ path: 'tests/browser/shots/correction-objected-390.png' })
  expect(await axeFindings(managers)).toEqual([])
  await context.close()
})

test('a manager opens a day from a punch, corrects it, and undoes the corrections', { tag: '@long' }, async ({
  page,
}) => {
  test.setTimeout(240_000)
  const { boss, minutes } = await openCompany('manager')
  await expect.poll(minutes, { timeout: 60_000 }).toBe(480)
  await openAs(page, { token: boss }, `/record?from=${day}&to=${day}`)
  const punch = page.getByRole('button', { name: /^Open Daphne D’s day .* 05:00:00$/ })
  await punch.focus()
  await page.keyboard.press('Enter')
  const panel = page.getByRole('dialog', { name: new RegExp(`Daphne D · ${longDay}`) })
  await expect(panel.getByText(/Recorded at 05:12/)).toBeVisible()
  await settled(page)
  expect(await axeFindings(page)).toEqual([])

  await test.step('a changed time returns to the earlier correction', async () => {
    await panel.getByRole('button', { name: 'Change the punch at 05:00' }).focus()
    await page.keyboard.press('e')
    await panel.getByLabel('Time').fill('05:20')
    // A changed form is not lost without a question.
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Keep editing' }).click()
    await panel.getByLabel('Reason').fill('Saw her arrive')
    await page.keyboard.press('Enter')
    await expect(panel.getByText('Time changed')).toBeVisible()
    await expect.poll(minutes, { timeout: 60_000 }).toBe(460)
    await expect(panel.getByText('05:20 clock-in')).toBeVisible()
    await settled(page)
    await page.screenshot({ path: 'tests/browser/shots/correction-undo.png' })
    expect(await axeFindings(page)).toEqual([])
    await page.keyboard.press('Control+z')
    await expect(page.locator('.toast', { hasText: 'Undone' })).toBeVisible()
    await expect.poll(minutes, { timeout: 60_000 }).toBe(480)
    await expect(panel.getByText(/Recorded at 05:12.*Queue at the gate/)).toBeVisible()
  })

  await test.step('an added punch is removed, and an ignored one counts again', async () => {
    await panel.getByRole('heading', { level: 2 }).focus()
    await page.keyboard.press('a')
    await expect(panel.getByRole('heading', { name: 'Add a punch' })).toBeVisible()
    await panel.getByLabel('Time').fill('09:00')
    await panel.getByLabel('Reason').fill('Break')
    await page.keyboard.press('Enter')
    await panel.getByRole('button', { name: 'Undo' }).click()
    await expect(panel.getByRole('button', { name: 'Ignore the punch at 09:00' })).toHaveCount(0)
    await panel.getByRole('button', { name: 'Ignore the punch at 13:00' }).click()
    await panel.getByLabel('Reason').fill('Not hers')
    await page.keyboard.press('Enter')
    await expect(panel.getByRole('button', { name: 'Restore the punch at 13:00' })).toBeVisible()
    await panel.getByRole('button', { name: 'Undo' }).click()
    await expect(panel.getByRole('button', { name: 'Ignore the punch at 13:00' })).toBeVisible()
    await expect.poll(minutes, { timeout: 60_000 }).toBe(480)
  })

  await test.step('another manager’s change in between stops the undo', async () => {
    await panel.getByRole('button', { name: 'Ignore the punch at 13:00' }).click()
    await panel.getByLabel('Reason').fill('Not hers')
    await page.keyboard.press('Enter')
    await expect(panel.getByRole('button', { name: 'Undo' })).toBeVisible()
    await page.route('**/api/record/restore', route =>
      route.fulfill({ json: { code: 60006, message: 'Changed meanwhile', fields: {} } }),
    )
    await panel.getByRole('button', { name: 'Undo' }).click()
    await expect(page.locator('.toast', { hasText: /changed/i })).toBeVisible()
    await expect(panel.getByRole('button', { name: 'Undo' })).toHaveCount(0)
  })

  await page.keyboard.press('Escape')
  await expect(panel).toHaveCount(0)
  await expect(punch).toBeFocused()
})

test('a manager opens a day from a request, and returns to it', { tag: '@long' }, async ({ page }) => {
  test.setTimeout(240_000)
  const { boss, employee, token, minutes } = await openCompany('manager')
  await expect.poll(minutes, { timeout: 60_000 }).toBe(480)
  await callWithZone('personal/request/shift/add', { date: day, time: '13:05', inout: 1 }, token)
  const panel = page.getByRole('dialog', { name: new RegExp(`Daphne D · ${longDay}`) })
  const { list } = (await call('approve/grid', {}, boss)) as { list: { id: string }[] }
  await openAs(page, { token: boss }, `/approve?employee=${employee}&id=${list[0]?.id}`)
  const asked = page.locator('.judged-day').getByRole('button').first()
  await asked.click()
  await expect(panel.getByRole('button', { name: 'Add punch' })).toBeVisible()
  await settled(page)
  await page.screenshot({ path: 'tests/browser/shots/correction-from-request.png' })
  await page.keyboard.press('Escape')
  await expect(panel).toHaveCount(0)
  await expect(asked).toBeFocused()
})

test('an employee agrees to a proposed correction, and it counts', { tag: '@long' }, async ({ page }) => {
  const { token, minutes } = await openCompany('agreement')
  await openAs(page, { token }, `/timecard?month=${day.slice(0, 7)}&day=${day}`)
  const panel = page.getByRole('dialog', { name: longDay })
  await expect(panel.getByText('Waiting for your agreement')).toBeVisible()
  await expect(panel.getByText(/proposed on .* to change this punch to 05:00/)).toBeVisible()
  expect(await minutes()).toBe(468)
  await settled(page)
  await page.screenshot({ path: 'tests/browser/shots/correction-proposed.png' })
  expect(await axeFindings(page)).toEqual([])
  await panel.getByRole('button', { name: 'Agree to the correction of the punch at 05:12' }).click()
  await expect(page.locator('.toast', { hasText: 'Agreed. The correction counts.' })).toBeVisible()
  await expect.poll(minutes, { timeout: 60_000 }).toBe(480)
  await expect(panel.getByText(/Agreed on/)).toBeVisible()
})

test('an administrator sets the rule for corrections', { tag: '@long' }, async ({ page }) => {
  const boss = await newCompany('Olive & Sons', zone)
  await openAs(page, { token: boss }, '/shift/params')
  const group = page.getByRole('region', { name: 'Corrections by managers' })
  await group.getByLabel('Rule').selectOption('The employee may object')
  await group.getByLabel('Time to object').fill('40')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(group.getByText('Enter a whole number from 1 to 30')).toBeVisible()
  await group.getByLabel('Time to object').fill('5')
  await group.getByLabel(/Corrections reach back/).fill('10')
  await settled(page)
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 900 })
    await group.scrollIntoViewIfNeeded()
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width)
    await page.screenshot({ path: `tests/browser/shots/correction-rule-${width}.png` })
  }
  expect(await axeFindings(page)).toEqual([])
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  // The bar of unsaved changes is a status too, and its text contains the word.
  await expect(page.getByRole('status').filter({ hasText: /^Saved/ })).toBeAttached()
  expect(await call('company/correction', {}, boss)).toMatchObject({
    ...{ correctionRule: 'objection', objectionDays: 5, correctionReachDays: 10 },
  })
})
