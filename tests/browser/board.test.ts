import type { Page } from '@playwright/test'
import { expect, openAs, test } from './site.ts'

test.use({ timezoneId: 'Etc/UTC', viewport: { width: 1440, height: 900 } })

/** Two months from now: all of its days may be planned, and the demo company has planned none. */
const emptyMonth = () => {
  const now = new Date()
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 2, 1)).toISOString().slice(0, 7)
}

const cell = (page: Page, row: number, column: number) => page.locator(`[data-row="${row}"][data-column="${column}"]`)

const drag = async (page: Page, from: [row: number, column: number], to: [row: number, column: number]) => {
  const [start, end] = [await cell(page, ...from).boundingBox(), await cell(page, ...to).boundingBox()]
  if (!start || !end) throw new Error('The cells are not in sight')
  await page.mouse.move(start.x + 8, start.y + 8)
  await page.mouse.down()
  await page.mouse.move(end.x + 8, end.y + 8, { steps: 5 })
  await page.mouse.up()
}

const saved = (page: Page) => page.getByRole('button', { name: 'Save', exact: true })

test('days are painted by dragging, taken back, saved, and are there afterwards', async ({ page }) => {
  await openAs(page, 'administrator', `/schedule?month=${emptyMonth()}`)
  await page.getByText('Late', { exact: true }).click()
  await drag(page, [4, 3], [6, 5])
  await expect(page.getByRole('button', { name: 'Save 9 days' })).toBeVisible()
  await expect(cell(page, 5, 4)).toHaveAccessibleName(/: Late 14:00–22:00 \(not saved\)$/)
  await drag(page, [4, 8], [4, 9])
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByRole('button', { name: 'Save 9 days' }).click()
  await expect(saved(page)).toBeDisabled()
  await page.reload()
  await expect(cell(page, 5, 4)).toHaveAccessibleName(/: Late 14:00–22:00$/)
})

test('the board is worked by keyboard alone', async ({ page }) => {
  await openAs(page, 'administrator', `/schedule?month=${emptyMonth()}`)
  await cell(page, 0, 0).focus()
  await page.keyboard.press('2')
  await expect(page.getByRole('radio', { name: /^Day/ })).toBeChecked()
  await page.keyboard.press('Shift+ArrowRight')
  await page.keyboard.press('Shift+ArrowDown')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('button', { name: 'Save 4 days' })).toBeVisible()
  await expect(cell(page, 1, 1)).toBeFocused()
  await page.keyboard.press('Delete')
  await expect(page.getByRole('button', { name: 'Save 3 days' })).toBeVisible()
  await page.keyboard.press('Control+z')
  await page.keyboard.press('Control+z')
  await expect(saved(page)).toBeDisabled()
  await page.keyboard.press('Control+End')
  await expect(page.locator('[data-column]:focus')).toHaveAccessibleName(
    /^Yannis Zervas, .* 3[01]: free$|^Yannis Zervas, .* 28: free$/,
  )
})

test('shifts that overlap are refused, and it is said who, when and with what', async ({ page }) => {
  await openAs(page, 'administrator', `/schedule?month=${emptyMonth()}`)
  await page.getByText('Day', { exact: true }).click()
  await cell(page, 9, 15).click()
  await page.getByText('Add as a second shift').click()
  await page.getByText('Early', { exact: true }).click()
  await cell(page, 9, 15).click()
  await page.getByRole('button', { name: 'Save 1 day' }).click()
  await expect(page.getByRole('alert')).toContainText('The schedule conflicts with another one')
  await expect(page.getByRole('alert')).toContainText(/Jonas Keller: .* overlaps /)
  await expect(cell(page, 9, 15)).toHaveClass(/conflict/)
})

test('replacing what is scheduled asks first, and clearing empties the month', async ({ page }) => {
  const { month, search } = { month: emptyMonth(), search: 'Katerina' }
  await openAs(page, 'administrator', `/schedule?month=${month}`)
  await page.getByPlaceholder('Name or employee ID').fill(search)
  await expect(page.getByRole('row')).toHaveCount(2)
  await page.getByText('Day', { exact: true }).click()
  await cell(page, 0, 20).click()
  await page.getByRole('button', { name: 'Save 1 day' }).click()
  await expect(cell(page, 0, 20)).toHaveAccessibleName(/Day 09:00–18:00$/)
  await page.getByText('Night', { exact: true }).click()
  await cell(page, 0, 20).click()
  await page.getByRole('button', { name: 'Save 1 day' }).click()
  await page.getByRole('dialog', { name: 'Replace scheduled shifts?' }).getByRole('button', { name: 'Save' }).click()
  await expect(cell(page, 0, 20)).toHaveAccessibleName(/Night 22:00–06:00 \+1$/)
  await page.getByRole('button', { name: 'Clear' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Clear' }).click()
  await expect(cell(page, 0, 20)).toHaveAccessibleName(/: free$/)
})

test('days before today cannot be painted', async ({ page }) => {
  await openAs(page, 'administrator', '/schedule?month=2026-01')
  await cell(page, 3, 3).click()
  await expect(saved(page)).toBeDisabled()
  await expect(cell(page, 3, 3)).toHaveAttribute('aria-readonly', 'true')
})

test.describe('in another time zone', () => {
  test.use({ timezoneId: 'Asia/Tokyo' })
  test('scheduling is refused with the sentence about the zone', async ({ page }) => {
    await openAs(page, 'administrator', `/schedule?month=${emptyMonth()}`)
    await page.getByText('Day', { exact: true }).click()
    await cell(page, 14, 20).click()
    await page.getByRole('button', { name: 'Save 1 day' }).click()
    await expect(page.getByRole('alert')).toContainText("The cloud system's time zone does not match the local one")
  })
})
