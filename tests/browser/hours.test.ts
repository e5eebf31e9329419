import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { readSheet } from '../../functions/sheet/read.ts'
import { addDays } from '../../shared/local-day.ts'
import { dayIn } from '../kit/evening.ts'
import { axeFindings, call, endOf, expect, newCompany, openAs, settled, test } from './site.ts'

// Hour kinds: an administrator builds a set in the editor. The preview, the report, its file and the day then show the
// same minutes.

// In UTC, because a clock change would alter the minutes of the night.
const zone = 'Etc/UTC'
const long = { timeout: 60_000 }
/** A past night, so that its figures are final. */
const night = addDays(dayIn(zone), -4)
test.use({ timezoneId: zone, viewport: { width: 1440, height: 900 } })

/** A company whose employee worked from 21:00 to 06:40, with overtime from 05:00 on. */
const openCompany = async () => {
  const boss = await newCompany('Olive & Sons', zone)
  const { list } = (await call('department/all', {}, boss)) as { list: { id: string }[] }
  const person = { first_name: 'Nora', last_name: 'Night', workno: '7', department: list[0]?.id }
  const { id: employee } = await call('employee/add', person, boss)
  const hours = { onDuty: '21:00', offDuty: '05:00+1', punchStart: '19:00', punchEnd: '08:00+1' }
  const lateOutOvertime = { counts: true, afterMinutes: 0 }
  const { id: shift } = await call('shift/add', { name: 'Night', ...hours, lateOutOvertime }, boss)
  // Past days change only after a preview of the same plan.
  const plan = { from: night, shifts: [shift], rows: [{ employees: [employee], cells: [[0]] }] }
  const withZone = (path: string, input: unknown) => call(path, input, boss, { 'x-timezone': zone })
  const preview = await endOf(await withZone('schedule/preview', { plan }), boss)
  await endOf(await withZone('schedule/plan', { plan, preview }), boss)
  const punch = { employee, reason: 'Terminal was off' }
  await call('record/add', { ...punch, date: night, time: '21:00' }, boss)
  await call('record/add', { ...punch, date: addDays(night, 1), time: '06:40' }, boss)
  const { timeUnit: _, ...params } = await call('report/params', {}, boss)
  await call('report/params/update', { ...params, timeUnit: [0, 0, 0, 0, 0] }, boss)
  const filters = { from: night, to: night }
  const row = async () => {
    const { list } = (await call('report/grid', { filters }, boss)) as { list: Record<string, unknown>[] }
    return list.find(row => row.employee === employee)
  }
  await expect.poll(async () => (await row())?.overtimeMinutes, long).toBe(100)
  return { boss, employee, row }
}

const rules = (page: Page, sort: 'Base kinds' | 'Supplements') => page.getByRole('region', { name: sort })
const rule = (page: Page, name: string) =>
  page.locator('.hour-rule').filter({ has: page.locator('.rule-name', { hasText: name }) })

/** Adds a kind and fills in its name and code. Its fields stay open. */
const addKind = async (page: Page, button: string, name: string, code: string) => {
  await page.getByRole('button', { name: button }).click()
  const fields = page.locator('.hour-fields')
  await expect(fields.getByLabel('Name')).toBeFocused()
  await fields.getByLabel('Name').fill(name)
  await fields.getByLabel('Code', { exact: true }).fill(code)
  return fields
}

test('an administrator builds a night set, previews and saves it; report, file and day agree', async ({ page }) => {
  test.setTimeout(240_000)
  const { boss, employee, row } = await openCompany()
  await openAs(page, { token: boss }, '/shift/hours')
  await page.getByRole('button', { name: 'New set' }).click()
  await page.getByRole('menuitem', { name: 'Start from scratch' }).click()
  await addKind(page, 'Add base kind', 'Extra hours', 'OT')
  const fields = await addKind(page, 'Add supplement', 'Night work', 'OT')
  await expect(fields.getByText('Another kind has this code.')).toBeVisible()
  await fields.getByLabel('Code', { exact: true }).fill('NIGHT')
  await fields.getByLabel('Until').fill('22:00')
  await expect(fields.getByText('Choose a time other than the start.')).toBeVisible()
  await fields.getByLabel('Until').fill('06:00')
  await fields.getByLabel(/^At least/).fill('2:01')
  await expect(rule(page, 'Night work').locator('.rule-sentence')).toHaveText(
    'Between 22:00 and 06:00, at least 121\u00a0min',
  )
  await test.step('the example shows the real night', async () => {
    const example = page.getByRole('complementary', { name: 'Example' })
    await expect(example.getByRole('definition')).toHaveText([
      '480\u00a0min',
      '100\u00a0min',
      '+ 480\u00a0min',
      '580\u00a0min',
    ])
  })
  await page.getByRole('textbox', { name: 'Name', exact: true }).last().fill('Nights')
  const from = page.getByRole('combobox', { name: 'Takes effect on' })
  await from.fill(night)
  await from.press('Tab')
  await page.keyboard.press('Control+s')
  const question = page.getByRole('dialog', { name: 'Save “Nights”?' })
  await expect(question).toContainText('1 day of 1 person changes.', long)
  for (const [name, minutes] of [
    ['Extra hours', '100'],
    ['Normal', '480'],
    ['Night work', '480'],
  ] as const)
    await expect(question.getByRole('row', { name: new RegExp(`^${name}`) })).toContainText(`0${minutes}+${minutes}`)
  await question.getByRole('button', { name: 'Save and recalculate' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Nights' })).toBeVisible(long)
  const kinds = { OT: 100, N: 480, NIGHT: 480 }
  await expect.poll(async () => (await row())?.kinds, long).toEqual(kinds)

  await test.step('the report and its file show the minutes of each kind', async () => {
    await page.goto(`/report?from=${night}&to=${night}&employee=${employee}&columns=payroll`)
    const line = page.locator('.grid-body .grid-row')
    await expect(line.locator('.tinted')).toHaveText(['480', '100', '480'])
    await expect(page.locator('.grid-foot .tinted')).toHaveText(['480', '100', '480'])
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export' }).click()
    await page.getByRole('menuitem', { name: 'Excel (XLSX)' }).click()
    const [headings = [], ...lines] = (await readSheet(await readFile(await (await download).path()))).rows
    const cells = lines.map(line => Object.fromEntries(line.map((cell, at) => [headings[at] ?? '', cell])))
    const minutes = { 'Normal (min)': '480', 'Extra hours (min)': '100', 'Night work (min)': '480' }
    expect(cells).toMatchObject([minutes, minutes])
  })

  await test.step('the day names the rule of every minute', async () => {
    await page.locator('.grid-body .grid-row .row-title.figure').first().click()
    const panel = page.getByRole('dialog').filter({ has: page.getByRole('heading', { name: 'Totals' }) })
    const explained = panel.locator('section').filter({ has: page.getByRole('heading', { name: /^Hour kinds/ }) })
    const next = new Intl.DateTimeFormat('en', { weekday: 'short', timeZone: 'UTC' }).format(
      Date.parse(`${addDays(night, 1)}T12:00:00Z`),
    )
    await expect(explained.locator('.why')).toHaveText([
      `21:00–05:00 ${next}: all other paid time`,
      `05:00 ${next}–06:40 ${next}: overtime`,
      `22:00–06:00 ${next}: between 22:00 and 06:00, at least 121\u00a0min`,
    ])
  })
})

test('rules move by keyboard, show their faults, and open as pages on a phone', { tag: '@long' }, async ({ page }) => {
  test.setTimeout(240_000)
  const boss = await newCompany('Olive & Sons', zone)
  await openAs(page, { token: boss }, '/shift/hours?new=plain', { theme: 'dark' })
  const base = rules(page, 'Base kinds')
  await expect(page.getByText('No day to show')).toBeVisible()
  await settled(page)
  expect(await axeFindings(page)).toEqual([])
  await test.step('the order is the priority', async () => {
    await base.getByRole('button', { name: /^Overtime/ }).press('Alt+ArrowDown')
    await expect(base.locator('.rule-name')).toHaveText(['Normal', 'Overtime'])
    await expect(base.getByText('The last rule must apply to all remaining minutes.')).toBeVisible()
    await expect(base.getByText('This rule never applies')).toBeVisible()
    await page.keyboard.press('Control+s')
    await expect(page.getByRole('dialog')).toHaveCount(0)
    await expect(base.locator('.hour-rule.is-open .rule-name')).toHaveText('Overtime')
    await base.getByRole('button', { name: /^Overtime/, expanded: true }).press('Alt+ArrowUp')
    await expect(base.locator('.rule-name')).toHaveText(['Overtime', 'Normal'])
    await rule(page, 'Holiday').locator('.rule-grip').dragTo(rule(page, 'Night').locator('.rule-head'))
    await expect(rules(page, 'Supplements').locator('.rule-name')).toHaveText(['Holiday', 'Night', 'Sunday'])
  })
  await test.step('a rule that cannot hold twice opens as a page', async () => {
    for (const [width, theme] of [
      [1024, 'light'],
      [390, 'light'],
    ] as const) {
      await page.setViewportSize({ width, height: 844 })
      await page.evaluate(theme => document.documentElement.setAttribute('data-theme', theme), theme)
      await page.getByRole('button', { name: /^Sunday/ }).click()
      await settled(page)
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width)
      expect(await axeFindings(page)).toEqual([])
      if (width > 720) await page.getByRole('button', { name: /^Sunday/ }).click()
    }
    await page.getByRole('dialog', { name: 'Sunday' }).getByRole('button', { name: 'Done' }).click()
  })
  await test.step('leaving asks before it discards the new set', async () => {
    await page.getByRole('link', { name: 'All sets' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Discard' }).click()
    await expect(page.getByRole('heading', { name: 'No hour kinds yet' })).toBeVisible()
  })
})
