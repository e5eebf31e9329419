import { axeFindings, expect, newCompany, openAs, test } from './site.ts'

test('the form keeps an end before the beginning, shows an error at the end and does not save', async ({ page }) => {
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
  const endError = panel.locator('p.error', { hasText: "This day can't be selected here" })
  await expect(endError).toBeVisible()
  await panel.getByRole('button', { name: 'Save' }).click()
  await expect(day('To')).toBeFocused()
  await expect(day('To')).toHaveValue('2095-11-01')
  await expect(endError).toBeVisible()
  // The end is valid with an earlier beginning.
  await day('From').fill('2095-10-31')
  await page.keyboard.press('Tab')
  await expect(endError).toHaveCount(0)
  await panel.getByRole('button', { name: 'Save' }).click()
  await expect(panel).toHaveCount(0)
})

test('the form shows an error at the end date of a holiday that is too long, past or future', {
  tag: '@long',
}, async ({ page }) => {
  await openAs(page, { token: await newCompany() }, '/system/holiday')
  await page.getByRole('button', { name: 'Add holiday' }).first().click()
  const panel = page.getByRole('dialog')
  const day = (name: string) => panel.getByRole('combobox', { name })
  const fillDays = async (from: string, to: string) => {
    await day('From').fill(from)
    await page.keyboard.press('Tab')
    await day('To').fill(to)
    await page.keyboard.press('Tab')
  }
  const endError = panel.locator('p.error', {
    hasText: "A holiday can last up to 62 days and can't end before it starts",
  })
  await panel.getByLabel('Name').fill('Works holidays')
  for (const year of ['2025', '2095']) {
    await fillDays(`${year}-07-01`, `${year}-09-01`)
    await expect(endError).toHaveCount(0)
    await panel.getByRole('button', { name: 'Save' }).click()
    await expect(endError).toBeVisible()
    await expect(day('To')).toBeFocused()
  }
  expect(await axeFindings(page)).toEqual([])
  await fillDays('2095-07-01', '2095-08-31')
  await panel.getByRole('button', { name: 'Save' }).click()
  await expect(panel).toHaveCount(0)
})
