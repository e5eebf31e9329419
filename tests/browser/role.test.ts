import type { Page } from '@playwright/test'
import { axeFindings, call, expect, newCompany, openAs, settled, test } from './site.ts'

// Roles: permissions, departments, users, copies and deletion.

let token = ''
const ids: Record<string, string> = {}

test.beforeEach(async () => {
  token = await newCompany()
  const add = async (name: string, parent?: string) => {
    const { id } = await call('department/add', { name, ...(parent && { parent: ids[parent] }) }, token)
    ids[name] = String(id)
  }
  await add('Works')
  await add('Paint', 'Works')
  await add('Press', 'Works')
  await add('Office')
})

const open = (page: Page) => openAs(page, { token }, '/system/role')
const panel = (page: Page) => page.getByRole('dialog')
const save = (page: Page) => panel(page).getByRole('button', { name: 'Save' }).click()
const item = (page: Page, name: string) => page.getByRole('treeitem', { name, exact: true })
const row = (page: Page, name: string) =>
  page.getByRole('row').filter({ has: page.getByRole('button', { name, exact: true }) })
const roleNamed = async (name: string) => {
  const { list } = (await call('role/grid', { size: 50 }, token)) as { list: { name: string }[] }
  return list.find(role => role.name === name)
}
const addEmployee = async (first_name: string, last_name: string, workno: string, more: object = {}) => {
  const { id } = await call(
    'employee/add',
    { first_name, last_name, workno, department: ids.Works, role: 3, ...more },
    token,
  )
  return String(id)
}

test('an administrator adds a role with functions in menu order and departments from the tree', async ({ page }) => {
  await open(page)
  await page.getByRole('button', { name: 'Add role' }).click()
  await save(page)
  await expect(panel(page).getByText('Cannot be empty here')).toBeVisible()
  await panel(page).getByLabel('Name', { exact: true }).fill('Planner')
  await panel(page).getByLabel('Notes').fill('Plans the month')
  await panel(page).getByRole('checkbox', { name: 'Schedule' }).check()
  await panel(page).getByRole('checkbox', { name: 'Records' }).check()
  // The permission for records includes temperatures.
  await expect(panel(page).getByRole('checkbox', { name: 'Temperatures' })).toBeChecked()
  await expect(panel(page).getByRole('checkbox', { name: 'Temperatures' })).toBeDisabled()

  await item(page, 'Works').click()
  await expect(item(page, 'Paint')).toHaveAttribute('aria-checked', 'true')
  await expect(panel(page).getByText('3 of 5 selected')).toBeVisible()
  await item(page, 'Press').click()
  await expect(item(page, 'Works')).toHaveAttribute('aria-checked', 'mixed')
  await item(page, 'Works only').click()
  await expect(panel(page).getByText('1 of 5 selected')).toBeVisible()
  await settled(page)
  expect(await axeFindings(page)).toEqual([])
  await save(page)
  await expect(panel(page)).toHaveCount(0)
  await expect(row(page, 'Planner')).toContainText('Schedule, Records')
  await expect(row(page, 'Planner')).toContainText('1 department')
  expect(await roleNamed('Planner')).toMatchObject({
    notes: 'Plans the month',
    permissions: [7, 9],
    departments: [ids.Paint],
  })
})

test('an administrator works the tree by keyboard, and Enter in the search of the tree does not save the form', {
  tag: '@long',
}, async ({ page }) => {
  await open(page)
  await page.getByRole('button', { name: 'Add role' }).click()
  await panel(page).getByLabel('Name', { exact: true }).fill('Shortcuts')
  const tree = page.getByRole('tree')
  await tree.focus()
  await page.keyboard.press('End')
  const activeRow = page.locator('.check-tree-row.is-meant')
  await expect(activeRow).toHaveText('Press')
  await page.keyboard.press('Space')
  await expect(item(page, 'Press')).toHaveAttribute('aria-checked', 'true')
  await page.keyboard.press('ArrowLeft')
  await expect(activeRow).toHaveText('Works')
  await page.keyboard.press('ArrowLeft')
  await expect(item(page, 'Press')).toHaveCount(0)
  await expect(item(page, 'Works')).toHaveAttribute('aria-expanded', 'false')
  await page.keyboard.press('ArrowRight')
  await expect(item(page, 'Press')).toHaveCount(1)

  await panel(page).getByPlaceholder('Department name').fill('paint')
  await panel(page).getByPlaceholder('Department name').press('Enter')
  await expect(page.getByRole('treeitem')).toHaveText(['Works', 'Paint'])
  // A click on a parent of a match selects the match.
  await item(page, 'Works').click()
  await expect(panel(page).getByText('2 of 5 selected')).toBeVisible()
  await panel(page).getByPlaceholder('Department name').fill('nothing of the kind')
  await expect(page.getByRole('treeitem')).toHaveCount(0)
  await save(page)
  await expect(panel(page)).toHaveCount(0)
  expect(await roleNamed('Shortcuts')).toMatchObject({ permissions: [] })
})

test('the tree offers a thousand departments, and the document contains only the visible departments', {
  tag: '@long',
}, async ({ page }) => {
  test.setTimeout(150_000)
  for (let part = 0; part < 10; part++) {
    await Promise.all(
      Array.from({ length: 100 }, (_, number) =>
        call('department/add', { name: `Team ${part * 100 + number}`, parent: ids.Office }, token),
      ),
    )
  }
  await open(page)
  await page.getByRole('button', { name: 'Add role' }).click()
  await page.getByRole('tree').focus()
  await page.keyboard.press('Home')
  await expect(page.locator('.check-tree-row.is-meant')).toHaveText('Office')
  await page.keyboard.press('ArrowRight')
  await expect(item(page, 'Office')).toHaveAttribute('aria-expanded', 'true')
  expect(await page.getByRole('treeitem').count()).toBeLessThan(60)
  await page.keyboard.press('Space')
  await expect(panel(page).getByText('1,001 of 1,005 selected')).toBeVisible()
  await expect(panel(page).getByText('A role can have up to 1,000 departments.')).toBeVisible()
  await page.keyboard.press('End')
  await page.keyboard.press('ArrowUp')
  expect(await page.getByRole('treeitem').count()).toBeLessThan(60)
  await panel(page).getByPlaceholder('Department name').fill('team 777')
  await expect(page.getByRole('treeitem')).toHaveText(['Office', 'Team 777'])
  await item(page, 'Team 777').click()
  await expect(panel(page).getByText('1,000 of 1,005 selected')).toBeVisible()
  await expect(panel(page).getByText('A role can have up to 1,000 departments.')).toHaveCount(0)
})

test('an administrator edits, duplicates and deletes a role, but cannot delete a role with users', {
  tag: '@long',
}, async ({ page }) => {
  const role = await call('role/add', { name: 'Night', permissions: [7], departments: [ids.Paint] }, token)
  await addEmployee('Nora', 'Night', '71', { role: 2, roleId: role.id })
  await open(page)
  await row(page, 'Night').getByRole('button', { name: 'Night', exact: true }).click()
  await expect(panel(page).getByText('One person has this role. Remove them before you delete it.')).toBeVisible()
  await expect(panel(page).getByRole('button', { name: 'Delete' })).toHaveCount(0)
  await panel(page).getByLabel('Name', { exact: true }).fill('Night shift')
  await panel(page).getByRole('checkbox', { name: 'Approvals' }).check()
  await save(page)
  await expect(panel(page)).toHaveCount(0)
  expect(await roleNamed('Night shift')).toMatchObject({ permissions: [7, 10], departments: [ids.Paint] })

  await row(page, 'Night shift').getByRole('button', { name: 'Night shift', exact: true }).click()
  await panel(page).getByRole('button', { name: 'Duplicate' }).click()
  await expect(panel(page).getByLabel('Name', { exact: true })).toHaveValue('Night shift (copy)')
  await save(page)
  await expect(panel(page)).toHaveCount(0)
  expect(await roleNamed('Night shift (copy)')).toMatchObject({ permissions: [7, 10], departments: [ids.Paint] })

  const copy = row(page, 'Night shift (copy)')
  await copy.getByRole('button', { name: 'Night shift (copy)', exact: true }).click()
  await panel(page).getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('dialog', { name: 'Delete Night shift (copy)?' }).getByRole('button', { name: 'Delete' }).click()
  await expect(copy).toHaveCount(0)
})

test('the server refuses to delete a role that has gained a user, and the page says why', { tag: '@long' }, async ({
  page,
}) => {
  const { id } = await call('role/add', { name: 'Late', permissions: [7], departments: [] }, token)
  await open(page)
  await row(page, 'Late').getByRole('button', { name: 'Late', exact: true }).click()
  await expect(panel(page).getByRole('button', { name: 'Delete' })).toBeVisible()
  await addEmployee('Lara', 'Late', '72', { role: 2, roleId: id })
  await panel(page).getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('dialog', { name: 'Delete Late?' }).getByRole('button', { name: 'Delete' }).click()
  await expect(page.locator('.toast')).toHaveText('This role has users. Give them another role first.')
  expect(await roleNamed('Late')).toBeDefined()
})

test('an administrator can view and duplicate a system role, but not change it', { tag: '@long' }, async ({ page }) => {
  await open(page)
  await row(page, 'Department leader').getByRole('button', { name: 'Department leader', exact: true }).click()
  await expect(panel(page).getByText('System roles are the same in every company')).toBeVisible()
  await expect(panel(page).getByRole('checkbox', { name: 'Schedule' })).toBeChecked()
  await expect(panel(page).getByRole('checkbox', { name: 'Schedule' })).toBeDisabled()
  await expect(panel(page).getByRole('button', { name: 'Save' })).toHaveCount(0)
  await settled(page)
  expect(await axeFindings(page)).toEqual([])
  await panel(page).getByRole('button', { name: 'Duplicate' }).click()
  await expect(panel(page).getByLabel('Name', { exact: true })).toHaveValue('Department leader (copy)')
  await expect(panel(page).getByRole('checkbox', { name: 'Approvals' })).toBeChecked()
  await save(page)
  await expect(row(page, 'Department leader (copy)')).toContainText('0 departments')
})

test('an administrator assigns and removes a role, and the list shows the new number of users', {
  tag: '@long',
}, async ({ page }) => {
  const { id } = await call('role/add', { name: 'Guard', permissions: [9], departments: [ids.Works] }, token)
  await addEmployee('Gina', 'Guard', '81')
  await addEmployee('Gil', 'Gate', '82', { role: 2, roleId: 'departmentleader' })
  await open(page)
  await page.getByRole('button', { name: 'Guard: 0 users' }).click()
  await expect(panel(page).getByText('Nobody has this role')).toBeVisible()
  await panel(page).getByRole('button', { name: 'Add users' }).click()
  const person = (name: string) => panel(page).getByRole('listitem').filter({ hasText: name })
  // The owner already has every permission.
  await expect(person('Olga Owner').getByRole('button')).toBeDisabled()
  await expect(person('Gil Gate')).toContainText('Current role: Department leader')
  await panel(page).getByPlaceholder('Name or employee ID').fill('81')
  await expect(person('Gil Gate')).toHaveCount(0)
  await settled(page)
  expect(await axeFindings(page)).toEqual([])
  await person('Gina Guard').getByRole('button', { name: 'Add Gina Guard' }).click()
  const question = page.getByRole('dialog', { name: 'Give Gina Guard the role Guard?' })
  await expect(question).toContainText("Can't sign in yet")
  await question.getByRole('button', { name: 'Assign role' }).click()
  await expect(person('Gina Guard')).toContainText('Has this role')
  await panel(page).getByPlaceholder('Name or employee ID').fill('')
  await person('Gil Gate').getByRole('button').click()
  await page.getByRole('button', { name: 'Assign role' }).click()
  await expect(person('Gil Gate')).toContainText('Has this role')
  await panel(page).getByRole('button', { name: 'Done' }).click()
  // The last item says how many rows the list has.
  await expect(panel(page).getByRole('listitem')).toHaveCount(3)
  await expect(panel(page)).toContainText('Rows 1–2 of 2')
  await person('Gina Guard').getByRole('button', { name: 'Remove Gina Guard' }).click()
  await expect(panel(page).getByRole('listitem')).toHaveCount(2)
  const users = (await call('role/get/user', { filters: { role: id } }, token)) as { list: { last_name: string }[] }
  expect(users.list.map(({ last_name }) => last_name)).toEqual(['Gate'])
  await panel(page).getByRole('button', { name: 'Close' }).click()
  await expect(page.getByRole('button', { name: 'Guard: 1 user' })).toBeVisible()
})

test('before assigning a role, an administrator sees the sign-in address and the manager who entered the address', {
  tag: '@long',
}, async ({ page }) => {
  const { id: roleId } = await call('role/add', { name: 'Hiring', permissions: [3], departments: [ids.Works] }, token)
  await addEmployee('Lee', 'Lead', '91', { role: 2, roleId, password: 'Rhubarb#42' })
  const { company } = (await call('auth/get', {}, token)) as { company: { company_num: string } }
  const byNumber = { code: company.company_num, workno: '91', password: 'Rhubarb#42' }
  const session = await call('personal/login', byNumber)
  const lead = await call('user/login/switch', {}, String(session.token))
  const pia = { first_name: 'Pia', last_name: 'Planted', workno: '92', email: 'pia.planted@example.com' }
  await call('employee/add', { ...pia, department: ids.Works }, String(lead.token))
  await open(page)
  await page.getByRole('button', { name: /^Department leader: / }).click()
  await panel(page).getByRole('button', { name: 'Add users' }).click()
  await panel(page).getByPlaceholder('Name or employee ID').fill('92')
  await panel(page).getByRole('button', { name: 'Add Pia Planted' }).click()
  const question = page.getByRole('dialog', { name: 'Give Pia Planted the role Department leader?' })
  await expect(question).toContainText('pia.planted@example.com')
  await expect(question).toContainText('Lee Lead')
  await expect(question).toContainText('This sign-in was not set up by an administrator.')
  await settled(page)
  expect(await axeFindings(page)).toEqual([])
  await question.getByRole('button', { name: 'Cancel' }).click()
  await expect(question).toHaveCount(0)
  const filters = { search: 'Pia Planted' }
  const { list } = (await call('employee/grid', { filters }, token)) as { list: { role: number }[] }
  expect(list.map(({ role }) => role)).toEqual([3])
})
