import { axeFindings, call, expect, newCompany, openAs, settled, test } from './site.ts'

// The parts that all lists share: the number of rows, and the filters on a phone.

test('a list says which rows are visible and how many it has, and counts to a thousand', async ({ page }) => {
  test.setTimeout(120_000)
  const token = await newCompany('Rows & More')
  const { list } = (await call('department/all', {}, token)) as { list: { id: string }[] }
  const department = list[0]?.id
  for (let from = 0; from < 120; from += 8)
    await Promise.all(
      Array.from({ length: 8 }, (_, i) => String(100 + from + i)).map(workno =>
        call('employee/add', { first_name: 'Row', last_name: workno, workno, department }, token),
      ),
    )
  await openAs(page, { token }, '/employee')
  await expect(page.locator('.row-count')).toHaveText(/^Rows 1–\d\d of 121$/)
  // No counter knows the number of matches of a search, so the browser reads on.
  await page.getByRole('searchbox').fill('Row')
  await expect(page.locator('.row-count')).toHaveText(/^Rows 1–\d\d of 120$/)
  await page.getByRole('table', { name: 'Employees' }).evaluate(box => box.scrollTo(0, 400))
  await expect(page.locator('.row-count')).toHaveText(/^Rows \d\d?–\d\d of 120$/)
  // The server reports more rows with every page.
  let reads = 0
  await page.route('**/api/employee/grid', async route => {
    reads++
    // The server refuses the invented cursor.
    const { page: _, ...input } = route.request().postDataJSON()
    const answer = await route.fetch({ postData: input })
    const body = await answer.json()
    const full = Array.from({ length: 200 }, (_, i) => ({ ...body.data.list[0], id: `${reads} ${i}` }))
    await route.fulfill({ json: { ...body, data: { list: full, next: 'more' } } })
  })
  await page.getByRole('searchbox').fill('Row 1')
  await expect(page.locator('.row-count')).toHaveText(/^Rows 1–\d\d of more than 1,000$/)
})

test('on a phone, a user filters the report in a panel, and the first row is within reach', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 })
  await openAs(page, 'administrator', '/report')
  const button = page.getByRole('button', { name: /^Filters/ })
  await expect(page.locator('.grid-body .grid-row').first()).toBeInViewport()
  await expect(page.getByLabel('Department')).toHaveCount(0)
  await button.click()
  const panel = page.getByRole('dialog', { name: 'Filters' })
  await settled(page)
  expect(await axeFindings(page)).toEqual([])
  await panel.getByLabel('Department').selectOption({ label: '\u2003Office' })
  await panel.getByRole('button', { name: 'Done' }).click()
  await expect(button).toHaveText('Filters (1)')
  await expect(page).toHaveURL(/department=/)
  await button.click()
  await panel.getByRole('button', { name: 'Reset' }).click()
  await panel.getByRole('button', { name: 'Done' }).click()
  await expect(button).toHaveText('Filters')
  await expect(page).not.toHaveURL(/department=/)
})

test('on a phone, the audit log keeps its filters in a panel with their count', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 })
  const panel = page.getByRole('dialog', { name: 'Filters' })
  const button = page.getByRole('button', { name: /^Filters/ })
  await openAs(page, 'administrator', '/system/audit?noun=employee&employee=unknown&who=Olga')
  await expect(button).toHaveText('Filters (2)')
  await button.click()
  await panel.getByRole('button', { name: 'Reset' }).click()
  await panel.getByRole('button', { name: 'Done' }).click()
  await expect(button).toHaveText('Filters')
  await expect(page).not.toHaveURL(/noun=|employee=|who=/)
})

test("on a phone, an employee's requests keep their filters in a panel", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 })
  await openAs(page, 'employee', '/request?status=1')
  await expect(page.getByRole('button', { name: /^Filters/ })).toHaveText('Filters (1)')
  await expect(page.getByRole('combobox')).toHaveCount(0)
})

test('the sheets of invitations leave out a person who has joined, and name the reason', async ({ page }) => {
  const token = await newCompany('Printed')
  const { list } = (await call('employee/grid', {}, token)) as { list: { id: string; department: string }[] }
  const [owner] = list
  const person = { first_name: 'Nina', last_name: 'New', workno: '12', department: owner?.department }
  const { id } = await call('employee/add', person, token)
  await openAs(page, { token }, `/printUser?id=${owner?.id}&id=${id}`)
  await expect(page.getByRole('article')).toHaveCount(1)
  await expect(page.getByRole('article')).toContainText('Nina New')
  await expect(page.getByRole('region', { name: 'People without an invitation' })).toContainText('Olga Owner')
  expect(await axeFindings(page)).toEqual([])
})
