import { address, axeFindings, call, expect, newCompany, test } from './site.ts'

// The API documentation is public, and readers can try a call with an API key.

test('a reader tries a call with an API key and reads the samples of webhooks', async ({ page }) => {
  const { key } = await call('apikey/add', { name: 'Reader', permissions: [1] }, await newCompany())
  await page.goto(`${address()}/api/docs#department-grid`)
  expect(await axeFindings(page)).toEqual([])
  const article = page.locator('#department-grid')
  await article.getByText('Try it').click()
  const answer = article.locator('output')
  const send = () => article.getByRole('button', { name: 'Send' }).click()
  await send()
  await expect(answer).toContainText('"code": 101')
  await page.getByLabel('API key or token').fill(` ${key} `)
  await send()
  await expect(answer).toContainText('"code": 0')
  await expect(answer).toContainText('"count": 1')
  await article.getByLabel('Body').fill('{"size": 0}')
  await send()
  await expect(answer).toContainText('"size": 10002')
  await page.locator('#department-add').getByText('Try it').click()
  await page.locator('#department-add').getByRole('button', { name: 'Send' }).click()
  await expect(page.locator('#department-add output')).toContainText('"code": 60005')
  expect(await axeFindings(page)).toEqual([])

  const event = page.locator('#webhook_attendance_day_changed')
  await event.getByText('Sample').click()
  await expect(event).toContainText('"lateMinutes": 7')
  await event.getByText('Schema').click()
  await expect(event).toContainText('missingOut')
  await expect(page.getByText('webhook-signature').first()).toBeVisible()
})
