import type { Page } from '@playwright/test'
import { axeFindings, call, expect, newCompany, openAs, pickPerson, settled, test } from './site.ts'

// The audit log shows each change as a sentence, and its values before and after.

let token = ''
test.beforeEach(async () => {
  token = await newCompany()
})

const open = async (page: Page, search = '', look: { language?: string } = {}) => {
  await openAs(page, { token }, `/system/audit${search}`, look)
  await settled(page)
}
const entry = (page: Page, sentence: string) => page.locator('.entry').filter({ hasText: sentence })
const lines = (page: Page, sentence: string) => entry(page, sentence).locator('tbody tr')

const makeChanges = async () => {
  const { id } = await call('department/add', { name: 'Sales' }, token)
  await call('department/update', { id, version: 1, name: 'Sales', tel: '+30 210 42', country: 'GR' }, token)
  const person = { first_name: 'Daniel', last_name: 'Evans', workno: '44', department: id, hireDay: '2026-02-01' }
  const employee = await call('employee/add', { ...person, role: 3 }, token)
  await call(
    'employee/update',
    { ...person, id: employee.id, version: 1, role: 2, roleId: 'departmentleader', position: 'Foreman' },
    token,
  )
  await call('company/password', { comm_pwd: '123456' }, token)
  await call('company/password/get', {}, token)
  return { department: String(id) }
}

test('the audit log shows a change as a sentence and names its fields and values as the pages do', async ({ page }) => {
  await makeChanges()
  await open(page)
  const changed = 'Olga Owner changed department Sales'
  await expect(entry(page, changed)).toContainText('Country, Phone')
  await entry(page, changed).getByRole('button', { name: changed }).click()
  await expect(entry(page, changed).getByRole('columnheader')).toHaveText(['Field', 'Before', 'After'])
  await expect(lines(page, changed)).toHaveText(['Country–Greece', 'Phone–+30 210 42'])

  const promoted = 'Olga Owner changed employee Daniel Evans'
  await entry(page, promoted).getByRole('button', { name: promoted }).click()
  await expect(lines(page, promoted)).toHaveText([
    'Position–Foreman',
    'RoleEmployeeManager',
    'Custom role–Department leader',
  ])
  const added = 'Olga Owner added employee Daniel Evans'
  await entry(page, added).getByRole('button', { name: added }).click()
  await expect(lines(page, added).filter({ hasText: 'Department' })).toHaveText('DepartmentSales')
  await expect(lines(page, added).filter({ hasText: 'Hire date' })).toHaveText('Hire date2026-02-01')
  expect(await axeFindings(page)).toEqual([])
})

test('the audit log records that a user changed or viewed a secret, and never shows the secret', {
  tag: '@long',
}, async ({ page }) => {
  await makeChanges()
  await open(page)
  await expect(entry(page, 'Olga Owner viewed the credentials of the company')).toHaveCount(1)
  const set = entry(page, 'Cloud password')
  await set.getByRole('button', { name: 'Olga Owner changed the company' }).click()
  await expect(set.locator('tbody tr')).toHaveText('Cloud passwordset')
  await expect(page.locator('body')).not.toContainText('123456')
})

test('filters by type, words, user and object narrow the list, and the address keeps them', { tag: '@long' }, async ({
  page,
}) => {
  const { department } = await makeChanges()
  await open(page)
  await page.getByLabel('Object type').selectOption('Department')
  await expect(page.locator('.entry')).toHaveText([/changed department Sales/, /added department Sales/, /added/])
  await expect(page).toHaveURL(/noun=department/)
  await page.getByPlaceholder('Name or value').fill('210 42')
  await expect(page.locator('.entry')).toHaveText([/changed department Sales/])
  await page.getByPlaceholder('Name or value').fill('no such thing')
  await expect(page.getByText('No changes match on these days.')).toBeVisible()
  await page.getByPlaceholder('Name or value').fill('')
  await page.getByLabel('Object type').selectOption('All types')

  const changed = entry(page, 'Olga Owner changed department Sales')
  await changed.getByRole('button', { name: 'Olga Owner changed department Sales' }).click()
  await changed.getByRole('button', { name: 'All changes to this object' }).click()
  await expect(page).toHaveURL(new RegExp(`object=${department}`))
  await expect(page.locator('.entry')).toHaveText([/changed department Sales/, /added department Sales/])
  await page.getByRole('button', { name: 'Only Sales' }).click()
  await expect(page.locator('.entry').first()).toContainText('viewed the credentials')

  await pickPerson(page, page.getByRole('combobox', { name: 'Changed by' }), 'Daniel', 'Daniel Evans · 44')
  await expect(page.getByText('No changes match on these days.')).toBeVisible()
  await page.reload()
  await expect(page.getByText('No changes match on these days.')).toBeVisible()
  await expect(page.getByRole('combobox', { name: 'Changed by' })).toHaveValue('Daniel Evans · 44')
})

test('an entry links to its object', { tag: '@long' }, async ({ page }) => {
  await makeChanges()
  await open(page)
  const changed = entry(page, 'Olga Owner changed department Sales')
  await changed.getByRole('button', { name: 'Olga Owner changed department Sales' }).click()
  await changed.getByRole('link', { name: 'Open' }).click()
  await expect(page).toHaveURL(/\/department\?search=Sales$/)
  await expect(page.getByRole('button', { name: 'Sales', exact: true })).toBeVisible()
})

test('the audit log says that days before the company existed have no changes', { tag: '@long' }, async ({ page }) => {
  await open(page, '?from=2020-01-01&to=2020-01-31')
  await expect(page.getByText('Nobody changed anything on these days.')).toBeVisible()
})

test('the list loads more entries on scrolling until all are there', { tag: '@long' }, async ({ page }) => {
  test.setTimeout(120_000)
  for (let part = 0; part < 6; part++) {
    await Promise.all(
      Array.from({ length: 20 }, (_, number) => call('department/add', { name: `D ${part} ${number}` }, token)),
    )
  }
  await open(page)
  await expect(page.locator('.entry')).toHaveCount(50)
  await expect(async () => {
    await page.locator('.entry').last().scrollIntoViewIfNeeded()
    await expect(page.locator('.entry')).toHaveCount(121, { timeout: 1000 })
  }).toPass()
  await expect(page.locator('.list-end')).toHaveText('Rows 1–121 of 121')
})

test('the audit log shows sentences and values in the user’s language', { tag: '@long' }, async ({ page }) => {
  await makeChanges()
  await open(page, '', { language: 'es' })
  const changed = entry(page, 'Olga Owner modificó el departamento Sales')
  await changed.getByRole('button', { name: 'Olga Owner modificó el departamento Sales' }).click()
  await expect(changed.locator('tbody tr').first()).toHaveText('País–Grecia')
})
