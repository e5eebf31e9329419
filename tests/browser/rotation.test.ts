import type { Page } from '@playwright/test'
import { addEarlyAndLate, onDay } from './board.ts'
import { axeFindings, expect, newCompany, openAs, settled, test } from './site.ts'

// Rotation templates: a planner saves the weeks of a rotation, applies them from a day, renames and deletes them.

test.use({ timezoneId: 'Etc/UTC', viewport: { width: 1440, height: 900 } })

const month = `${new Date().getUTCFullYear() + 1}-06`
const dialog = (page: Page, name: string) => page.getByRole('dialog', { name })

test('a planner saves a rotation as a template, and applies it from a day of the month shown', {
  tag: '@long',
}, async ({ page }) => {
  test.setTimeout(120_000)
  const boss = await newCompany('Olive & Sons', 'Etc/UTC')
  await addEarlyAndLate(boss)
  await openAs(page, { token: boss }, `/schedule?month=${month}`)
  await expect(onDay(page, 0, 1)).toBeVisible()
  const openRotation = async () => {
    await page.getByRole('button', { name: 'Repeat…' }).click()
    await page.getByText('Rotation', { exact: true }).click()
  }
  const template = page.getByRole('combobox', { name: 'Template' })

  await test.step('the range is the month shown, and the panel counts the days that change', async () => {
    await openRotation()
    await expect(page.getByRole('combobox', { name: 'From' })).toHaveValue(`${month}-01`)
    await expect(page.getByRole('combobox', { name: 'Until' })).toHaveValue(`${month}-30`)
    for (const day of ['Sat', 'Sun'])
      await page.getByRole('combobox', { name: `Week 2, ${day}` }).selectOption('No change')
    await settled(page)
    expect(await axeFindings(page)).toEqual([])
  })

  await test.step('the planner saves the weeks under a name, which must be new', async () => {
    await page.getByRole('button', { name: 'Save as template…' }).click()
    await dialog(page, 'Save rotation as template').getByLabel('Name').fill('Two weeks')
    await page.keyboard.press('Enter')
    await expect(page.locator('.toasts')).toContainText('Template saved')
    await expect(template).toHaveValue(/./)
    await page.getByRole('button', { name: 'Save as template…' }).click()
    const question = dialog(page, 'Save rotation as template')
    await question.getByLabel('Name').fill('two WEEKS')
    await page.keyboard.press('Enter')
    await expect(question).toContainText('A template with this name already exists.')
    await question.getByRole('button', { name: 'Cancel' }).click()
  })

  await test.step('a later visit applies the template from a day', async () => {
    await page.reload()
    await expect(onDay(page, 0, 1)).toBeVisible()
    await openRotation()
    await template.selectOption('Two weeks')
    await expect(page.getByRole('combobox', { name: 'Week 2, Sun' })).toHaveValue('leave')
    await page.getByRole('combobox', { name: 'From' }).fill(`${month}-15`)
    await page.keyboard.press('Tab')
    const sum = await page.locator('.repeat-sum').textContent()
    await page.getByRole('button', { name: 'Assign', exact: true }).click()
    const count = /^\d+/.exec(sum ?? '')?.[0]
    await expect(page.locator('.toasts')).toContainText(`${count} days changed on the board`)
    await expect(page.getByRole('button', { name: `Save ${count} days` })).toBeVisible()
    await expect(onDay(page, 0, 14)).toHaveAccessibleName(/day off$/)
  })

  await test.step('the planner renames and deletes the template', async () => {
    await openRotation()
    await template.selectOption('Two weeks')
    await page.getByRole('button', { name: 'Rename…' }).click()
    await dialog(page, 'Rename template').getByLabel('Name').fill('Front desk')
    await page.keyboard.press('Enter')
    await expect(template.getByRole('option', { name: 'Front desk' })).toBeAttached()
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await dialog(page, 'Delete template “Front desk”?').getByRole('button', { name: 'Delete' }).click()
    await expect(template.getByRole('option')).toHaveCount(1)
  })
})
