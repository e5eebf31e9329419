import { axeFindings, call, expect, newCompany, openAs, test } from './site.ts'

// Rules of 2026 that change figures: half days off, zones of departments, pairs of punches and holidays by the clock.

test('a manager adds an afternoon off and half a day off, and the board marks both', async ({ page }) => {
  const token = await newCompany()
  await openAs(page, { token }, '/system/holiday')
  const panel = page.getByRole('dialog')
  const add = async (name: string, day = '') => {
    await page.getByRole('button', { name: 'Add holiday' }).first().click()
    await panel.getByLabel('Name').fill(name)
    await panel.getByRole('combobox', { name: 'From', exact: true }).fill(day)
    await page.keyboard.press('Tab')
  }
  // Days that nobody has worked yet need no preview.
  const [eve, last, after] = [4, 5, 6].map(ahead =>
    new Date(Date.now() + ahead * 86_400_000).toISOString().slice(0, 10),
  )
  await add('Christmas Eve', eve)
  await panel.getByText('Certain hours').click()
  await panel.getByRole('button', { name: 'Save' }).click()
  await expect(panel.getByText('Enter a time, and an end after the start')).toBeVisible()
  await panel.getByLabel('Free from').fill('14:00')
  await page.keyboard.press('Tab')
  await expect(panel.getByText('Enter a time, and an end after the start')).toHaveCount(0)
  expect(await axeFindings(page)).toEqual([])
  await panel.getByRole('button', { name: 'Save' }).click()
  await expect(panel).toHaveCount(0)
  await add('New Year’s Eve', last)
  await panel.getByText('Half a day').click()
  await panel.getByRole('button', { name: 'Save' }).click()
  await expect(panel).toHaveCount(0)
  await page.getByLabel('Year').selectOption({ index: 0 })
  await expect(page.getByRole('row', { name: /Christmas Eve/ })).toContainText(/from 14:00|from 2:00/)
  await expect(page.getByRole('row', { name: /New Year’s Eve/ })).toContainText('half day')
  const { list } = await call('holiday/grid', { sort: { by: 'from' } }, token)
  expect(list).toMatchObject([
    { from: eve, part: { from: '14:00' } },
    { from: last, part: 'half' },
  ])
  await page.getByRole('button', { name: 'Christmas Eve' }).click()
  await expect(panel.getByLabel('Free from')).toHaveValue(/14:00|2:00/)
  await panel.getByLabel('Free until').fill('18:00')
  await page.keyboard.press('Tab')
  await panel.getByLabel('Free until').fill('')
  await page.keyboard.press('Tab')
  await expect(panel.locator('p.error')).toHaveCount(0)
  // Several days are free as a whole.
  await panel.getByRole('combobox', { name: 'To', exact: true }).fill(after ?? '')
  await page.keyboard.press('Tab')
  await expect(panel.getByLabel('Free from')).toHaveCount(0)
  const times = { onDuty: '09:00', offDuty: '17:00', punchStart: '07:00', punchEnd: '20:00' }
  await call('shift/add', { name: 'Day', ...times }, token)
  await page.goto('/schedule')
  await page.getByRole('combobox', { name: 'Days shown' }).selectOption('Two weeks')
  await expect(page.locator('.board-cell.half-holiday')).toHaveCount(2)
  await expect(page.locator('.board-cell.half-holiday[aria-label*="Christmas Eve (from"]')).toHaveCount(1)
})

test('a manager chooses holidays by the clock after a preview, and a new company counts pairs', async ({ page }) => {
  const token = await newCompany()
  await openAs(page, { token }, '/shift/params')
  const pairs = page.getByRole('switch', { name: 'Count each pair of punches without a shift' })
  await expect(pairs).toBeChecked()
  const byClock = page.getByRole('switch', { name: 'Holidays count by the clock' })
  await expect(byClock).not.toBeChecked()
  await byClock.click()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('dialog', { name: 'Save the rules?' }).getByRole('button', { name: 'Save' }).click()
  await expect(page.getByRole('dialog')).toHaveCount(0)
  expect(await call('attparams/index', {}, token)).toMatchObject({ holidayBy: 'clock', pairsWithoutShift: true })
  await expect(page.getByRole('term').filter({ hasText: 'Holidays count by the clock' })).toBeVisible()
})

test('a manager gives a department a time zone after a preview', async ({ page }) => {
  const token = await newCompany()
  await call('department/add', { name: 'New York site' }, token)
  await openAs(page, { token }, '/department')
  await page.getByRole('button', { name: 'New York site', exact: true }).click()
  const panel = page.getByRole('dialog').first()
  await panel.getByRole('combobox', { name: 'Time zone' }).fill('New York')
  await page
    .getByRole('option', { name: /New York/ })
    .first()
    .click()
  await expect(panel.getByRole('combobox', { name: 'New zone from' })).toBeVisible()
  await panel.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('dialog', { name: 'Save New York site?' }).getByRole('button', { name: 'Save' }).click()
  await expect(page.getByRole('dialog')).toHaveCount(0)
  const { list } = await call('department/grid', { filters: { search: 'New York site' } }, token)
  expect(list).toMatchObject([{ timezone: 'America/New_York' }])
})
