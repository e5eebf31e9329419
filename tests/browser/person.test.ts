import type { Page } from '@playwright/test'
import { axeFindings, call, expect, newCompany, openAs, settled, test, tokenOf } from './site.ts'

// The page of one person: the tabs by permission, the number keys, and the refusal.

const tab = (page: Page, name: string | RegExp) => page.getByRole('tab', { name })
const shown = (page: Page, name: string) => page.getByRole('tabpanel', { name })
const idOf = async (search: string) => {
  const { list } = await call('employee/grid', { filters: { search } }, await tokenOf('administrator'))
  return (list as { id: string }[])[0]?.id ?? ''
}

test('a user opens a person from the list, walks the tabs by key, and edits a detail', async ({ page }) => {
  const token = await newCompany('One by One')
  const { list } = (await call('department/all', {}, token)) as { list: { id: string }[] }
  const add = (last_name: string, workno: string) =>
    call('employee/add', { first_name: 'Ann', last_name, workno, department: list[0]?.id }, token)
  await add('Alder', '11')
  await add('Birch', '12')
  await openAs(page, { token }, '/employee')
  await page.getByRole('link', { name: 'Ann Alder', exact: true }).click()
  await expect(page.getByRole('heading', { name: 'Ann Alder', level: 1 })).toBeVisible()
  await expect(page.getByText('1 of 3')).toBeVisible()
  await expect(page.getByText('No punches yet').first()).toBeVisible()
  const names = [
    'Overview',
    'Days',
    'Schedule',
    'Leave & requests',
    'Details',
    'Card & biometrics',
    'Sign-in',
    'History',
  ]
  for (const [index, name] of names.entries()) {
    await page.keyboard.press(String(index + 1))
    await expect(tab(page, name)).toHaveAttribute('aria-selected', 'true')
    await expect(shown(page, name)).toBeVisible()
    await settled(page)
    expect(await axeFindings(page), name).toEqual([])
  }
  await expect(page).toHaveURL(/\?tab=history$/)
  await page.keyboard.press('5')
  const details = shown(page, 'Details')
  await details.getByLabel('Position').fill('Gardener')
  await details.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Saved').last()).toBeVisible()
  await expect(page.getByRole('main').getByRole('listitem').filter({ hasText: 'Gardener' })).toBeVisible()
  // A number in a field is text.
  await details.getByLabel('Position').press('1')
  await expect(details.getByLabel('Position')).toHaveValue(/1/)
  await details.getByRole('button', { name: 'Cancel' }).click()
  await expect(details.getByLabel('Position')).toHaveValue('Gardener')
  await page.getByRole('heading', { level: 1 }).click()
  await page.keyboard.press(']')
  await expect(page.getByRole('heading', { name: 'Ann Birch', level: 1 })).toBeVisible()
  await expect(tab(page, 'Details')).toHaveAttribute('aria-selected', 'true')
  await page.keyboard.press('[')
  await expect(page.getByRole('heading', { name: 'Ann Alder', level: 1 })).toBeVisible()
  await page.keyboard.press('8')
  await expect(shown(page, 'History')).toContainText('Olga Owner')
})

test('a person of another department is refused, as is an unknown one', { tag: '@long' }, async ({ page }) => {
  // Grace Holt manages one department, and Ada Brandt is in another.
  await openAs(page, 'manager', `/employee/${await idOf('Brandt')}`)
  await expect(page.getByRole('heading', { name: "You can't open this person" })).toBeVisible()
  await settled(page)
  expect(await axeFindings(page)).toEqual([])
  await page.goto('/employee/nobody')
  await expect(page.getByText("isn't in a department you manage")).toBeVisible()
  await page.getByRole('link', { name: 'To the employees' }).click()
  await expect(page.getByRole('heading', { name: 'Employees', level: 1 })).toBeVisible()
})

test('each tab needs its own permission, and without any a name is plain text', { tag: '@long' }, async ({ page }) => {
  const token = await newCompany('Few Rights')
  const { list } = (await call('department/all', {}, token)) as { list: { id: string }[] }
  const department = list[0]?.id ?? ''
  const { id } = await call('employee/add', { first_name: 'Ann', last_name: 'Alder', workno: '11', department }, token)
  const { company } = (await call('auth/get', {}, token)) as { company: { company_num: string } }
  const password = 'Rhubarb#42'
  const openWith = async (permissions: number[], path: string) => {
    const name = `Role ${permissions.join(' ')}`
    const { id: roleId } = await call('role/add', { name, permissions, departments: [department] }, token)
    const workno = `9${permissions[0]}`
    const person = { first_name: 'Max', last_name: name, workno, department, role: 2, roleId, password }
    await call('employee/add', person, token)
    const session = await call('personal/login', { code: company.company_num, workno, password })
    const managed = await call('user/login/switch', {}, String(session.token))
    await page.goto('/404')
    await page.evaluate(token => localStorage.setItem('token', token), String(managed.token))
    await page.goto(path)
  }
  await openAs(page, 'stranger', '/404')
  const page11 = `/employee/${id}`
  const tabs = page.getByRole('tab')
  await openWith([3], page11)
  await expect(tabs).toHaveText(['Details', 'Card & biometrics', 'Sign-in'])
  await openWith([8], page11)
  await expect(tabs).toHaveText(['Overview', 'Days'])
  await expect(page.getByRole('button', { name: /^Add|^More/ })).toHaveCount(0)
  await openWith([9], page11)
  await expect(tabs).toHaveText(['Overview'])
  await expect(page.getByRole('button', { name: 'Add punch' })).toBeVisible()
  await openWith([10], page11)
  await expect(tabs).toHaveText(['Overview', 'Leave & requests'])
  await expect(page.getByRole('button', { name: 'Add leave' })).toBeVisible()
  const shift = { onDuty: '09:00', offDuty: '18:00', punchStart: '07:00', punchEnd: '23:00' }
  await call('shift/add', { name: 'Day', ...shift }, token)
  await openWith([7], '/schedule')
  await expect(page.getByRole('rowheader', { name: /Ann Alder/ })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Ann Alder' })).toHaveCount(0)
  await page.goto(page11)
  await expect(page).toHaveURL(/\/404$/)
})

test('a former person has a banner and no actions that add something', { tag: '@long' }, async ({ page }) => {
  const token = await newCompany('Gone & Done')
  const { list } = (await call('department/all', {}, token)) as { list: { id: string }[] }
  const person = { first_name: 'Ann', last_name: 'Left', workno: '11', department: list[0]?.id }
  const { id } = await call('employee/add', person, token)
  await openAs(page, { token }, `/employee/${id}`)
  await page.getByRole('button', { name: 'More actions for Ann Left' }).click()
  await page.getByRole('menuitem', { name: 'Mark as former' }).click()
  const question = page.getByRole('dialog', { name: 'Mark Ann Left as former?' })
  await question.getByRole('combobox', { name: 'End date' }).fill('2026-01-31')
  await question.getByRole('combobox', { name: 'End date' }).press('Tab')
  await question.getByRole('button', { name: 'Mark as former' }).click()
  await expect(page.getByText('Former employee. Last day: 2026-01-31')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Add punch' })).toHaveCount(0)
  await expect(page.getByRole('button', { name: 'Add leave' })).toHaveCount(0)
  await settled(page)
  expect(await axeFindings(page)).toEqual([])
})

test('a name in every list leads to the person, and a button beside it filters the list', { tag: '@long' }, async ({
  page,
}) => {
  for (const path of ['/record', '/report', '/exception', '/leave', '/temperature', '/dashboard', '/schedule']) {
    await openAs(page, 'administrator', path)
    await settled(page)
    const names = page.locator('main a[href^="/employee/"]')
    if ((await names.count()) === 0) continue
    const name = await names.first().innerText()
    await names.first().click()
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(name)
  }
  await page.goto('/record')
  await page
    .getByRole('button', { name: /^Show only / })
    .first()
    .click()
  await expect(page).toHaveURL(/employee=/)
})
