import type { Page } from '@playwright/test'
import { axeFindings, call, expect, newCompany, openAs, settled, test } from './site.ts'

// One change for many people, from the list of employees.

const people = (page: Page) => page.getByRole('table', { name: 'Employees' })
const bulk = (page: Page) => page.getByRole('region', { name: 'Actions for selected employees' })

/** A company with this many people in its first department, besides the owner. */
const companyOf = async (count: number) => {
  const token = await newCompany('Many hands')
  const { list } = (await call('department/all', {}, token)) as { list: { id: string }[] }
  const department = list[0]?.id
  const numbers = Array.from({ length: count }, (_, i) => String(1000 + i))
  const add = async (workno: string) =>
    String((await call('employee/add', { first_name: 'Hand', last_name: workno, workno, department }, token)).id)
  const ids: string[] = []
  for (let from = 0; from < count; from += 8) ids.push(...(await Promise.all(numbers.slice(from, from + 8).map(add))))
  return { token, ids }
}

test('a user changes the department and the end date of 200 people, and sees who was not changed', async ({ page }) => {
  test.setTimeout(180_000)
  const { token, ids } = await companyOf(200)
  await call('department/add', { name: 'Workshop' }, token)
  // The end date lies before the hire date of this person.
  const [first = ''] = ids
  const hired = await call(
    'employee/update/many',
    { ids: [first], change: { hireDay: '2098-01-01' }, dryRun: false },
    token,
  )
  expect(hired).toEqual({ list: [{ id: first, result: 'changed' }] })
  await openAs(page, { token }, '/employee')
  await people(page).getByRole('checkbox', { name: 'Select all' }).check()
  await expect(bulk(page)).toContainText('100 selected')
  await bulk(page).getByRole('button', { name: 'Select all 201' }).click()
  await expect(bulk(page)).toContainText('201 selected')
  await settled(page)
  expect(await axeFindings(page)).toEqual([])

  await bulk(page).getByRole('button', { name: 'Change' }).click()
  const panel = page.getByRole('dialog')
  await panel.getByRole('button', { name: 'Check' }).click()
  await expect(panel.getByRole('alert')).toContainText('Tick at least one field')
  await panel.getByRole('checkbox', { name: 'Department' }).check()
  await panel.getByRole('combobox', { name: 'New department' }).fill('work')
  await page
    .getByRole('listbox')
    .getByRole('option', { name: /Workshop$/ })
    .click()
  await panel.getByRole('checkbox', { name: 'End date' }).check()
  await panel.getByRole('combobox', { name: 'New end date' }).fill('2097-12-31')
  await panel.getByRole('combobox', { name: 'New end date' }).press('Enter')
  await settled(page)
  expect(await axeFindings(page)).toEqual([])
  await panel.getByRole('button', { name: 'Check' }).click()

  const review = page.getByRole('dialog', { name: 'Change 200 people?' })
  await expect(review).toContainText('200 people will change')
  await expect(review).toContainText("1 person can't be changed")
  await expect(review.getByRole('region', { name: "People who can't be changed" })).toContainText('Hand 1000')
  await settled(page)
  expect(await axeFindings(page)).toEqual([])
  await review.getByRole('button', { name: 'Change 200 people' }).click()
  const result = page.getByRole('dialog', { name: 'Change 201 people' })
  await expect(result).toContainText('200 people changed', { timeout: 60_000 })
  await expect(result).toContainText('1 person was not changed')
  await result.locator('.panel-foot').getByRole('button', { name: 'Close' }).click()
  await expect(bulk(page)).toHaveCount(0)
  await page.goto('/department')
  await expect(page.getByRole('row').filter({ hasText: 'Workshop' })).toContainText('200')
})

test('after a lost connection a user continues the change, and no person is changed twice', async ({ page }) => {
  test.setTimeout(120_000)
  const { token } = await companyOf(30)
  await openAs(page, { token }, '/employee')
  await people(page).getByRole('checkbox', { name: 'Select all' }).check()
  await expect(bulk(page)).toContainText('31 selected')
  await bulk(page).getByRole('button', { name: 'Change' }).click()
  const panel = page.getByRole('dialog')
  await panel.getByRole('checkbox', { name: 'Punch mode' }).check()
  await panel.getByLabel('New punch mode').selectOption('Card')
  await panel.getByRole('button', { name: 'Check' }).click()
  await expect(page.getByRole('button', { name: 'Change 31 people' })).toBeVisible()
  // The server does the work of the first part, but the answer is lost.
  let lost = 0
  await page.route('**/api/employee/update/many', async route => {
    if (lost++ > 0) return route.fallback()
    await route.fetch()
    await route.abort()
  })
  await page.getByRole('button', { name: 'Change 31 people' }).click()
  await expect(panel.getByRole('alert')).toContainText('31 people are not changed yet')
  await panel.getByRole('button', { name: 'Continue' }).click()
  await expect(panel).toContainText('31 people changed')
  const { list } = await call('audit/grid', { filters: { noun: 'credential' }, size: 100 }, token)
  expect(list).toHaveLength(31)
})
