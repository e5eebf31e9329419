import { readFileSync } from 'node:fs'
import { axeFindings, expect, openAs, settled, test } from './site.ts'

// The report: from a total to employees, days and the calculation of a day; chosen columns; and the export.

const rows = '.grid-body .grid-row'

test('the report leads from a department to its employees, their days and the calculation of a day', async ({
  page,
}) => {
  await openAs(page, 'administrator', '/report?view=department')
  await page.getByRole('button', { name: 'Logistics' }).click()
  await expect(page.getByRole('tab', { name: 'By employee' })).toHaveAttribute('aria-selected', 'true')
  const people = page.getByRole('table', { name: 'By employee' })
  await expect(people.getByRole('button', { name: 'Ben Castillo' })).toBeVisible()
  await expect(people.getByRole('button', { name: 'Ada Brandt' })).toHaveCount(0)
  await people.getByRole('button', { name: 'Ben Castillo' }).click()
  await expect(page.getByRole('tab', { name: 'Daily' })).toHaveAttribute('aria-selected', 'true')
  await settled(page)
  const names = await page.locator(`${rows} .row-title:not(.figure)`).allTextContents()
  expect(new Set(names)).toEqual(new Set(['Ben Castillo']))
  expect(await axeFindings(page)).toEqual([])
  await page.locator(`${rows} .row-title.figure`).last().click()
  await expect(page.getByRole('heading', { name: /Ben Castillo/ })).toBeVisible()
})

test('the report keeps the chosen columns after a reload and shows totals', { tag: '@long' }, async ({ page }) => {
  await openAs(page, 'administrator', '/report?view=summary')
  const leaveColumn = page.getByRole('columnheader', { name: 'Leave days by type' })
  await expect(page.getByRole('columnheader', { name: 'Times late' })).toBeVisible()
  await expect(leaveColumn).toHaveCount(0)
  await page.getByRole('button', { name: 'Columns' }).click()
  await page.getByLabel('Leave days by type').check()
  await page.getByLabel('Times late').uncheck()
  await page.getByRole('button', { name: 'Close' }).click()
  await expect(leaveColumn).toHaveCount(1)
  await page.reload()
  await expect(leaveColumn).toHaveCount(1)
  await expect(page.getByRole('columnheader', { name: 'Times late' })).toHaveCount(0)
  await expect(page.locator('.grid-foot')).toContainText('Total')
  await page.getByRole('button', { name: 'Columns' }).click()
  await page.getByRole('button', { name: 'Reset to default' }).click()
  await page.getByRole('button', { name: 'Close' }).click()
  await expect(page.getByRole('columnheader', { name: 'Times late' })).toBeVisible()
})

test('the columns of the report are wide enough for long totals', { tag: '@long' }, async ({ page }) => {
  const month = new Date(Date.now() - 28 * 86_400_000).toISOString().slice(0, 10)
  for (const view of ['daily', 'summary', 'department']) {
    await openAs(page, 'administrator', `/report?view=${view}&from=${month}`)
    // The total has four digits.
    await expect(page.locator('.grid-foot')).toContainText(/\d,\d{3}\.\d\d/)
    const truncated = await page
      .locator('.grid-foot .grid-row > div')
      .evaluateAll(cells => cells.filter(cell => cell.scrollWidth > cell.clientWidth).map(cell => cell.textContent))
    expect(truncated).toEqual([])
  }
})

test('at 1440 px all usual columns fit; a row opens its day, and Right goes to the next day', {
  tag: '@long',
}, async ({ page }) => {
  await page.setViewportSize({ width: 1440, height: 900 })
  const month = new Date(Date.now() - 28 * 86_400_000).toISOString().slice(0, 10)
  await openAs(page, 'administrator', `/report?from=${month}`)
  const table = page.getByRole('table', { name: 'Daily' })
  await expect(page.locator(rows).nth(4)).toBeVisible()
  await expect(page.getByRole('columnheader', { name: 'Exceptions' })).toBeInViewport({ ratio: 1 })
  expect(await table.evaluate(grid => grid.scrollWidth - grid.clientWidth)).toBe(0)
  const numbers = page.locator(`${rows} .named > .figure`)
  expect(await numbers.evaluateAll(list => list.every(number => number.scrollWidth <= number.clientWidth))).toBe(true)
  await page
    .locator(rows)
    .nth(1)
    .getByText(/\d\.\d\d/)
    .first()
    .click()
  const panel = page.getByRole('dialog')
  const heading = panel.getByRole('heading', { level: 2 })
  await expect(heading).toContainText('·')
  const first = await heading.innerText()
  await page.keyboard.press('ArrowRight')
  await expect(heading).not.toHaveText(first)
  await page.keyboard.press('Escape')
  await expect(panel).toHaveCount(0)
  await expect(page.locator('[data-opens-day]:focus')).toHaveCount(1)
})

test('the report covers at most a year, so a new start moves the end', { tag: '@long' }, async ({ page }) => {
  await openAs(page, 'administrator', '/report')
  await page.getByRole('combobox', { name: 'From' }).fill('2020-01-01')
  await page.getByRole('combobox', { name: 'From' }).press('Enter')
  await expect(page.getByRole('combobox', { name: 'To' })).toHaveValue('2020-12-31')
  await expect(page.getByText('No days to report')).toBeVisible()
})

test('the export contains the rows that the page shows, and a total', async ({ page }) => {
  await openAs(page, 'administrator', '/report?view=department')
  await expect(page.locator(rows).first()).toBeVisible()
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export' }).click()
  await page.getByRole('menuitem', { name: /CSV/ }).click()
  const file = await download
  expect(file.suggestedFilename()).toMatch(/^Report by department .*\.csv$/)
  const lines = readFileSync(await file.path(), 'utf8')
    .trim()
    .split('\r\n')
  const visibleTitles = await page.locator(`${rows} .row-title`).allTextContents()
  expect(lines.slice(1, -1).map(line => line.split(',')[0])).toEqual(visibleTitles)
  expect(lines.at(-1)).toMatch(/^Total,/)
})
