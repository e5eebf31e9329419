import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Download, Locator, Page } from '@playwright/test'
import { readSheet } from '../../functions/sheet/read.ts'
import { addDays, addMonths } from '../../shared/local-day.ts'
import { dayIn, eveningZone } from '../kit/evening.ts'
import { openSocket } from '../kit/socket.ts'
import { address, axeFindings, call, endOf, expect, mailTo, newCompany, openAs, settled, test, watch } from './site.ts'

// The end of a month: a manager clears last month's exceptions, and an administrator locks the month and exports it.

const zone = eveningZone()
const today = dayIn(zone)
const thisMonth = `${today.slice(0, 7)}-01`
const month = { from: addMonths(thisMonth, -1), to: addDays(thisMonth, -1) }
/** The last days of a month can still be open, so nobody works then. */
const dayOf = (date: number) => addDays(month.from, date - 1)
const [powerCut, busyDay, sickDay, lastDay] = [dayOf(7), dayOf(8), dayOf(9), dayOf(10)]
const names = ['Ada', 'Ben', 'Carl', 'Dora', 'Eve', 'Fay', 'Gus', 'Hana']
const long = { timeout: 60_000 }
test.use({ timezoneId: zone, viewport: { width: 1440, height: 900 } })

/** The figures of the payroll file, by their headings. */
const figures = {
  'Scheduled hours': 'dutyMinutes',
  Worked: 'workMinutes',
  Late: 'lateMinutes',
  'Left early': 'earlyLeaveMinutes',
  Absent: 'absentMinutes',
  Leave: 'leaveMinutes',
  Unresolved: 'unresolvedMinutes',
  Unscheduled: 'unscheduledMinutes',
  Overtime: 'overtimeMinutes',
}
type Amounts = Record<string, number>
interface Summary {
  name: string
  workno: string
  daysPresent: number
  daysAbsent: number
  leaveDays: Record<string, number>
  amounts: Amounts
}

/** Invites a manager who sees reports, corrects punches and approves requests. */
const addManager = async (boss: string, department: string | undefined) => {
  const [email, password] = [`manager-${randomUUID()}@example.com`, 'Rhubarb#42']
  const role = { name: 'Team leader', permissions: [8, 9, 10], departments: [department] }
  const { id: roleId } = await call('role/add', role, boss)
  const person = { first_name: 'Mia', last_name: 'Manager', workno: '90', department, email, role: 2, roleId }
  const { id } = await call('employee/add', person, boss)
  await call('employee/send_qrcode', { ids: [id] }, boss)
  const link = /\/join#([\w-]{43})/
  const token = link.exec(await mailTo(email, link))?.[1]
  const join = { token, account: 'new', password, confirm_password: password, terms: true }
  return String((await call('user/invite/join', join)).token)
}

/** The punches of each day, by the place of the person in `names`. */
const punchesOf = (person: number): [day: string, ...times: string[]][] => {
  const whole = ['08:00:00', '16:00:00'] as const
  const busy: Record<string, string[]> = {
    Ada: ['08:25:00', '16:00:00'],
    Carl: ['08:00:00', '17:31:00'],
    Dora: ['08:00:00', '15:20:00'],
  }
  const name = names[person] ?? ''
  return [
    [powerCut, `07:5${person}:00`],
    [busyDay, ...(busy[name] ?? whole)],
    [sickDay, ...(name === 'Ben' ? [] : name === 'Eve' ? ['08:07:00', '16:00:00'] : whole)],
    [lastDay, ...(name === 'Hana' ? ['08:00:00'] : whole)],
    ...(name === 'Fay' ? [[today, '08:00:00'] as [string, string]] : []),
  ]
}

/** Registers a company whose eight employees worked on four days of last month, and prints all figures in hours. */
const addWorkedMonth = async () => {
  const boss = await newCompany('Olive & Sons', zone)
  const { list } = (await call('department/all', {}, boss)) as { list: { id: string }[] }
  const department = list[0]?.id
  const { timeUnit: _, ...params } = await call('report/params', {}, boss)
  await call('report/params/update', { ...params, timeUnit: [1, 1, 1, 1, 1] }, boss)
  const hours = { onDuty: '08:00', offDuty: '16:00', punchStart: '07:00', punchEnd: '19:00' }
  const lateOutOvertime = { counts: true, afterMinutes: 0 }
  const { id: shift } = await call('shift/add', { name: 'Day', ...hours, lateOutOvertime }, boss)
  const employees: string[] = []
  for (const [i, first_name] of names.entries()) {
    const person = { first_name, last_name: 'Day', workno: String(11 + i), department }
    employees.push(String((await call('employee/add', person, boss)).id))
  }
  const withZone = (path: string, input: unknown) => call(path, input, boss, { 'x-timezone': zone })
  // Past days change only after a preview of the same plan.
  const plan = { from: powerCut, shifts: [shift], rows: [{ employees, cells: [[0], [0], [0], [0]] }] }
  const previewed = await endOf(await withZone('schedule/preview', { plan }), boss)
  await endOf(await withZone('schedule/plan', { plan, preview: previewed }), boss)
  await withZone('schedule/add', { employees: [employees[5]], days: [today], shift })
  const sn = `MONTH${randomUUID().slice(0, 8)}`.toUpperCase()
  const { serverPath } = await call('device/add', { serialNumber: sn, name: 'Gate', department }, boss)
  const terminal = await openSocket(address(), { path: String(serverPath) })
  terminal.say({ cmd: 'reg', sn, cpusn: 'c1', devinfo: { modelname: 'AiFace', firmware: 'v1', usednewlog: 0 } })
  await terminal.hear({ ret: 'reg' })
  const record = names.flatMap((_, person) =>
    punchesOf(person).flatMap(([day, ...times]) =>
      times.map(time => ({ enrollid: 11 + person, time: `${day} ${time}`, mode: 8, inout: 0, event: 0 })),
    ),
  )
  terminal.say({ cmd: 'sendlog', sn, count: record.length, logindex: 1, record })
  expect(await terminal.hear({ ret: 'sendlog' })).toMatchObject({ result: true })
  await terminal.close()
  await expect.poll(async () => (await call('exception/grid', { filters: month }, boss)).count, long).toBe(9)
  await expect
    .poll(() => totals(boss), long)
    .toMatchObject({ dutyMinutes: 256, absentMinutes: 8, unresolvedMinutes: 72 })
  return { boss, manager: await addManager(boss, department), employees, sn }
}

const totals = async (token: string) =>
  ((await call('report/total', { filters: month }, token)) as { amounts: Amounts }).amounts
const summaries = async (token: string) =>
  ((await call('report/summary', { filters: month, size: 50 }, token)) as unknown as { list: Summary[] }).list

/** Clicks like a user, and counts the clicks. */
const countClicks = () => {
  let clicks = 0
  return {
    click: async (target: Locator) => {
      clicks++
      await target.click()
    },
    clicks: () => clicks,
  }
}

/** An entry of the menus, with or without a count. */
const menu = (page: Page, name: string) =>
  page.getByRole('navigation').getByRole('link', { name: new RegExp(`^${name}( ?\\d.*)?$`) })
const missing = (page: Page) => page.getByRole('row').filter({ hasText: 'No clock-out' })
const panel = (page: Page) => page.getByRole('dialog')
const inspect = async (page: Page, shot: string) => {
  await settled(page)
  await page.screenshot({ path: `tests/browser/shots/close-${shot}.png` })
  expect(await axeFindings(page)).toEqual([])
}

/** Compares each figure of the payroll file with the report, and its total with the total of the report. */
const compareFile = async (file: Download, token: string) => {
  const [headings = [], ...lines] = (await readSheet(await readFile(await file.path()))).rows
  const cells = lines.map(line => Object.fromEntries(line.map((cell, i) => [headings[i] ?? '', cell])))
  const [total, ...people] = [cells.at(-1), ...cells.slice(0, -1)]
  const amountsIn = (row: Record<string, string> | undefined) =>
    Object.fromEntries(
      Object.entries(figures).map(([heading, figure]) => [figure, Number(row?.[`${heading} (h)`] || Number.NaN)]),
    )
  const reported = await summaries(token)
  expect(people.map(row => row['Employee ID'])).toEqual(reported.map(({ workno }) => workno))
  for (const [i, { name, daysPresent, daysAbsent, leaveDays, amounts }] of reported.entries()) {
    const row = people[i]
    expect(row?.Employee).toBe(name)
    expect(amountsIn(row), name).toEqual(amounts)
    const days = [row?.['Days present'], row?.['Days absent'], row?.['Leave days']].map(Number)
    expect(days, name).toEqual([daysPresent, daysAbsent, Object.values(leaveDays).reduce((sum, day) => sum + day, 0)])
  }
  expect(total?.Employee).toBe('Total')
  expect(amountsIn(total)).toEqual(await totals(token))
  return { rows: people.length, total: amountsIn(total) }
}

/** Opens one day of a person from the daily report. */
const openDay = async (page: Page, employee: string, day: string) => {
  await page.goto(`/report?view=daily&employee=${employee}&from=${day}&to=${day}`)
  await page.locator('.grid-body .grid-row .row-title.figure').first().click()
  await expect(panel(page).getByRole('heading', { name: 'Day', exact: true })).toBeVisible()
}

type Counter = ReturnType<typeof countClicks>

/** Adds eight forgotten clock-outs in one action; a ninth stays open. */
const addEight = async (page: Page, boss: string) => {
  await menu(page, 'Records').click()
  await menu(page, 'Exceptions').click()
  await expect(page.getByRole('heading', { name: 'Exceptions' })).toBeVisible()
  await page.getByLabel('Date range').selectOption('Last month')
  await expect(missing(page)).toHaveCount(9)
  await page.getByRole('checkbox', { name: 'Select all' }).check()
  await page.getByRole('checkbox', { name: `Hana Day, ${lastDay}` }).uncheck()
  await expect(page.getByText('8 selected')).toBeVisible()
  await inspect(page, 'chosen')
  await page.getByRole('button', { name: 'Add 8 missing punches' }).click()
  await expect(panel(page).getByLabel('Reason')).toBeFocused()
  await page.keyboard.type('Power cut at the gate')
  await panel(page).getByRole('button', { name: 'Add 8 missing punches' }).click()
  await expect(page.getByText('8 punches added')).toBeVisible()
  await expect(missing(page)).toHaveCount(1)
  await expect(missing(page)).toContainText('Hana Day')
  await expect.poll(() => totals(boss), long).toMatchObject({ unresolvedMinutes: 8 })
}

/** From the dashboard, adds the clock-out that Fay forgot today. */
const addOne = async (page: Page, { click }: Counter) => {
  await click(menu(page, 'Records'))
  await click(menu(page, 'Exceptions'))
  await click(missing(page).getByRole('button', { name: /^Add 16:00: Fay Day/ }))
  await expect(panel(page).getByLabel('Reason')).toBeFocused()
  await page.keyboard.type('Forgot to clock out')
  await click(panel(page).getByRole('button', { name: 'Add missing punch' }))
  await expect(page.getByText('1 punch added')).toBeVisible()
  await expect(missing(page).filter({ hasText: 'Fay Day' })).toHaveCount(0)
}

const correctPunch = async (page: Page, boss: string, ada: string) => {
  await openDay(page, ada, busyDay)
  await panel(page).getByRole('button', { name: 'Change the punch at 08:25' }).click()
  await panel(page).getByLabel('Time').fill('08:10')
  await panel(page).getByLabel('Reason').fill('The terminal was slow')
  await expect(panel(page).locator('.correction-effect')).toContainText('Late')
  await panel(page).getByRole('button', { name: 'Change time', exact: true }).click()
  await expect(panel(page).getByText(/Recorded at 08:25, changed by Mia Manager/)).toBeVisible()
  await expect.poll(() => totals(boss), long).toMatchObject({ lateMinutes: 0.29 })
}

const enterSickLeave = async (page: Page, boss: string) => {
  await page.goto('/leave')
  await page.getByRole('button', { name: 'Add leave' }).click()
  await panel(page).getByRole('combobox', { name: 'Employees' }).fill('Ben')
  await page.getByRole('option', { name: /Ben/ }).click()
  await panel(page).getByLabel('Leave type').selectOption('Sick leave')
  for (const name of ['First day', 'Last day']) {
    const field = panel(page).getByRole('combobox', { name })
    await field.fill(sickDay)
    await field.press('Enter')
  }
  await expect(panel(page).getByRole('region', { name: 'Leave taken' })).toContainText('1 day')
  await panel(page).getByLabel('Note').fill('Phoned in')
  await panel(page).getByRole('button', { name: 'Add and approve' }).click()
  await expect(page.locator('.toast', { hasText: 'Approved' })).toBeVisible()
  await expect.poll(() => totals(boss), long).toMatchObject({ absentMinutes: 0, leaveMinutes: 8 })
}

/** Checks the checklist and the totals, and exports a draft that matches the report. */
const checkPeriod = async (office: Page, boss: string) => {
  await office.goto('/report/close')
  const range = office.getByLabel('Date range')
  await range.selectOption('This week')
  await range.selectOption('Last month')
  await expect(range.locator('option:checked')).toHaveText('Last month')
  const checklist = office.getByRole('region', { name: 'Still open' })
  await expect(checklist).toContainText('1 open exception')
  await expect(checklist).toContainText('8.00')
  await expect(checklist).toContainText('No pending requests')
  await expect(checklist).toContainText('All days are final')
  const amounts = await totals(boss)
  for (const figure of Object.values(figures)) {
    const shown = office.locator(`.close-totals .${figure} dd`)
    await expect(shown).toContainText(amounts[figure]?.toFixed(2) ?? 'nothing')
  }
  await expect(office.getByRole('button', { name: 'Lock and export' })).toBeDisabled()
  await inspect(office, 'before')
  await office.getByLabel('File', { exact: true }).selectOption('Standard report · CSV')
  const download = office.waitForEvent('download')
  await office.getByRole('button', { name: 'Export a draft' }).click()
  const draft = await download
  expect(draft.suggestedFilename()).toMatch(/^Draft .*\.csv$/)
  await compareFile(draft, boss)
}

/** From the dashboard, locks last month, accepts its open exception, and downloads the file. */
const closeMonth = async (office: Page, { click }: Counter) => {
  await click(menu(office, 'Records'))
  await click(menu(office, 'Close period'))
  await click(office.getByRole('checkbox', { name: /^Close with 1 open exception/ }))
  const download = office.waitForEvent('download')
  await click(office.getByRole('button', { name: 'Lock and export' }))
  return download
}

/** The page shows the closed month in every width, and gives its file again. */
const showClosed = async (office: Page, boss: string) => {
  await expect(office.locator('.close-past li:not(.list-end)')).toContainText('Closed by Olga Owner')
  await expect(office.locator('.close-past li:not(.list-end)')).toContainText('with 1 open exception')
  await expect(office.locator('.close-steps')).toContainText(`Days through ${month.to} are locked.`)
  await expect(office.getByRole('button', { name: 'Lock and export' })).toHaveCount(0)
  const download = office.waitForEvent('download')
  await office.locator('.close-past').getByRole('button', { name: 'Download' }).click()
  await compareFile(await download, boss)
  for (const [width, theme] of [
    [1440, 'light'],
    [1024, 'dark'],
    [390, 'light'],
  ] as const) {
    await office.setViewportSize({ width, height: 2000 })
    await office.evaluate(theme => localStorage.setItem('theme', theme), theme)
    await office.reload()
    await inspect(office, String(width))
    expect(await office.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width)
  }
}

const expectLocked = async (page: Page, manager: string, { employees, sn }: { employees: string[]; sn: string }) => {
  const [ada = '', hana = ''] = [employees[0], employees[7]]
  const refusal = (path: string, input: object) =>
    expect(call(path, { reason: 'Too late', ...input }, manager, { 'x-timezone': zone })).rejects.toThrow('60061')
  await refusal('record/add', { employee: hana, date: lastDay, time: '16:00', inout: 1 })
  const punch = `11#${sickDay}T08:00:00#${sn}`
  await refusal('record/update', { employee: ada, punch, date: sickDay, time: '07:50' })
  await refusal('record/ignore', { employee: ada, punch })
  await openDay(page, hana, lastDay)
  await expect(panel(page).getByText('Locked', { exact: true })).toBeVisible()
  await expect(panel(page).getByText('Its figures no longer change.')).toBeVisible()
  const corrections = panel(page).getByRole('button', { name: /Add punch|Change the punch|Ignore the punch/ })
  await expect(corrections).toHaveCount(0)
  await inspect(page, 'locked')
  await page.goto(`/exception?from=${month.from}&to=${month.to}`)
  await expect(missing(page)).toHaveCount(1)
  await expect(missing(page)).toContainText('Locked')
  await expect(page.getByRole('button', { name: /^Add 16:00/ })).toHaveCount(0)
  for (const width of [1440, 1024, 390]) {
    await page.setViewportSize({ width, height: 900 })
    await inspect(page, `locked-exception-${width}`)
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width)
  }
}

test('a manager clears the exceptions of last month, and an administrator locks the month and exports it for payroll', {
  tag: '@long',
}, async ({ page, browser }) => {
  test.setTimeout(300_000)
  const { boss, manager, employees, sn } = await addWorkedMonth()
  await openAs(page, { token: manager }, '/dashboard')
  await test.step('the manager adds eight forgotten clock-outs in one action', () => addEight(page, boss))
  await test.step('one forgotten clock-out takes at most four clicks from the dashboard', async () => {
    await page.goto('/dashboard')
    const counter = countClicks()
    await addOne(page, counter)
    expect(counter.clicks()).toBeLessThanOrEqual(4)
  })
  await test.step('the manager corrects a punch in the day dialog', () => correctPunch(page, boss, employees[0] ?? ''))
  await test.step('the manager enters sick leave for a person who phoned in', () => enterSickLeave(page, boss))

  const viewport = { width: 1440, height: 900 }
  const context = await browser.newContext({ baseURL: address(), timezoneId: zone, locale: 'en-GB', viewport })
  const office = await context.newPage()
  const complaints = watch(office)
  await openAs(office, { token: boss }, '/dashboard')
  await test.step('the checklist, the totals and a draft match the report', () => checkPeriod(office, boss))
  await test.step('locking and exporting last month takes at most four clicks from the dashboard', async () => {
    await office.goto('/dashboard')
    const counter = countClicks()
    const file = await closeMonth(office, counter)
    expect(counter.clicks()).toBeLessThanOrEqual(4)
    expect(file.suggestedFilename()).toBe(`Report by employee ${month.from} ${month.to} Olive & Sons.xlsx`)
    const { rows, total } = await compareFile(file, boss)
    // The owner and the manager have rows without hours.
    expect(rows).toBe(names.length + 2)
    const accounted = { workMinutes: 239.04, lateMinutes: 0.29, earlyLeaveMinutes: 0.67, absentMinutes: 0 }
    const rest = { leaveMinutes: 8, unresolvedMinutes: 8, unscheduledMinutes: 0, overtimeMinutes: 1.52 }
    expect(total).toEqual({ dutyMinutes: 256, ...accounted, ...rest })
  })
  await test.step('the page lists the closed month and gives its file again', () => showClosed(office, boss))
  await context.close()
  expect(complaints).toEqual([])
  await test.step('nobody corrects a locked day, and its pages say so', () =>
    expectLocked(page, manager, { employees, sn }))
})
