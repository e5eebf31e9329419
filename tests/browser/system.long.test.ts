import type { Page } from '@playwright/test'
import { png } from '../kit/picture.ts'
import { axeFindings, call, expect, newCompany, openAs, settled, test } from './site.ts'

// The settings of a company: saves, errors at their fields, and the question before a loss of unsaved changes.

/** The owner's token. Each test has its own company, because a company has one set of settings. */
let token = ''
test.beforeEach(async () => {
  token = await newCompany()
})

const open = (page: Page, path: string) => openAs(page, { token }, path)
const company = () => call('company/get', {}, token)
const bar = (page: Page) => page.locator('.settings-bar')
const save = (page: Page) => bar(page).getByRole('button', { name: 'Save' }).click()

test('an administrator sees the system pages, and Company is the first', async ({ page }) => {
  await open(page, '/system')
  await expect(page).toHaveURL(/\/system\/company$/)
  await expect(page.getByRole('navigation', { name: 'Main menu' }).getByRole('link')).toHaveText([
    'Dashboard',
    'Organization',
    'Shifts',
    'Records',
    'System',
  ])
  await expect(page.getByRole('navigation', { name: 'System' }).getByRole('link')).toHaveText([
    'Company',
    'Basics',
    'Roles',
    'Holidays',
    'Application',
    'Requests',
    'Audit log',
  ])
})

for (const who of ['manager', 'employee'] as const) {
  test(`the ${who} cannot open system pages, and the menu has none`, async ({ page }) => {
    await openAs(page, who, '/system/role')
    await expect(page).toHaveURL(/\/404$/)
    await page.getByRole('link', { name: 'Go to home' }).click()
    await expect(page.getByRole('navigation', { name: 'Main menu' }).getByRole('link').first()).toHaveText('Dashboard')
    await expect(page.getByRole('link', { name: 'System' })).toHaveCount(0)
  })
}

test('a user saves the company details, with locations from lists or free text', async ({ page }) => {
  const pick = (name: string) => page.getByRole('combobox', { name })
  await open(page, '/system/company')
  await page.getByLabel('Company name').fill('')
  await expect(bar(page).getByText('Unsaved changes')).toBeVisible()
  await save(page)
  await expect(page.getByText('Please enter an organization name')).toBeVisible()
  await expect(page.getByLabel('Company name')).toBeFocused()

  await page.getByLabel('Company name').fill('Olive & Daughters')
  await pick('Country').fill('gree')
  await page.getByRole('option', { name: 'Greece' }).click()
  await pick('State or region').fill('attic')
  await page.getByRole('option', { name: 'Attica', exact: false }).first().click()
  await pick('City').fill('Nowhere on the list')
  await pick('City').press('Enter')
  await page.getByLabel('Street and number').fill('Olive street 1')
  await pick('Industry').fill('agric')
  await pick('Industry').press('Enter')
  await pick('Employees').selectOption('51 to 200')
  await settled(page)
  expect(await axeFindings(page)).toEqual([])
  await save(page)
  await expect(page.getByRole('banner').getByText('Olive & Daughters')).toBeVisible()
  await expect(bar(page)).toBeHidden()
  expect(await company()).toMatchObject({
    name: 'Olive & Daughters',
    country: 'GR',
    city: 'Nowhere on the list',
    address: 'Olive street 1',
    industry_id: 2,
    size_id: 3,
  })

  await page.reload()
  await expect(pick('Country')).toHaveValue('Greece')
  await pick('Country').fill('spai')
  await pick('Country').press('Enter')
  await expect(pick('State or region')).toHaveValue('')
  await expect(pick('City')).toHaveValue('')
})

test('a user chooses, previews, saves and removes a logo, and the field refuses files other than pictures', async ({
  page,
}) => {
  await open(page, '/system/company')
  const field = page.locator('.logo-field')
  const choose = (name: string, buffer: Buffer) =>
    field.locator('input[type=file]').setInputFiles({ name, mimeType: 'image/png', buffer })
  const logoWidth = () => field.locator('img').evaluate((image: HTMLImageElement) => image.naturalWidth)
  await choose('text.png', Buffer.from('This is no picture.'))
  await expect(field.getByText("This file can't be read as a picture.")).toBeVisible()
  await choose('logo.png', png)
  await expect.poll(logoWidth).toBe(24)
  await save(page)
  await expect(bar(page)).toBeHidden()
  await page.reload()
  await expect.poll(logoWidth).toBe(24)
  await field.getByRole('button', { name: 'Remove' }).click()
  await save(page)
  await expect(bar(page)).toBeHidden()
  expect(await company()).not.toHaveProperty('logo')
})

test('the cloud password is numeric; the page shows the password on demand, and the user can change it', async ({
  page,
}) => {
  await open(page, '/system/company')
  await page.getByRole('button', { name: 'Set password' }).click()
  const panel = page.getByRole('dialog')
  const field = panel.getByLabel('New cloud password')
  for (const [input, sentence] of [
    ['', 'Cannot be empty here'],
    ['12ab', 'The communication password must be numeric'],
    ['123', '4 to 8 digits'],
  ] as const) {
    await field.fill(input)
    await panel.getByRole('button', { name: 'Save' }).click()
    await expect(panel.locator('.error').getByText(sentence)).toBeVisible()
    await expect(field).toBeFocused()
  }
  await field.fill('2468013')
  await panel.getByRole('button', { name: 'Save' }).click()
  await expect(panel).toHaveCount(0)
  const group = page.getByRole('region', { name: 'Terminals' })
  await expect(group).not.toContainText('2468013')
  await group.getByRole('button', { name: 'Show' }).click()
  await expect(group).toContainText('2468013')
  await group.getByRole('button', { name: 'Hide' }).click()
  await expect(group).not.toContainText('2468013')
  await expect(group.getByRole('button', { name: 'Change' })).toBeVisible()
})

test('the page asks before a link, the menu or Back discards unsaved changes', async ({ page }) => {
  await open(page, '/dashboard')
  await page.getByRole('link', { name: 'System' }).click()
  const name = page.getByLabel('Company name')
  await name.fill('Half typed')
  const question = page.getByRole('dialog', { name: 'Discard your changes?' })

  await page.getByRole('link', { name: 'Audit log' }).click()
  await question.getByRole('button', { name: 'Keep editing' }).click()
  await expect(page).toHaveURL(/\/system\/company$/)
  await expect(name).toHaveValue('Half typed')

  await page.goBack()
  await question.getByRole('button', { name: 'Keep editing' }).click()
  await expect(page).toHaveURL(/\/system\/company$/)
  await expect(name).toHaveValue('Half typed')

  await page.goBack()
  await question.getByRole('button', { name: 'Discard' }).click()
  await expect(page).toHaveURL(/\/dashboard$/)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()

  // The page does not ask without changes.
  await page.goForward()
  await expect(name).toHaveValue('Olive & Sons')
  await name.fill('Again')
  await bar(page).getByRole('button', { name: 'Discard' }).click()
  await expect(name).toHaveValue('Olive & Sons')
  await page.getByRole('link', { name: 'Audit log' }).click()
  await expect(page).toHaveURL(/\/system\/audit/)
})

test('the server refuses a save from an old version', async ({ page }) => {
  await open(page, '/system/company')
  await page.getByLabel('Company name').fill('Mine')
  const { version, storesTemplates, retentionMonths } = await company()
  await call('company/update', { version, name: 'Theirs', storesTemplates, retentionMonths }, token)
  await save(page)
  await expect(page.locator('.toast')).toHaveText('Someone else changed this. Please reload.')
  await expect(page.getByLabel('Company name')).toHaveValue('Mine')
  await bar(page).getByRole('button', { name: 'Discard' }).click()
  await expect(page.getByLabel('Company name')).toHaveValue('Theirs')
})

test('templates are stored only after a user enables that, and the retention period has bounds', async ({ page }) => {
  await open(page, '/system/company')
  const templates = page.getByRole('switch', { name: 'Store biometrics in the cloud' })
  await expect(templates).not.toBeChecked()
  await templates.check()
  await expect(page.getByText('biometric data (GDPR, article 9)')).toBeVisible()
  const retention = page.getByLabel('Keep records of former employees for')
  for (const input of ['5', '361', 'x']) {
    await retention.fill(input)
    await save(page)
    await expect(page.locator('.error').getByText('Enter 6 to 360 months.')).toBeVisible()
  }
  await retention.fill('24')
  await save(page)
  await expect(bar(page)).toBeHidden()
  expect(await company()).toMatchObject({ storesTemplates: true, retentionMonths: 24 })
})

test('a user finds a time zone by its current name, and the page asks before it saves the change', async ({ page }) => {
  await open(page, '/system/basic')
  const zone = page.getByRole('combobox', { name: 'Time zone' })
  await expect(zone).toHaveValue(/^\(UTC\+\d\d:00\) .*Athens/)
  await zone.fill('kyiv')
  await zone.press('Enter')
  await expect(zone).toHaveValue(/Kyiv/)
  await zone.fill('madrid')
  await zone.press('Enter')
  await expect(zone).toHaveValue(/Madrid|Spain/)
  await expect(page.getByText('Changing the time zone moves the start of each day.')).toBeVisible()
  await save(page)
  const question = page.getByRole('dialog', { name: 'Change the time zone?' })
  await expect(question.getByRole('listitem')).toHaveCount(3)
  await question.getByRole('button', { name: 'Cancel' }).click()
  expect((await company()).timezone).toBe('Europe/Athens')
  await save(page)
  await question.getByRole('button', { name: 'Change time zone' }).click()
  await expect(bar(page)).toBeHidden()
  expect((await company()).timezone).toBe('Europe/Madrid')
})

test('the page previews a format, and every page uses it after the save', async ({ page }) => {
  await open(page, '/system/basic')
  const formats = page.getByRole('region', { name: 'Formats' })
  await expect(formats.getByText(/\d{4}-\d{2}-\d{2}, \d{2}:\d{2}$/)).toBeVisible()
  await formats.getByLabel('Date format').selectOption('DD/MM/YYYY')
  await formats.getByLabel('Time format').selectOption('12-hour')
  await expect(formats.getByText(/\d{2}\/\d{2}\/\d{4}, \d{2}:\d{2} [ap]m$/i)).toBeVisible()
  // A format changes no calculation, so the form has no effective date for it.
  await expect(page.getByRole('region', { name: 'Effective date' })).toHaveCount(0)
  await save(page)
  await expect(bar(page)).toBeHidden()
  await page.getByRole('link', { name: 'Records' }).click()
  await expect(page.getByRole('combobox', { name: 'From' })).toHaveValue(/^\d{2}\/\d{2}\/\d{4}$/)
})

test('a new start of the day takes effect from a chosen date after a preview', async ({ page }) => {
  await open(page, '/system/basic')
  await page.getByLabel('Day starts at').fill('430')
  await page.getByLabel('Day starts at').press('Tab')
  const group = page.getByRole('region', { name: 'Effective date' })
  const from = group.getByRole('combobox', { name: 'Changes take effect on' })
  const today = await from.inputValue()
  const past = `${Number(today.slice(0, 4)) - 1}${today.slice(4, 7)}-01`
  await from.fill(past)
  await from.press('Enter')
  await expect(group.getByText(`All days from ${past} to today are recalculated.`)).toBeVisible()
  await settled(page)
  expect((await axeFindings(page)).filter(finding => !finding.startsWith('target-size'))).toEqual([])
  await save(page)
  const question = page.getByRole('dialog', { name: 'Save the start of the day?' })
  await expect(question.getByText('No calculated days change.')).toBeVisible()
  await question.getByRole('button', { name: 'Save and recalculate' }).click()
  await expect(bar(page)).toBeHidden()
  expect(await company()).toMatchObject({ splitTime: '04:30' })
})

test('all leave settings are on one page, and one bar saves or discards all its sections', async ({ page }) => {
  await open(page, '/system/request')
  await page.getByRole('switch', { name: 'Sabbatical' }).uncheck()
  await page.getByRole('checkbox', { name: 'Paid · Parental leave' }).check()
  await page.getByRole('button', { name: 'Add rule' }).click()
  await page.getByRole('region', { name: 'Two-step approval' }).getByRole('switch').first().check()
  await expect(page.getByText('Unsaved changes')).toHaveCount(1)
  await settled(page)
  expect(await axeFindings(page)).toEqual([])
  await save(page)
  await expect(bar(page)).toBeHidden()
  expect(await call('approve/params', {}, token)).toMatchObject({ secondStep: [1] })
  const { rules } = (await call('leave/params', {}, token)) as { rules: unknown[] }
  expect(rules).toHaveLength(1)
  await page.getByRole('button', { name: 'Add rule' }).click()
  await page.getByRole('switch', { name: 'Sabbatical' }).check()
  await bar(page).getByRole('button', { name: 'Discard' }).click()
  await expect(bar(page)).toBeHidden()
  await page.reload()
  await expect(page.getByRole('switch', { name: 'Sabbatical' })).not.toBeChecked()
  await expect(page.getByRole('checkbox', { name: 'Paid · Sabbatical' })).toHaveCount(0)
  await expect(page.getByRole('checkbox', { name: 'Paid · Parental leave' })).toBeChecked()
})

test('a fever threshold follows its unit and stays within the limits of terminals', async ({ page }) => {
  await open(page, '/system/basic')
  await page.getByRole('link', { name: 'Temperature and mask' }).click()
  await expect(page.getByLabel('Fever threshold')).toHaveCount(0)
  await page.getByLabel('Temperature detection').selectOption('Normal')
  const threshold = page.getByLabel('Fever threshold')
  await expect(threshold).toHaveValue('37.3')
  await page.getByText('°F', { exact: true }).click()
  await expect(threshold).toHaveValue('99.1')
  await expect(page.getByText('Equals 37.3 °C. Enter 93.2 °F to 107.6 °F.')).toBeVisible()
  await threshold.fill('37.3')
  await save(page)
  await expect(page.locator('.error').getByText('Enter 93.2 °F to 107.6 °F, with one decimal at most')).toBeVisible()
  await threshold.fill('100,4')
  await page.getByLabel('Mask detection').selectOption('Access control')
  await page.getByRole('switch', { name: 'No-mask alarm' }).check()
  await save(page)
  await expect(bar(page)).toBeHidden()
  expect(await call('company/prevention', {}, token)).toMatchObject({
    temp_unit: 1,
    fever_threshold: 100.4,
    work_mode: 1,
    mask_detection: 2,
    mask_alarm: 1,
  })
  await test.step('a hidden invalid field does not block the save and keeps its stored value', async () => {
    await threshold.fill('hot')
    await page.getByLabel('Temperature detection').selectOption('Off')
    await save(page)
    await expect(bar(page)).toBeHidden()
    expect(await call('company/prevention', {}, token)).toMatchObject({
      ...{ temp_unit: 1, fever_threshold: 100.4, work_mode: 0 },
    })
  })
})
