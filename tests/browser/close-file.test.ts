import type { Page } from '@playwright/test'
import { expect, openAs, test } from './site.ts'

// The last step of closing a period: the file must be known, and no key closes the period from within a panel.

/** Answers the checklist as if nothing were open, and counts the attempts to close without closing anything. */
const standInFor = async (page: Page) => {
  const attempts: unknown[] = []
  await page.route('**/api/report/close/check', async route => {
    const { data, ...body } = await (await route.fetch()).json()
    const { unfinishedFrom: _, lockedTo: __, ...rest } = data
    await route.fulfill({ json: { ...body, data: { ...rest, exceptions: { ...rest.exceptions, count: 0 } } } })
  })
  await page.route('**/api/report/close/add', route => {
    attempts.push(route.request().postDataJSON())
    return route.fulfill({ json: { code: 60065, message: 'Busy' } })
  })
  return attempts
}
const closing = (page: Page) => page.getByRole('button', { name: 'Lock and export' })

test('Ctrl+Enter closes no period while the panel of the templates is open', { tag: '@long' }, async ({ page }) => {
  const attempts = await standInFor(page)
  await openAs(page, 'administrator', '/report/close')
  await expect(closing(page)).toBeEnabled()
  await page.getByRole('button', { name: 'Payroll templates' }).click()
  await expect(page.getByRole('dialog').getByRole('button', { name: 'New template' })).toBeVisible()
  await page.keyboard.press('Control+Enter')
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
  await expect(page.getByRole('dialog')).toHaveCount(0)
  expect(attempts).toEqual([])
  await page.keyboard.press('Control+Enter')
  await expect.poll(() => attempts.length).toBe(1)
})

test('nobody closes a period before its file is known', async ({ page }) => {
  await standInFor(page)
  await page.route('**/api/report/template/grid', route => route.fulfill({ json: { code: 60070, message: 'No' } }))
  await openAs(page, 'administrator', '/report/close')
  const again = page.locator('.close-steps').getByRole('button', { name: 'Try again' })
  await expect(again).toBeVisible()
  await expect(closing(page)).toBeDisabled()
  await page.unroute('**/api/report/template/grid')
  await again.click()
  await expect(closing(page)).toBeEnabled()
})
