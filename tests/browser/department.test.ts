import { readFileSync } from 'node:fs'
import type { Page } from '@playwright/test'
import { axeFindings, call, expect, newCompany, openAs, settled, test, tokenOf } from './site.ts'

// The department page: the tree, its changes and the import from a sheet.

let count = 0
/** A name that no other test uses. */
const uniqueName = (name: string) => `${name} ${Date.now() % 1e8}${++count}`

const add = async (name: string, parent?: string) => {
  const { id } = await call('department/add', { name, ...(parent && { parent }) }, await tokenOf('administrator'))
  return String(id)
}

const row = (page: Page, name: string) =>
  page.getByRole('row').filter({ has: page.getByRole('button', { name, exact: true }) })
const panel = (page: Page) => page.locator('.panel-body')

const sheet = (lines: string[]) => ({
  name: 'departments.csv',
  mimeType: 'text/csv',
  buffer: Buffer.from(['Department name,Parent department,Location', ...lines].join('\n')),
})

test('a user works the tree by keyboard: arrows open and close branches, and Enter shows a department', {
  tag: '@long',
}, async ({ page }) => {
  const [top, middle, leaf] = [uniqueName('Axle'), uniqueName('Bolt'), uniqueName('Cog')]
  await add(leaf, await add(middle, await add(top)))
  await openAs(page, 'administrator', '/department')
  await row(page, top).focus()
  await expect(row(page, top)).toHaveAttribute('aria-expanded', 'true')
  await expect(row(page, leaf)).toHaveAttribute('aria-level', '3')
  await page.keyboard.press('ArrowLeft')
  await expect(row(page, top)).toHaveAttribute('aria-expanded', 'false')
  await expect(row(page, middle)).toHaveCount(0)
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('ArrowRight')
  await expect(row(page, middle)).toBeFocused()
  await page.keyboard.press('ArrowRight')
  await expect(row(page, leaf)).toBeFocused()
  // Presses the keys faster than the page draws.
  await Promise.all([1, 2, 3].map(() => page.keyboard.press('ArrowLeft')))
  await expect(row(page, top)).toBeFocused()
  // Letters move the focus to the department that begins with them.
  await page.keyboard.type('bolt')
  await expect(row(page, middle)).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: middle })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(row(page, middle)).toBeFocused()
})

test('a search ignores case and accents, and shows a match with all its parents', { tag: '@long' }, async ({
  page,
}) => {
  const [top, leaf] = [uniqueName('Fundación'), uniqueName('Torno')]
  await add(leaf, await add(top))
  await openAs(page, 'administrator', '/department')
  await page.getByPlaceholder('Department name').fill(leaf.toUpperCase())
  await expect(page.getByRole('row')).toHaveCount(3)
  await expect(row(page, top)).toBeVisible()
  await expect(row(page, leaf).locator('mark')).toHaveText(leaf)
  await page.getByPlaceholder('Department name').fill(top.replace('ó', 'o').toLowerCase())
  await expect(row(page, top)).toBeVisible()
  await expect(row(page, leaf)).toHaveCount(0)
  await page.getByPlaceholder('Department name').fill('nothing is called this')
  await expect(page.getByText('No results')).toBeVisible()
})

test('a user adds a sub-department, moves it in the panel and by dragging, and deletes it', async ({ page }) => {
  const [first, second, moved] = [uniqueName('First'), uniqueName('Second'), uniqueName('Moved')]
  await Promise.all([add(first), add(second)])
  await openAs(page, 'administrator', '/department')
  await row(page, first)
    .getByRole('button', { name: `Add sub-department to ${first}` })
    .click()
  await expect(panel(page).getByLabel('Parent department')).toHaveValue(first)
  await panel(page).getByLabel('Department name').fill(moved)
  await panel(page).getByLabel('Location').fill('Hall 4')
  await panel(page).getByLabel('Country').fill('Greece')
  await page.getByRole('option', { name: 'Greece', exact: true }).click()
  await panel(page).getByLabel('State or region').click()
  await page.getByRole('option', { name: /^Attica/ }).click()
  await settled(page)
  expect(await axeFindings(page)).toEqual([])
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(row(page, moved)).toHaveAttribute('aria-level', '2')
  await expect(row(page, moved)).toContainText('Hall 4')

  await row(page, moved).getByRole('button', { name: moved, exact: true }).click()
  await expect(panel(page).getByLabel('Country')).toHaveValue('Greece')
  await panel(page).getByLabel('Parent department').fill(second)
  await page.getByRole('option', { name: second }).click()
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(row(page, first)).not.toHaveAttribute('aria-expanded')
  await expect(row(page, second)).toHaveAttribute('aria-expanded', 'true')

  await row(page, moved).dragTo(row(page, first))
  const question = page.getByRole('dialog', { name: `Move ${moved}?` })
  await expect(question).toContainText(`It becomes part of ${first}`)
  await question.getByRole('button', { name: 'Move' }).click()
  await expect(row(page, first)).toHaveAttribute('aria-expanded', 'true')
  await expect(row(page, second)).not.toHaveAttribute('aria-expanded')

  await row(page, moved).getByRole('button', { name: moved, exact: true }).click()
  await page.getByRole('button', { name: 'Delete' }).click()
  await page
    .getByRole('dialog', { name: `Delete ${moved}?` })
    .getByRole('button', { name: 'Delete' })
    .click()
  await expect(row(page, moved)).toHaveCount(0)
})

test('the panel does not offer the sub-departments of a department as its parent', { tag: '@long' }, async ({
  page,
}) => {
  const [top, leaf] = [uniqueName('Above'), uniqueName('Under')]
  await add(leaf, await add(top))
  await openAs(page, 'administrator', '/department')
  await row(page, top).getByRole('button', { name: top, exact: true }).click()
  await panel(page).getByLabel('Parent department').fill(leaf)
  await expect(page.getByText('No results')).toBeVisible()
})

test('the import refuses a sheet with mistakes, names their rows and takes the corrected sheet', {
  tag: '@long',
}, async ({ page }) => {
  const [parent, child] = [uniqueName('Oven'), uniqueName('Shelf')]
  await openAs(page, 'administrator', '/department')
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await expect(page.getByRole('heading', { name: 'Import departments' })).toBeVisible()
  await settled(page)
  expect(await axeFindings(page)).toEqual([])
  const file = page.getByLabel('Choose a file')
  await file.setInputFiles({ name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('no sheet') })
  await expect(page.getByText('This is not an XLSX or CSV file.')).toBeVisible()

  await file.setInputFiles(sheet([`${parent},,`, 'Office,,', `${child},Nowhere at all,`]))
  await expect(page.getByRole('heading', { name: '2 problems found' })).toBeVisible()
  const problems = page.getByRole('region', { name: '2 problems found' }).getByRole('row')
  await expect(problems.nth(1)).toHaveText(
    /^3\s*Department name\s*Office\s*This department name already exists\. Choose another name\.$/,
  )
  await expect(problems.nth(2)).toContainText(/^4\s*Parent department\s*Nowhere at all/)
  await settled(page)
  expect(await axeFindings(page)).toEqual([])
  const loading = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download error sheet' }).click()
  const errors = readFileSync(await (await loading).path(), 'utf8')
  expect(errors).toContain('This department name already exists. Choose another name.')
  await expect(row(page, parent)).toHaveCount(0)

  await page.getByRole('button', { name: 'Choose another file' }).click()
  await file.setInputFiles(sheet([`${parent},,Cellar`, `${child},${parent},`]))
  await page.getByRole('button', { name: 'Import 2 departments' }).click()
  await expect(page.getByRole('heading', { name: '2 departments imported' })).toBeVisible()
  await page.locator('.panel-foot').getByRole('button', { name: 'Close' }).click()
  await expect(row(page, parent)).toContainText('Cellar')
  await expect(row(page, child)).toHaveAttribute('aria-level', '2')
})

test('a checked sheet stays ready for import after a reload', {
  tag: '@long',
}, async ({ page }) => {
  const name = uniqueName('Later')
  await openAs(page, 'administrator', '/department')
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await page.getByLabel('Choose a file').setInputFiles(sheet([`${name},,`]))
  await expect(page.getByRole('heading', { name: '1 row, no problems' })).toBeVisible()
  await page.reload()
  await page.getByRole('button', { name: 'Import 1 department' }).click()
  await expect(page.getByRole('heading', { name: '1 department imported' })).toBeVisible()
})

test('the site downloads a department export as soon as it is ready', { tag: '@long' }, async ({ page }) => {
  const name = uniqueName('Outbound')
  // The test uses a separate company, because the notice also shows tasks of other tests.
  const token = await newCompany()
  await call('department/add', { name }, token)
  await openAs(page, { token }, '/department')
  await page.getByPlaceholder('Department name').fill(name)
  await expect(page.getByRole('row')).toHaveCount(2)
  const loading = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export', exact: true }).click()
  await page.getByRole('menuitem', { name: /CSV/ }).click()
  const download = await loading
  expect(download.suggestedFilename()).toMatch(/\.csv$/)
  expect(readFileSync(await download.path(), 'utf8')).toContain(name)
  const notice = page.getByRole('region', { name: 'Background tasks' })
  await expect(notice).toContainText('Department export ready')
  await settled(page)
  expect(await axeFindings(page)).toEqual([])
  await notice.getByRole('button', { name: 'Close' }).click()
  await expect(notice.getByText(/Department export ready/)).toHaveCount(0)
})
