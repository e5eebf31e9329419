import { readFileSync } from 'node:fs'
import { axeFindings, expect, openAs, settled, test } from './site.ts'

// The report as a manager reads it: from a total to people, their days and the reasons of one; in the columns they chose; and as a file.

const rows = '.grid-body .grid-row'

test('leads from a department to its people, to the days of one of them, and to the reasons of one day', async ({
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

test('shows the columns somebody chose, also after a reload, and the total of what it shows', async ({ page }) => {
  await openAs(page, 'administrator', '/report?view=summary')
  const head = page.getByRole('columnheader', { name: 'Leave days by type' })
  await expect(page.getByRole('columnheader', { name: 'Times late' })).toBeVisible()
  await expect(head).toHaveCount(0)
  await page.getByRole('button', { name: 'Columns' }).click()
  await page.getByLabel('Leave days by type').check()
  await page.getByLabel('Times late').uncheck()
  await page.getByRole('button', { name: 'Close' }).click()
  await expect(head).toHaveCount(1)
  await page.reload()
  await expect(head).toHaveCount(1)
  await expect(page.getByRole('columnheader', { name: 'Times late' })).toHaveCount(0)
  await expect(page.locator('.grid-foot')).toContainText('Total')
  await page.getByRole('button', { name: 'Columns' }).click()
  await page.getByRole('button', { name: 'Reset to default' }).click()
  await page.getByRole('button', { name: 'Close' }).click()
  await expect(page.getByRole('columnheader', { name: 'Times late' })).toBeVisible()
})

test('has room for every total, however long', { tag: '@long' }, async ({ page }) => {
  const month = new Date(Date.now() - 28 * 86_400_000).toISOString().slice(0, 10)
  for (const view of ['daily', 'summary', 'department']) {
    await openAs(page, 'administrator', `/report?view=${view}&from=${month}`)
    // Hours of four digits.
    await expect(page.locator('.grid-foot')).toContainText(/\d,\d{3}\.\d\d/)
    const cut = await page
      .locator('.grid-foot .grid-row > div')
      .evaluateAll(cells => cells.filter(cell => cell.scrollWidth > cell.clientWidth).map(cell => cell.textContent))
    expect(cut).toEqual([])
  }
})

test('never asks for more than a year: the other end follows the one that was chosen', { tag: '@long' }, async ({
  page,
}) => {
  await openAs(page, 'administrator', '/report')
  await page.getByRole('combobox', { name: 'From' }).fill('2020-01-01')
  await page.getByRole('combobox', { name: 'From' }).press('Enter')
  await expect(page.getByRole('combobox', { name: 'To' })).toHaveValue('2020-12-31')
  await expect(page.getByText('No days to report')).toBeVisible()
})

test('is exported as it is shown', async ({ page }) => {
  await openAs(page, 'administrator', '/report?view=department')
  await expect(page.locator(rows).first()).toBeVisible()
  const loaded = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export' }).click()
  await page.getByRole('menuitem', { name: /CSV/ }).click()
  const file = await loaded
  expect(file.suggestedFilename()).toMatch(/^Report .*\.csv$/)
  const lines = readFileSync(await file.path(), 'utf8')
    .trim()
    .split('\r\n')
  const shown = await page.locator(`${rows} .row-title`).allTextContents()
  expect(lines.slice(1, -1).map(line => line.split(',')[0])).toEqual(shown)
  expect(lines.at(-1)).toMatch(/^Total,/)
})
