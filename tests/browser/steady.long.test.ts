import type { Page } from '@playwright/test'
import { expect, openAs, settled, test } from './site.ts'

const places = (page: Page) =>
  page.locator(':is(header button, main h1, main button):not([role="dialog"] *)').evaluateAll(elements =>
    elements.map(element => {
      const { x, y, width } = element.getBoundingClientRect()
      return `${element.textContent} ${Math.round(x)} ${Math.round(y)} ${Math.round(width)}`
    }),
  )

test('opening a menu, the notices or a panel moves nothing on the page', async ({ page }) => {
  await openAs(page, 'administrator', '/employee')
  await expect(page.getByRole('row').nth(1)).toBeVisible()
  await settled(page)
  const before = await places(page)
  for (const open of [
    page.getByRole('button', { name: 'Export' }),
    page.locator('header .person'),
    page.locator('header .bell').last(),
    page.getByRole('button', { name: 'Add employee' }),
  ]) {
    await open.click()
    await expect(page.getByRole('menu').or(page.getByRole('dialog'))).not.toHaveCount(0)
    await settled(page)
    expect((await places(page)).filter(place => !before.includes(place))).toEqual([])
    await page.keyboard.press('Escape')
    await expect(page.getByRole('menu').or(page.getByRole('dialog'))).toHaveCount(0)
  }
})
