import { axeFindings, expect, newCompany, openAs, test } from './site.ts'

// Days nobody has to work, as they are written down.

test('an end before the beginning stays where it was typed, is called wrong there and is not sent', async ({
  page,
}) => {
  await openAs(page, { token: await newCompany() }, '/system/holiday')
  await page.getByRole('button', { name: 'Add holiday' }).first().click()
  const panel = page.getByRole('dialog')
  const day = (name: string) => panel.getByRole('combobox', { name })
  await panel.getByLabel('Name').fill('Works holidays')
  await day('From').fill('2095-11-02')
  await page.keyboard.press('Tab')
  await expect(day('To')).toBeFocused()
  await day('To').fill('2095-11-01')
  await page.keyboard.press('Tab')
  const wrong = panel.locator('p.error', { hasText: "This day can't be selected here" })
  await expect(wrong).toBeVisible()
  await panel.getByRole('button', { name: 'Save' }).click()
  await expect(day('To')).toBeFocused()
  await expect(day('To')).toHaveValue('2095-11-01')
  await expect(wrong).toBeVisible()
  // With an earlier beginning it is a day like any other.
  await day('From').fill('2095-10-31')
  await page.keyboard.press('Tab')
  await expect(wrong).toHaveCount(0)
  await panel.getByRole('button', { name: 'Save' }).click()
  await expect(panel).toHaveCount(0)
})

test('a holiday that lasts too long says so at its end, whether its days are over or to come', {
  tag: '@long',
}, async ({ page }) => {
  await openAs(page, { token: await newCompany() }, '/system/holiday')
  await page.getByRole('button', { name: 'Add holiday' }).first().click()
  const panel = page.getByRole('dialog')
  const day = (name: string) => panel.getByRole('combobox', { name })
  const write = async (from: string, to: string) => {
    await day('From').fill(from)
    await page.keyboard.press('Tab')
    await day('To').fill(to)
    await page.keyboard.press('Tab')
  }
  const wrong = panel.locator('p.error', { hasText: "A holiday can last up to 62 days and can't end before it starts" })
  await panel.getByLabel('Name').fill('Works holidays')
  for (const year of ['2025', '2095']) {
    await write(`${year}-07-01`, `${year}-09-01`)
    await expect(wrong).toHaveCount(0)
    await panel.getByRole('button', { name: 'Save' }).click()
    await expect(wrong).toBeVisible()
    await expect(day('To')).toBeFocused()
  }
  expect(await axeFindings(page)).toEqual([])
  await write('2095-07-01', '2095-08-31')
  await panel.getByRole('button', { name: 'Save' }).click()
  await expect(panel).toHaveCount(0)
})
