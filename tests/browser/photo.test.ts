import { jpeg, jpegOfBytes } from '../kit/picture.ts'
import { axeFindings, expect, openAs, settled, test } from './site.ts'

test('a user chooses, previews, saves and removes a photo, and the list shows it', { tag: '@long' }, async ({
  page,
}) => {
  await openAs(page, 'administrator', '/employee')
  const row = page.getByRole('row').filter({ hasText: 'Olivia Park' })
  const panel = page.getByRole('tabpanel', { name: 'Details' })
  const open = async () => {
    await page.goto('/employee')
    await page.getByPlaceholder('Name, employee ID, e-mail or position').fill('Olivia Park')
    // The heading and the employee. An earlier click could meet the row while the search moves it away.
    await expect(page.getByRole('row')).toHaveCount(2)
    await row.getByRole('link', { name: 'Olivia Park' }).click()
    await page.getByRole('tab', { name: 'Details' }).click()
  }
  const choose = (name: string, mimeType: string, buffer: Buffer) =>
    panel.getByLabel('Photo').setInputFiles({ name, mimeType, buffer })
  const picture = panel.locator('img.avatar')
  const isDrawn = () => picture.evaluate((image: HTMLImageElement) => image.complete && image.naturalWidth > 0)
  /** Saves, and returns to the list. */
  const save = async () => {
    await panel.getByRole('button', { name: 'Save' }).click()
    await expect(page.getByText('Saved').last()).toBeVisible()
    await page.goto('/employee')
    await page.getByPlaceholder('Name, employee ID, e-mail or position').fill('Olivia Park')
  }

  await open()
  await choose('large.jpg', 'image/jpeg', jpegOfBytes(2_097_153))
  await expect(panel.getByText('The photo is larger than 2 MB. Choose a smaller file.')).toBeVisible()
  await choose('text.png', 'image/png', Buffer.from('This is no picture.'))
  await expect(panel.getByText("This file can't be read as a picture.")).toBeVisible()
  await expect(picture).toHaveCount(0)

  await choose('me.jpg', 'image/jpeg', jpeg)
  await expect.poll(isDrawn).toBe(true)
  await expect(panel.getByText("This file can't be read as a picture.")).toHaveCount(0)
  await settled(page)
  expect(await axeFindings(page)).toEqual([])
  await save()

  const listPhoto = row.locator('img.avatar')
  await expect.poll(() => listPhoto.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(24)
  await open()
  await expect.poll(isDrawn).toBe(true)
  await panel.getByRole('button', { name: 'Remove' }).click()
  await expect(picture).toHaveCount(0)
  await save()
  await expect(row.locator('img.avatar')).toHaveCount(0)
  await expect(row.locator('.avatar')).toHaveText('OP')
})

test('a user adds an employee with a photo', { tag: '@long' }, async ({ page }) => {
  await openAs(page, 'administrator', '/employee')
  await page.getByRole('button', { name: 'Add employee' }).click()
  const panel = page.getByRole('dialog')
  await panel.getByLabel('Photo').setInputFiles({ name: 'me.jpg', mimeType: 'image/jpeg', buffer: jpeg })
  await panel.getByLabel('First name').fill('Phoebe')
  await panel.getByLabel('Last name').fill('Photo')
  await panel.getByLabel('Employee ID').fill(String(Date.now() % 1_000_000_000))
  await panel.getByRole('button', { name: 'Save' }).click()
  await expect(panel).toHaveCount(0)
  await page.getByPlaceholder('Name, employee ID, e-mail or position').fill('Phoebe')
  const listPhoto = page.getByRole('row').filter({ hasText: 'Phoebe Photo' }).locator('img.avatar')
  await expect.poll(() => listPhoto.first().evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(24)
})
