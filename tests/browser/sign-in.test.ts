import type { Page } from '@playwright/test'
import { freshEmail } from '../kit/fresh-email.ts'
import { axeFindings, call, expect, mailTo, newCompany, openAs, people, settled, test } from './site.ts'

// Sign-in by e-mail for employees, invitations from the employee page, and the pages before sign-in.

const password = 'Rhubarb#42'
const firstDepartment = async (token: string) => {
  const { list } = (await call('department/all', {}, token)) as { list: { id: string }[] }
  return list[0]?.id
}
const invitationOf = async (email: string) => /\/join#([\w-]+)/.exec(await mailTo(email, /join#/))?.[1] ?? ''

/** Adds a person, who joins by mail. */
const addJoined = async (token: string, more: Record<string, unknown> = {}) => {
  const email = freshEmail('eva')
  const { workno } = await call('employee/workno', {}, token)
  const person = { first_name: 'Eva', last_name: 'Employed', workno, department: await firstDepartment(token), email }
  const { id } = await call('employee/add', { ...person, ...more }, token)
  await call('employee/send_qrcode', { ids: [id] }, token)
  const join = { token: await invitationOf(email), account: 'new', password, confirm_password: password, terms: true }
  const joined = await call('user/invite/join', join)
  return { id: String(id), email, workno: String(workno), token: String(joined.token) }
}

const signIn = async (page: Page, email: string) => {
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

test('an employee invited by e-mail signs in with that e-mail on /login and reaches the employee side', async ({
  page,
}) => {
  const owner = await newCompany()
  const { email } = await addJoined(owner)
  // The requested page belongs to the management side, so the employee starts at the dashboard.
  await openAs(page, 'stranger', '/employee')
  await expect(page).toHaveURL(/\/login\?redirect=%2Femployee$/)
  await signIn(page, email)
  await expect(page.getByRole('heading', { name: 'Hello, Eva' })).toBeVisible()
  await expect(page).toHaveURL(/\/dashboard$/)
})

test('a user adds and invites a person with the proposed employee ID, and sends the invitation again', async ({
  page,
}) => {
  const owner = await newCompany()
  const email = freshEmail('ivo')
  await page.setViewportSize({ width: 1440, height: 900 })
  await openAs(page, { token: owner }, '/employee')
  await page.getByRole('button', { name: 'Add employee' }).first().click()
  const panel = page.getByRole('dialog', { name: 'Add employee' })
  await expect(panel.getByLabel('Employee ID')).toHaveValue('2')
  await expect(panel.getByRole('button', { name: 'Add and invite' })).toHaveCount(0)
  await panel.getByLabel('First name').fill('Ivo')
  await panel.getByLabel('Last name').fill('Invited')
  await panel.getByLabel('E-mail').fill(email)
  await settled(page)
  expect(await axeFindings(page)).toEqual([])
  await panel.getByRole('button', { name: 'Add and invite' }).click()
  await expect(page.getByText('Ivo Invited added and invited').last()).toBeVisible()
  const row = page.getByRole('row').filter({ hasText: 'Ivo Invited' })
  await expect(row).toContainText(/Invited \d{4}-\d{2}-\d{2}/)
  const first = await invitationOf(email)
  await row.getByRole('button', { name: 'Send the invitation to Ivo Invited again' }).click()
  await expect(page.getByText('1 invitation sent').last()).toBeVisible()
  await expect.poll(() => invitationOf(email)).not.toBe(first)
  expect(await mailTo(email)).toMatch(/Company ID: \d{8}\nEmployee ID: 2/)
})

test('a person who took the proposed employee ID first leaves an error and the next free one', {
  tag: '@long',
}, async ({ page }) => {
  const owner = await newCompany()
  await openAs(page, { token: owner }, '/employee')
  await page.getByRole('button', { name: 'Add employee' }).first().click()
  const panel = page.getByRole('dialog', { name: 'Add employee' })
  await expect(panel.getByLabel('Employee ID')).toHaveValue('2')
  await panel.getByLabel('First name').fill('Ann')
  await panel.getByLabel('Last name').fill('Late')
  const faster = { first_name: 'Bob', last_name: 'Fast', workno: '2', department: await firstDepartment(owner) }
  await call('employee/add', faster, owner)
  // The panel may have replaced the proposal already, because the list of employees has changed.
  await panel.getByLabel('Employee ID').fill('2')
  await panel.getByRole('button', { name: 'Save' }).click()
  await expect(panel.getByText('The next free employee ID is 3.')).toBeVisible()
  await panel.getByLabel('Employee ID').fill('3')
  await panel.getByRole('button', { name: 'Save' }).click()
  await expect(panel).toHaveCount(0)
})

test('the sign-in tab shows the state of an invitation and only possible actions', { tag: '@long' }, async ({
  page,
}) => {
  const owner = await newCompany()
  const { workno } = await addJoined(owner)
  const invited = {
    ...{ first_name: 'Ina', last_name: 'Pending', workno: '30', email: freshEmail('ina') },
    department: await firstDepartment(owner),
  }
  await call('employee/add', invited, owner)
  await openAs(page, { token: owner }, '/employee')
  const openTab = async (name: string) => {
    await page.getByRole('link', { name, exact: true }).click()
    await page.getByRole('tab', { name: 'Sign-in' }).click()
  }
  await openTab('Ina Pending')
  const panel = page.getByRole('tabpanel', { name: 'Sign-in' })
  await expect(panel.getByText("This person can't sign in yet. Send an invitation")).toBeVisible()
  await expect(panel.getByRole('button', { name: 'Revoke all links' })).toHaveCount(0)
  await panel.getByRole('button', { name: 'Send by e-mail' }).click()
  await expect(panel.getByText(/The invitation of .* is valid until/)).toBeVisible()
  await expect(panel.getByRole('button', { name: 'Send again' })).toBeVisible()
  await expect(panel.getByText('1 valid invitation')).toBeVisible()
  await settled(page)
  expect(await axeFindings(page)).toEqual([])
  await panel.getByRole('button', { name: 'Revoke all links' }).click()
  await page
    .getByRole('dialog', { name: /Revoke/ })
    .getByRole('button', { name: 'Revoke all links' })
    .click()
  await expect(panel.getByText("This person can't sign in yet. Send an invitation")).toBeVisible()
  await page.getByRole('navigation', { name: 'Organization' }).getByRole('link', { name: 'Employees' }).click()
  await openTab('Eva Employed')
  await expect(panel.getByText('This person can sign in.')).toBeVisible()
  await expect(panel.getByRole('button', { name: /Send|Create/ })).toHaveCount(0)
  expect(workno).toBe('2')
})

test('a second invitation in the same tab shows the second person and their numbers', { tag: '@long' }, async ({
  page,
}) => {
  const owner = await newCompany()
  const department = await firstDepartment(owner)
  const links: string[] = []
  for (const [first_name, workno] of [
    ['Una', '11'],
    ['Duo', '12'],
  ] as const) {
    const { id } = await call('employee/add', { first_name, last_name: 'Second', workno, department }, owner)
    const { url } = await call('employee/login_link', { id }, owner)
    links.push(new URL(String(url)).hash)
  }
  await openAs(page, 'stranger', `/join${links[0]}`)
  await expect(page.getByText('Hello Una')).toBeVisible()
  await page.getByLabel('Password', { exact: true }).fill('Celery#42')
  await page.evaluate(hash => location.assign(hash), links[1] ?? '')
  await expect(page.getByText('Hello Duo')).toBeVisible()
  await expect(page.getByLabel('Password', { exact: true })).toHaveValue('')
  await expect(page.locator('.door-facts')).toContainText(/Company ID\s*\d{8}\s*Employee ID\s*12/)
  await settled(page)
  expect(await axeFindings(page)).toEqual([])
})

test('/login/sign without a code asks for the e-mail address', { tag: '@long' }, async ({ page }) => {
  const owner = await newCompany()
  const { email } = await addJoined(owner)
  await openAs(page, 'stranger', '/login/sign')
  await expect(page.getByRole('heading', { name: 'Sign in by e-mail' })).toBeVisible()
  await page.getByLabel('E-mail').fill(email)
  await page.getByRole('button', { name: 'Send link' }).click()
  await expect(page.getByText(email)).toBeVisible()
  const url = new URL(/https?:\/\/\S+/.exec(await mailTo(email, /login\/sign/))?.[0] ?? '')
  await page.goto(url.pathname + url.search + url.hash)
  await expect(page.getByRole('heading', { name: 'Hello, Eva' })).toBeVisible()
})

test('the sign-in page remembers the tab, the company ID and the employee ID until the user changes them', {
  tag: '@long',
}, async ({ page }) => {
  const [, { code, workno, password }] = people.employee
  await openAs(page, 'stranger', `/login/employee?${new URLSearchParams({ code, workno })}`)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(page.getByRole('heading', { name: 'Hello, Daniel' })).toBeVisible()
  await page.getByRole('button', { name: /Account menu/ }).click()
  await page.getByRole('menuitem', { name: 'Log out' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Log out' }).click()
  await expect(page).toHaveURL(/\/login\/employee$/)
  await expect(page.getByText(code)).toBeVisible()
  await expect(page.getByLabel('Employee ID')).toHaveValue(workno)
  await expect(page.getByLabel('Password', { exact: true })).toHaveValue('')
  await settled(page)
  expect(await axeFindings(page)).toEqual([])
  await page.getByRole('button', { name: 'Change the company ID' }).click()
  await expect(page.getByLabel('Company ID')).toHaveValue('')
  await expect(page.getByLabel('Employee ID')).toHaveValue('')
  await page.getByRole('link', { name: 'Admin' }).click()
  await expect(page).toHaveURL(/\/login$/)
  await page.reload()
  await expect(page.getByLabel('E-mail')).toBeVisible()
})

test('a group opens its first specified page that the user may open', { tag: '@long' }, async ({ page }) => {
  const owner = await newCompany()
  const departments = [await firstDepartment(owner)]
  const { id: roleId } = await call('role/add', { name: 'Reports', permissions: [8], departments }, owner)
  const { token } = await addJoined(owner, { role: 2, roleId })
  await openAs(page, { token }, '/dashboard')
  await page.getByRole('navigation', { name: 'Main menu' }).getByRole('link', { name: 'Records' }).click()
  await expect(page).toHaveURL(/\/report$/)
  await expect(page.getByRole('navigation', { name: 'Records' }).getByRole('link').first()).toHaveText('Report')
  await page.goto('/record')
  await expect(page).toHaveURL(/\/report$/)
})
