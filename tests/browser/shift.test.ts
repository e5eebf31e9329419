import type { Page } from '@playwright/test'
import { address, axeFindings, call, expect, newCompany, openAs, settled, test } from './site.ts'

// The shift form draws the shift and checks each field. It previews the effect of a change on calculated days. After
// the save, the server recalculates the days.

const zone = 'Europe/Athens'
const today = () => new Intl.DateTimeFormat('en-CA', { timeZone: zone }).format(new Date())
const dayAhead = (count: number) =>
  new Date(Date.parse(`${today()}T12:00:00Z`) + count * 86_400_000).toISOString().slice(0, 10)

let token = ''
test.beforeEach(async () => {
  token = await newCompany('Olive & Sons', zone)
})

const open = (page: Page, path = '/shift', look = {}) => openAs(page, { token }, path, look)
const panel = (page: Page) => page.getByRole('dialog').filter({ has: page.getByRole('button', { name: 'Close' }) })
const field = (page: Page, label: string) =>
  panel(page).locator('.field', { has: page.getByLabel(label, { exact: true }) })
const fill = (page: Page, label: string, text: string) => panel(page).getByLabel(label, { exact: true }).fill(text)
const save = (page: Page) => panel(page).getByRole('button', { name: 'Save' }).click()
const row = (page: Page, name: string) =>
  page.getByRole('row').filter({ has: page.getByRole('button', { name, exact: true }) })
const startShift = async (page: Page, name: string) => {
  await page.getByRole('button', { name: 'Add shift' }).first().click()
  await fill(page, 'Shift name', name)
}
interface StoredShift {
  id: string
  name: string
  version: number
  [field: string]: unknown
}
const storedShift = async (name: string) => {
  const { list } = (await call('shift/grid', {}, token)) as unknown as { list: StoredShift[] }
  const shift = list.find(shift => shift.name === name)
  if (!shift) throw new Error(`There is no shift ${name}`)
  return shift
}

const day = { name: 'Day', onDuty: '09:00', offDuty: '17:00', punchStart: '07:00', punchEnd: '21:00' }
const addDay = async () => String((await call('shift/add', day, token)).id)

/** Schedules the owner for the shift on these days. */
const scheduleDays = async (shift: string, days: string[]) => {
  const { list } = (await call('employee/grid', {}, token)) as unknown as { list: { id: string }[] }
  const response = await fetch(`${address()}/api/schedule/add`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-token': token, 'x-timezone': zone },
    body: JSON.stringify({ employees: list.map(({ id }) => id), days, shift }),
  })
  expect(await response.json()).toMatchObject({ code: 0 })
}
/** Schedules the owner today and on the next five days. Waits until today and tomorrow are calculated. */
const schedule = async (shift: string) => {
  await scheduleDays(
    shift,
    Array.from({ length: 6 }, (_, ahead) => dayAhead(ahead)),
  )
  await expect.poll(scheduledMinutes).toEqual([480, 480])
}
const scheduledMinutes = async () => {
  const filters = { from: today(), to: dayAhead(1) }
  const { list } = (await call('report/grid', { filters }, token)) as unknown as { list: { dutyMinutes: number }[] }
  return list.map(({ dutyMinutes }) => dutyMinutes)
}

test('the form puts the end and breaks of a night shift on the next day without a plus sign', { tag: '@long' }, async ({
  page,
}) => {
  await open(page)
  await startShift(page, 'Night')
  await fill(page, 'Start time', '22:00')
  await fill(page, 'End time', '06:00')
  const nextDay = panel(page).getByRole('button', { name: 'End time: next day' })
  await expect(nextDay).toHaveAttribute('aria-pressed', 'true')
  await expect(panel(page).getByLabel('Punches count from', { exact: true })).toHaveValue('20:00')
  await expect(panel(page).getByLabel('Punches count until', { exact: true })).toHaveValue('10:00')

  await fill(page, 'From', '02:00')
  await fill(page, 'Until', '03:00')
  await fill(page, 'Deduct', '30')
  await expect(field(page, 'From')).toContainText('next day')
  const drawing = panel(page).getByRole('region', { name: 'Shift timeline' })
  await expect(drawing).toContainText('22:00 – 06:00 on the next day: 7 h 30 min scheduled, 30 min break time')
  await panel(page).getByRole('button', { name: 'Add break' }).click()
  await expect(drawing).toContainText('7 h scheduled, 1 h break time')
  await expect(drawing.locator('.track .break-window')).toHaveCount(2)
  await expect(drawing.locator('.track .overtime')).toHaveCount(0)
  await panel(page).getByRole('switch', { name: 'Late clock-out counts as overtime' }).check()
  await expect(drawing.locator('.track .overtime')).toHaveCount(2)
  await settled(page)
  expect(await axeFindings(page)).toEqual([])
  await save(page)

  await expect(row(page, 'Night')).toContainText('22:00 – 06:00 next day')
  await expect(row(page, 'Night')).toContainText('Unused')
  expect(await storedShift('Night')).toMatchObject({
    kind: 'fixed',
    onDuty: '22:00',
    offDuty: '06:00+1',
    punchStart: '20:00',
    punchEnd: '10:00+1',
    breaks: [
      { start: '02:00+1', end: '03:00+1', durationMinutes: 30 },
      { start: '23:45', end: '00:15+1', durationMinutes: 30 },
    ],
    lateOutOvertime: { counts: true, afterMinutes: 30 },
  })
})

test('the form checks each field by the server’s rules while the user types, and refuses a used name', {
  tag: '@long',
}, async ({ page }) => {
  await addDay()
  await open(page)
  await startShift(page, 'day')
  await fill(page, 'End time', '23:00')
  await expect(panel(page).getByLabel('Punches count until', { exact: true })).toHaveValue('03:00')
  await fill(page, 'Punches count until', '22:00')
  await panel(page).getByRole('button', { name: 'Punches count until: next day' }).click()
  await expect(field(page, 'Punches count until')).toContainText('The punch window must end after the shift ends')
  await fill(page, 'End time', '18:00')
  await expect(field(page, 'Punches count until')).not.toContainText('must end after')
  await fill(page, 'Punches count from', '09:30')
  await expect(field(page, 'Punches count from')).toContainText('The punch window must start before the shift starts')
  await panel(page).getByRole('button', { name: 'Punches count from: day before' }).click()
  await expect(field(page, 'Punches count until')).toContainText('At most 36 hours')
  await panel(page).getByRole('button', { name: 'Punches count from: day before' }).click()
  await fill(page, 'Punches count from', '07:00')
  await fill(page, 'Until', '19:00')
  await expect(field(page, 'Until')).toContainText('A break must lie within the shift')
  await fill(page, 'Until', '13:00')
  await fill(page, 'Deduct', '90')
  await expect(field(page, 'Deduct')).toContainText("Can't be longer than the break window")
  await fill(page, 'Deduct', '60')
  await fill(page, 'Late grace period', '600')
  await expect(field(page, 'Late grace period')).toContainText('Must be shorter than the shift')
  await save(page)
  await expect(panel(page).getByLabel('Late grace period')).toBeFocused()
  await fill(page, 'Late grace period', '10')
  await expect(panel(page).locator('.error')).toHaveCount(0)
  await save(page)
  await expect(field(page, 'Shift name')).toContainText('A shift with this name already exists')
})

test('a user adds a weekly shift by hours, duplicates it, and deletes an unused shift', async ({ page }) => {
  await open(page)
  await startShift(page, 'Flexible')
  await panel(page).getByText('Weekly hours').click()
  await expect(panel(page).getByLabel('Start time')).toHaveCount(0)
  await fill(page, 'Hours per week', '200')
  await expect(field(page, 'Hours per week')).toContainText('Up to 168 hours')
  await fill(page, 'Hours per week', '38:30')
  await expect(field(page, 'Hours per week')).toContainText(
    'With 5 scheduled days per week, this is 7 h 42 min per day.',
  )
  await fill(page, 'Break per day', '45')
  await settled(page)
  expect(await axeFindings(page)).toEqual([])
  await save(page)
  await expect(row(page, 'Flexible')).toContainText('38 h 30 min per week')
  const weekly = { targetMinutes: 2310, breakMinutes: 45, breakThresholdMinutes: 360, overtimeCounts: true }
  expect(await storedShift('Flexible')).toMatchObject({ kind: 'weekly', weekly })

  await page.getByRole('button', { name: 'Flexible', exact: true }).click()
  await panel(page).getByRole('tab', { name: 'More' }).click()
  await panel(page).getByRole('button', { name: 'Duplicate' }).click()
  await expect(panel(page).getByLabel('Shift name')).toHaveValue('Flexible (copy)')
  await expect(panel(page).getByLabel('Shift name')).toBeFocused()
  await save(page)
  await expect(row(page, 'Flexible (copy)')).toContainText('38 h 30 min per week')

  await page.getByRole('button', { name: 'Flexible (copy)', exact: true }).click()
  await panel(page).getByRole('tab', { name: 'More' }).click()
  await panel(page).getByRole('button', { name: 'Delete' }).click()
  const question = page.getByRole('dialog', { name: 'Delete Flexible (copy)?' })
  await question.getByRole('button', { name: 'Delete' }).click()
  await expect(row(page, 'Flexible (copy)')).toHaveCount(0)
  await expect(row(page, 'Flexible')).toHaveCount(1)
})

test('a change of a used shift shows a preview before the save, and the recalculation and a new version afterwards', {
  tag: '@long',
}, async ({ page }) => {
  await schedule(await addDay())
  await open(page)
  await expect(row(page, 'Day')).toContainText('In use')
  await page.getByRole('button', { name: 'Day', exact: true }).click()
  await fill(page, 'End time', '16:00')
  await save(page)
  const question = page.getByRole('dialog', { name: 'Save changes to Day?' })
  await expect(question).toContainText('2 days of 1 person change.')
  await expect(question).toContainText('The change also applies to 4 scheduled future days')
  const scheduledRow = question
    .getByRole('row')
    .filter({ has: page.getByRole('rowheader', { name: 'Scheduled hours' }) })
  await expect(scheduledRow.getByRole('cell')).toHaveText(['960', '840', '−120'])
  await expect(question.getByRole('listitem')).toHaveCount(2)
  await settled(page)
  expect(await axeFindings(page)).toEqual([])
  await question.getByRole('button', { name: 'Cancel' }).click()
  expect(await scheduledMinutes()).toEqual([480, 480])

  await save(page)
  await question.getByRole('button', { name: 'Save and recalculate' }).click()
  const strip = page.getByRole('status').filter({ hasText: 'Days of the changed shift recalculated' })
  await expect(strip).toContainText('of 1 person recalculated, 2 rows updated')
  expect(await scheduledMinutes()).toEqual([420, 420])

  // Other pages show the result as a notice.
  await page.getByRole('link', { name: 'Rules' }).click()
  const notice = page.getByRole('region', { name: 'Background tasks' })
  await expect(notice).toContainText('2 rows updated')
  // On other pages, the notice disappears after a while. The shift page shows the result until the user closes it.
  await expect(notice).toHaveCount(0, { timeout: 30_000 })
  await page.getByRole('link', { name: 'Shifts', exact: true }).last().click()
  await strip.getByRole('button', { name: 'Close' }).click()
  await expect(strip).toHaveCount(0)

  await page.getByRole('button', { name: 'Day', exact: true }).click()
  await panel(page).getByRole('tab', { name: 'Versions' }).click()
  const versions = panel(page).locator('.versions > li:not(.list-end)')
  await expect(versions).toHaveCount(2)
  await expect(versions.first()).toContainText('17:00becomes 16:00')
  await expect(versions.last()).toContainText('Shift added.')
  await panel(page).getByRole('tab', { name: 'More' }).click()
  await expect(panel(page)).toContainText("This shift can't be deleted")
  await expect(panel(page).getByRole('list', { name: 'Used by' })).toContainText('1 person')
  await settled(page)
  expect(await axeFindings(page)).toEqual([])
})

test('a change that causes overlapping shifts shows the conflict, and the user may save the change anyway', {
  tag: '@long',
}, async ({ page }) => {
  await schedule(await addDay())
  const late = { name: 'Late', onDuty: '17:00', offDuty: '22:00', punchStart: '16:00', punchEnd: '23:00' }
  await scheduleDays(String((await call('shift/add', late, token)).id), [dayAhead(3)])
  await open(page)
  await page.getByRole('button', { name: 'Day', exact: true }).click()
  await fill(page, 'End time', '17:30')
  await save(page)
  const question = page.getByRole('dialog', { name: 'Save changes to Day?' })
  await expect(question).toContainText('1 conflict with another shift would arise.')
  await expect(question.getByRole('listitem').first()).toContainText(/: Day on .+ overlaps Late on .+/)
  await settled(page)
  expect(await axeFindings(page)).toEqual([])
  await question.getByRole('button', { name: 'Save and recalculate' }).click()
  await expect(row(page, 'Day')).toContainText('09:00 – 17:30')
})

test('a new name or colour of a used shift changes no day and needs no confirmation', { tag: '@long' }, async ({
  page,
}) => {
  await schedule(await addDay())
  await open(page)
  await page.getByRole('button', { name: 'Day', exact: true }).click()
  await fill(page, 'Shift name', 'Office')
  await panel(page).getByRole('radio', { name: 'Violet' }).check()
  await save(page)
  await expect(row(page, 'Office')).toContainText('In use')
  expect(await storedShift('Office')).toMatchObject({ color: 'violet', version: 2 })
})

test('the rules page explains, checks and previews parameters, and lists the earlier parameters', {
  tag: '@long',
}, async ({ page }) => {
  await open(page, '/shift/params', { theme: 'dark' })
  const bar = page.locator('.settings-bar').first()
  await expect(page.getByText('with 60 s, 08:59:30 and 09:00:10 count as one clock-in')).toBeVisible()
  await page.getByLabel('Ignore repeated punches within').fill('4000')
  await bar.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Enter a whole number from 0 to 3,600')).toBeVisible()
  await page.getByLabel('Ignore repeated punches within').fill('120')
  await page.getByRole('switch', { name: 'Make up missed time before overtime' }).check()
  await expect(page.getByRole('combobox', { name: 'Changes take effect on' })).toHaveValue(today())
  await settled(page)
  expect(await axeFindings(page)).toEqual([])
  await bar.getByRole('button', { name: 'Save' }).click()
  const question = page.getByRole('dialog', { name: 'Save the rules?' })
  await expect(question).toContainText('No calculated days change.')
  await question.getByRole('button', { name: 'Save and recalculate' }).click()
  await expect(bar).toBeHidden()
  const earlierRules = page.getByRole('region', { name: 'Earlier rules' })
  await expect(earlierRules).toContainText(`Until ${dayAhead(-1)}`)
  await expect(earlierRules.getByRole('definition')).toHaveText(['60 s', 'off'])
  expect(await call('attparams/index', {}, token)).toMatchObject({ bounceSeconds: 120, fullDutyFirst: true })
  await page.goto('/system/basic')
  await page.getByRole('link', { name: 'Attendance rules' }).click()
  await expect(page.getByLabel('Ignore repeated punches within')).toHaveValue('120')
})

test('the shift form fits a phone in the dark theme', { tag: '@long' }, async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 })
  await open(page, '/shift', { theme: 'dark' })
  await startShift(page, 'Small')
  await settled(page)
  expect(await axeFindings(page)).toEqual([])
  const widths = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth])
  expect(widths[0]).toBeLessThanOrEqual(widths[1] ?? 0)
  await save(page)
  await expect(row(page, 'Small')).toContainText('09:00 – 18:00')
})
