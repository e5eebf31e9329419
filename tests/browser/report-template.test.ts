import { readFileSync } from 'node:fs'
import type { Page } from '@playwright/test'
import { axeFindings, expect, openAs, test } from './site.ts'

// Templates of payroll files: an administrator starts with a ready-made one, adapts it, and exports with it.

const panel = (page: Page) => page.getByRole('dialog')

const openTemplates = async (page: Page) => {
  await page.getByRole('button', { name: 'Export' }).click()
  await page.getByRole('menuitem', { name: 'Payroll templates' }).click()
}

test('an administrator makes a template from a starter, moves columns by keyboard and exports with it', async ({
  page,
}) => {
  const name = `Wages ${Date.now()}`
  await openAs(page, 'administrator', '/report?view=summary')
  await openTemplates(page)
  await panel(page).getByRole('button', { name: 'New template' }).click()
  await panel(page).getByLabel('Start with').selectOption('DATEV-like')
  await panel(page).getByLabel('Name', { exact: true }).fill(name)
  const heading = panel(page).getByLabel(/Employee ID \(heading\)/)
  await expect(heading).toHaveValue('Personnel number')
  for (let moves = 0; moves < 2; moves++) await heading.press('Alt+ArrowUp')
  await expect(heading).toBeFocused()
  await expect(panel(page).getByText('Employee ID: position 1')).toBeAttached()
  await expect(panel(page).getByRole('button', { name: 'Move Employee ID up' })).toBeDisabled()
  await expect(panel(page).getByRole('button', { name: 'Remove Employee ID' })).toBeDisabled()
  await expect(panel(page).getByRole('columnheader').first()).toHaveText('Personnel number')
  await expect(panel(page).getByRole('table').locator('tbody tr')).toHaveCount(3)
  expect(await axeFindings(page)).toEqual([])
  await panel(page).getByRole('button', { name: 'Save' }).click()
  await expect(page.locator('.toast', { hasText: 'Template saved.' })).toBeVisible()
  await panel(page).getByRole('button', { name: 'Close' }).click()

  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export' }).click()
  await page.getByRole('menuitem', { name }).click()
  const file = await download
  // The period is not closed.
  expect(file.suggestedFilename()).toMatch(new RegExp(`^Draft ${name} `, 'i'))
  const [headings, first] = readFileSync(await file.path(), 'utf8')
    .slice(1)
    .split('\r\n')
  expect(headings).toBe('Personnel number;Consultant;Client;From;To;Wage type;Hours')
  expect(first).toMatch(/^\d+;1001;1;\d\d\.\d\d\.\d{4};\d\d\.\d\d\.\d{4};\d{4};\d+,\d\d$/)

  await openTemplates(page)
  await panel(page).getByRole('button', { name }).click()
  await panel(page).getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('dialog', { name: 'Delete this template?' }).getByRole('button', { name: 'Delete' }).click()
  await expect(panel(page).getByRole('button', { name })).toHaveCount(0)
})

test('a template form names its wrong fields and fits every width', { tag: '@long' }, async ({ page }) => {
  await openAs(page, 'administrator', '/report/close')
  await page.getByRole('button', { name: 'Payroll templates' }).click()
  await panel(page).getByRole('button', { name: 'New template' }).click()
  await panel(page).getByLabel('Add column').selectOption('Fixed text')
  await expect(panel(page).getByText('Complete the template to see its first rows.')).toBeVisible()
  await panel(page).getByRole('button', { name: 'Save' }).click()
  await expect(panel(page).getByLabel('Name', { exact: true })).toHaveAttribute('aria-invalid', 'true')
  await panel(page).getByLabel('Name', { exact: true }).fill('Wide')
  await panel(page).getByRole('button', { name: 'Save' }).click()
  await expect(panel(page).getByLabel(/^Text of column/)).toHaveAttribute('aria-invalid', 'true')
  for (const [width, theme] of [
    [1440, 'light'],
    [1024, 'dark'],
    [390, 'light'],
    [390, 'dark'],
  ] as const) {
    await page.setViewportSize({ width, height: 844 })
    await page.emulateMedia({ colorScheme: theme })
    const { scrollWidth, clientWidth } = await panel(page)
      .locator('.panel-body')
      .evaluate(({ scrollWidth, clientWidth }) => ({ scrollWidth, clientWidth }))
    expect(scrollWidth).toBeLessThanOrEqual(clientWidth)
    if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/template-${width}-${theme}.png` })
    expect(await axeFindings(page)).toEqual([])
  }
})
