import type { Page } from '@playwright/test'
import { axeFindings, call, expect, newCompany, openAs, settled, test } from './site.ts'

// Saved views of lists, remembered columns, and the print of a list.

let token = ''
test.beforeEach(async () => {
  token = await newCompany('Views & Sons')
})

const addPeople = async () => {
  const { list } = (await call('department/all', {}, token)) as { list: { id: string }[] }
  const department = list[0]?.id
  for (const [first_name, workno, role] of [
    ['Ann', '2', 3],
    ['Ben', '3', 2],
  ] as const)
    await call(
      'employee/add',
      { first_name, last_name: 'Row', workno, department, role, ...(role === 2 && { roleId: 'departmentleader' }) },
      token,
    )
}
const views = (page: Page) => page.locator('.views-button')
const pick = async (page: Page, name: string) => {
  await views(page).click()
  await page.getByRole('menuitem', { name }).or(page.getByRole('menuitemcheckbox', { name })).click()
}

test('a person saves filters as a view, finds it on another device, renames it and deletes it', async ({
  page,
  browser,
}) => {
  await addPeople()
  await openAs(page, { token }, '/report?view=summary')
  await page.getByLabel('Date range').selectOption('Last month')
  await pick(page, 'Save filters as a view…')
  const question = page.getByRole('dialog', { name: 'Save filters as a view…' })
  await question.getByLabel('Name of the view').fill('Payroll')
  await settled(page)
  expect(await axeFindings(page)).toEqual([])
  await question.getByRole('button', { name: 'Save' }).click()
  await expect(views(page)).toHaveText('Payroll')
  await pick(page, 'Default view')
  await expect(page).toHaveURL(/\/report$/)
  await expect(views(page)).toHaveText('Views')

  await test.step('on a phone elsewhere, the view stands with the filters and keeps its meaning', async () => {
    const phone = await (await browser.newContext({ viewport: { width: 390, height: 844 } })).newPage()
    await openAs(phone, { token }, '/report')
    await phone.getByRole('button', { name: 'Filters' }).click()
    await pick(phone, 'Payroll')
    await expect(phone).toHaveURL(/view=summary/)
    await phone.getByRole('button', { name: 'Done' }).click()
    await expect(phone.getByLabel('Date range')).toHaveValue('lastMonth')
    await phone.close()
  })

  await pick(page, 'Manage views…')
  const panel = page.getByRole('dialog', { name: 'Manage views…' })
  await panel.getByRole('button', { name: 'Rename “Payroll”' }).click()
  await page.getByLabel('Name of the view').fill('Wages')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(panel.getByRole('listitem')).toHaveText(['Wages'])
  await panel.getByRole('button', { name: 'Delete “Wages”' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
  await expect(panel.getByText('No views')).toBeVisible()
})

test('a taken name shows the server’s error in the dialog, and a view needs a filter', async ({ page }) => {
  await addPeople()
  await call('user/view/save', { list: 'employee', name: 'Left', query: 'state=left' }, token)
  await openAs(page, { token }, '/employee?state=active')
  await pick(page, 'Save filters as a view…')
  await page.getByLabel('Name of the view').fill('left')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('alert')).toHaveText('This list already has a view with this name. Choose another name.')
  await page.getByRole('button', { name: 'Cancel' }).click()
  await pick(page, 'Left')
  await expect(page).toHaveURL(/state=left/)
  await page.goBack()
  await expect(page).toHaveURL(/state=active/)
  await pick(page, 'Default view')
  await pick(page, 'Save filters as a view…')
  await expect(page.getByRole('dialog')).toContainText('No filter is set.')
})

test('a user hides columns by keyboard, the list counts them, and a phone shows the same columns', async ({
  page,
  browser,
}) => {
  await addPeople()
  await openAs(page, { token }, '/employee')
  const heads = page.getByRole('columnheader')
  await expect(heads.filter({ hasText: 'Position' })).toBeVisible()
  const choice = page.locator('.column-choice')
  await expect(choice).toHaveText('Columns')
  await choice.focus()
  await page.keyboard.press('Enter')
  const panel = page.getByRole('dialog', { name: 'Columns' })
  await panel.getByLabel('Position').focus()
  await page.keyboard.press('Space')
  await panel.getByLabel('Hire date').press('Space')
  await settled(page)
  expect(await axeFindings(page)).toEqual([])
  await panel.getByRole('button', { name: 'Done' }).click()
  await expect(choice).toHaveText('2 columns hidden')
  await expect(heads.filter({ hasText: /Position|Hire date/ })).toHaveCount(0)

  const phone = await (await browser.newContext({ viewport: { width: 390, height: 844 }, hasTouch: true })).newPage()
  await openAs(phone, { token }, '/employee')
  await expect(phone.locator('.grid-body [data-title="Employee ID"]').first()).toBeVisible()
  await expect(phone.locator('.grid-body [data-title="Hire date"]')).toHaveCount(0)
  await phone.locator('.column-choice').click()
  const saved = phone.waitForResponse(/\/user\/column\/update$/)
  await phone.getByRole('button', { name: 'Show all columns' }).click()
  await expect(phone.getByLabel('Position')).toBeChecked()
  await expect(phone.locator('.grid-body [data-title="Hire date"]').first()).toBeAttached()
  // A page that closes takes its unsent changes with it.
  await saved
  await phone.close()

  await page.reload()
  await expect(heads.filter({ hasText: 'Hire date' })).toBeVisible()
})

test('printing a list takes all rows of its filters, under the company, the filters and the date', async ({ page }) => {
  await addPeople()
  await page.addInitScript(() => {
    window.print = () => undefined
  })
  await page.setViewportSize({ width: 390, height: 844 })
  await openAs(page, { token }, '/employee?state=active', { theme: 'dark' })
  await page.getByRole('button', { name: 'Print' }).click()
  const paper = page.locator('.print-list')
  await expect(paper.locator('tbody tr')).toHaveCount(3)
  await expect(paper).toBeHidden()
  await page.emulateMedia({ media: 'print' })
  await expect(paper).toBeVisible()
  await expect(page.getByRole('main')).toBeHidden()
  await expect(paper.getByRole('heading')).toHaveText('Employees')
  await expect(paper.locator('header')).toContainText('Views & Sons')
  await expect(paper.locator('header')).toContainText('Status: Active')
  await expect(paper.locator('header')).toContainText('3 rows')
  await expect(paper.getByText('Ann Row')).toHaveCSS('color', 'rgb(0, 0, 0)')
  await expect(paper.getByRole('columnheader', { name: 'Position' })).toBeVisible()
  await page.emulateMedia({ media: 'screen' })
  await page.evaluate(() => dispatchEvent(new Event('afterprint')))
  await expect(paper).toHaveCount(0)
  await expect(page.getByRole('button', { name: 'Filters (1)' })).toBeVisible()
})
