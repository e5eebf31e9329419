import { readFileSync } from 'node:fs'
import type { Page } from '@playwright/test'
import { addDays } from '../../shared/local-day.ts'
import { jpeg } from '../kit/picture.ts'
import { axeFindings, call, expect, mailTo, newCompany, openAs, settled, test, tokenOf } from './site.ts'

// The employee page: search, details, invitations, imports and erasure.

const dayFromToday = (days: number) => addDays(new Date().toISOString().slice(0, 10), days)

let count = 0
const uniqueNumber = () => String((Date.now() % 1e9) * 100 + ++count)
const uniqueEmail = (name: string) => `${name}-${uniqueNumber()}@example.com`

interface Row {
  id: string
  name: string
  parent?: string
}

// All setup calls share a sign-in, because many simultaneous sign-ins would trigger the guard against password
// guessing.
let administratorToken: Promise<string> | undefined
const signInAdministrator = () => {
  administratorToken ??= tokenOf('administrator')
  return administratorToken
}

const departments = async () => {
  const { list } = await call('department/all', {}, await signInAdministrator())
  return list as Row[]
}
const departmentId = async (name: string) => (await departments()).find(row => row.name === name)?.id

/** Adds an employee that no other test uses. */
const addEmployee = async (more: Record<string, unknown> = {}) => {
  const workno = uniqueNumber()
  const person = { first_name: 'Test', last_name: `Person ${workno}`, workno, department: await departmentId('Office') }
  const { id } = await call('employee/add', { ...person, ...more }, await signInAdministrator())
  return { ...person, ...more, id: String(id), workno, name: `${person.first_name} ${person.last_name}` }
}

const people = (page: Page) => page.getByRole('table', { name: 'Employees' })
const search = (page: Page, words: string) => page.getByPlaceholder('Name, employee ID, e-mail or position').fill(words)
/** The option of a department in an open list. */
const option = (page: Page, name: string) =>
  page.getByRole('listbox').getByRole('option', { name: new RegExp(`${name}$`) })
const dialog = (page: Page) => page.getByRole('dialog')

/** Opens the employee's page at a tab, or the panel with more actions. */
const open = async (page: Page, person: { name: string; workno: string }, tab = 'Details') => {
  if (!new URL(page.url()).pathname.endsWith('/employee')) await page.goto('/employee')
  await search(page, person.workno)
  // The heading and the employee. An earlier click could meet the row while the search moves it away.
  await expect(people(page).getByRole('row')).toHaveCount(2)
  await page.getByRole('link', { name: person.name, exact: true }).click()
  if (tab === 'More') {
    await page.getByRole('button', { name: `More actions for ${person.name}` }).click()
    return page.getByRole('menuitem', { name: 'More' }).click()
  }
  await page.getByRole('tab', { name: tab }).click()
  await expect(page.getByRole('tabpanel', { name: tab })).toBeVisible()
}
const saved = (page: Page) => expect(page.getByText('Saved').last()).toBeVisible()
/** The employee's row, after a return to the list. */
const rowOf = async (page: Page, { workno }: { workno: string }) => {
  await page.goto('/employee')
  await search(page, workno)
  return people(page).getByRole('row').filter({ hasText: workno })
}

test('a user sorts the list by a column heading, by mouse or keyboard, and the heading announces the order', {
  tag: '@long',
}, async ({ page }) => {
  await openAs(page, 'administrator', '/employee')
  const heading = (name: string) => people(page).getByRole('columnheader', { name })
  await expect(heading('Name')).toHaveAttribute('aria-sort', 'ascending')
  await expect(heading('Employee ID')).toHaveAttribute('aria-sort', 'none')
  await expect(heading('Department')).not.toHaveAttribute('aria-sort')
  await search(page, 'operator')
  const first = people(page).getByRole('row').nth(1)
  await expect(first).toContainText('Daniel Evans')
  await heading('Name').getByRole('button').click()
  await expect(heading('Name')).toHaveAttribute('aria-sort', 'descending')
  await expect(first).toContainText('Victor Wang')
  await heading('Employee ID').getByRole('button').focus()
  await page.keyboard.press('Enter')
  await expect(heading('Employee ID')).toHaveAttribute('aria-sort', 'ascending')
  await expect(heading('Name')).toHaveAttribute('aria-sort', 'none')
  await expect(first).toContainText('Daniel Evans')
})

test('filters by department, role and status narrow the list, and the address keeps them', { tag: '@long' }, async ({
  page,
}) => {
  const former = await addEmployee({ hireDay: '2020-01-01', endDay: '2021-01-01', position: 'Archivist' })
  await openAs(page, 'administrator', '/employee')
  await page.getByLabel('Role').selectOption('System administrator')
  await expect(people(page).getByRole('row')).toHaveCount(2)
  await page.getByLabel('Role').selectOption('All roles')
  await search(page, 'archivist')
  const row = people(page).getByRole('row').filter({ hasText: former.workno })
  await expect(row).toContainText('Left')
  await page.getByLabel('Status').selectOption('Active')
  await expect(row).toHaveCount(0)
  await page.getByLabel('Status').selectOption('Left')
  await expect(row).toHaveCount(1)
  await page.getByLabel('Department').selectOption({ label: '\u2003Office' })
  await expect(page).toHaveURL(/department=[a-z0-9]{16}/)
  await page.reload()
  await search(page, former.workno)
  await expect(row).toHaveCount(1)
  await expect(page.getByLabel('Status')).toHaveValue('left')
})

test('a user fills in an employee’s details, including another department and a role', async ({ page }) => {
  const person = await addEmployee()
  await openAs(page, 'administrator', '/employee')
  await open(page, person)
  const panel = page.getByRole('tabpanel', { name: 'Details' })
  await panel.getByLabel('Phone').fill('+30 210 1234567')
  await panel.getByLabel('E-mail').fill(uniqueEmail('contact'))
  await panel.getByLabel('Role').selectOption('Department leader')
  await panel.getByRole('combobox', { name: 'Other departments' }).fill('logis')
  await option(page, 'Logistics').click()
  await panel.getByRole('combobox', { name: 'Other departments' }).fill('production')
  await option(page, 'Production').click()
  await panel.getByRole('button', { name: 'Remove Production' }).click()
  await settled(page)
  expect(await axeFindings(page)).toEqual([])
  await panel.getByRole('button', { name: 'Save' }).click()
  await saved(page)
  const row = await rowOf(page, person)
  await expect(row).toContainText('Department leader')
  await expect(row).toContainText('and 1 other')
  await open(page, person)
  await expect(panel.getByLabel('Phone')).toHaveValue('+30 210 1234567')
  await expect(panel.getByRole('list', { name: 'Other departments' })).toHaveText('Logistics')
})

test('the panel saves card, attendance password and punch mode, and shows an error at its field', {
  tag: '@long',
}, async ({ page }) => {
  const person = await addEmployee()
  await openAs(page, 'administrator', '/employee')
  await open(page, person, 'Card & biometrics')
  const panel = page.getByRole('tabpanel', { name: 'Card & biometrics' })
  await expect(panel.getByText('Your company stores no fingerprints or faces')).toBeVisible()
  await panel.getByLabel('Punch mode').selectOption('Card and password')
  await panel.getByLabel('Card number').fill('12 34')
  await panel.getByLabel('Attendance password').fill('9999999')
  await panel.getByRole('button', { name: 'Save' }).click()
  await expect(panel.getByLabel('Card number')).toHaveAttribute('aria-invalid', 'true')
  await expect(panel.getByText('This number is too large')).toBeVisible()
  await settled(page)
  expect(await axeFindings(page)).toEqual([])
  const card = String((Date.now() % 4_000_000_000) + 1)
  await panel.getByLabel('Card number').fill(card)
  await panel.getByLabel('Attendance password').fill('4711')
  await panel.getByRole('button', { name: 'Save' }).click()
  await saved(page)
  await open(page, person, 'Card & biometrics')
  await expect(panel.getByLabel('Card number')).toHaveValue(card)
  await expect(panel.getByLabel('Punch mode').locator('option:checked')).toHaveText('Card and password')
  // The page shows the password only on demand.
  await expect(panel.getByLabel('Attendance password')).toHaveAttribute('type', 'password')
  await panel.getByRole('button', { name: 'Show the password' }).click()
  await expect(panel.getByLabel('Attendance password')).toHaveAttribute('type', 'text')
  await expect(panel.getByLabel('Attendance password')).toHaveValue('4711')
})

test('the page keeps changes while the user visits another tab, and asks before it is left', { tag: '@long' }, async ({
  page,
}) => {
  const person = await addEmployee()
  await openAs(page, 'administrator', '/employee')
  await open(page, person)
  await page.getByLabel('Position').fill('Baker')
  await page.getByRole('tab', { name: 'Details' }).focus()
  await page.keyboard.press('ArrowRight')
  await expect(page.getByRole('tab', { name: 'Card & biometrics' })).toBeFocused()
  await expect(page.getByRole('tabpanel', { name: 'Card & biometrics' })).toBeVisible()
  await page.keyboard.press('End')
  await expect(page.getByRole('tabpanel', { name: 'History' })).toBeVisible()
  await page.getByRole('navigation', { name: 'Organization' }).getByRole('link', { name: 'Employees' }).click()
  await page
    .getByRole('dialog', { name: 'Discard your changes?' })
    .getByRole('button', { name: 'Keep editing' })
    .click()
  await page.getByRole('tab', { name: 'Details' }).click()
  await expect(page.getByLabel('Position')).toHaveValue('Baker')
  await page.getByRole('tabpanel', { name: 'Details' }).getByRole('button', { name: 'Save' }).click()
  await saved(page)
})

test('a user creates an invitation link with its QR code, and revokes it', { tag: '@long' }, async ({
  page,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const person = await addEmployee()
  await openAs(page, 'administrator', '/employee')
  await open(page, person, 'Sign-in')
  const panel = page.getByRole('tabpanel', { name: 'Sign-in' })
  await expect(panel.getByText("This person can't sign in yet.")).toBeVisible()
  await expect(panel.getByRole('button', { name: 'Send by e-mail' })).toHaveCount(0)
  await expect(panel.getByRole('button', { name: 'Revoke all links' })).toHaveCount(0)
  await panel.getByRole('button', { name: 'Create link' }).click()
  await expect(panel.getByRole('img', { name: 'Invitation QR code' })).toBeVisible()
  await panel.getByRole('button', { name: 'Copy' }).click()
  const url = await page.evaluate(() => navigator.clipboard.readText())
  await expect(panel.getByLabel('Link')).toHaveValue(url)
  const { kind, first_name } = await call('user/invite/get', { token: new URL(url).hash.slice(1) })
  expect({ kind, first_name }).toEqual({ kind: 'employee', first_name: 'Test' })
  await settled(page)
  expect(await axeFindings(page)).toEqual([])

  await panel.getByRole('button', { name: 'Revoke all links' }).click()
  await page
    .getByRole('dialog', { name: 'Revoke all links and QR codes?' })
    .getByRole('button', { name: 'Revoke all links' })
    .click()
  await expect(panel.getByRole('img', { name: 'Invitation QR code' })).toHaveCount(0)
  await expect(call('user/invite/get', { token: new URL(url).hash.slice(1) })).rejects.toThrow('60013')
})

test('an employee signs in with a password that an administrator set', { tag: '@long' }, async ({ page }) => {
  const person = await addEmployee()
  await openAs(page, 'administrator', '/employee')
  await open(page, person, 'Sign-in')
  const panel = page.getByRole('tabpanel', { name: 'Sign-in' })
  await panel.getByLabel('Password', { exact: true }).fill('weak')
  await panel.getByRole('button', { name: 'Set password' }).click()
  await expect(panel.locator('.field .error')).toContainText('At least 6 characters with an uppercase letter')
  await panel.getByLabel('Password', { exact: true }).fill('Rhubarb#42')
  await panel.getByRole('button', { name: 'Set password' }).click()
  await expect(page.getByText('Password set').last()).toBeVisible()
  await call('personal/login', { code: '10000001', workno: person.workno, password: 'Rhubarb#42' })
})

test('a user selects several employees and invites them by mail; the site skips employees without an address', {
  tag: '@long',
}, async ({ page }) => {
  const email = uniqueEmail('invited')
  const [reachable, unreachable] = [await addEmployee({ email }), await addEmployee()]
  await openAs(page, 'administrator', '/employee')
  for (const { workno, name } of [reachable, unreachable]) {
    await search(page, workno)
    await people(page).getByRole('checkbox', { name }).check()
  }
  const bulk = page.getByRole('region', { name: 'Actions for selected employees' })
  await expect(bulk).toContainText('2 selected')
  await settled(page)
  expect(await axeFindings(page)).toEqual([])
  const loading = page.waitForEvent('download')
  await bulk.getByRole('button', { name: 'Export' }).click()
  await page.getByRole('menuitem', { name: /CSV/ }).click()
  const text = readFileSync(await (await loading).path(), 'utf8')
  expect(text.trim().split('\n')).toHaveLength(3)
  expect(text).toContain(reachable.workno)

  await bulk.getByRole('button', { name: 'Send invitations' }).click()
  const question = page.getByRole('dialog', { name: 'Send an invitation to 1 person?' })
  await expect(question).toContainText(`Skipped, no e-mail address: ${unreachable.name}`)
  await settled(page)
  expect(await axeFindings(page)).toEqual([])
  await question.getByRole('button', { name: 'Send' }).click()
  await expect(page.getByText('1 invitation sent').last()).toBeVisible()
  await expect(bulk).toHaveCount(0)
  expect(await mailTo(email)).toContain('/join#')
})

test('the list shows an employee who joined by the company link as waiting; a user accepts with department and role', {
  tag: '@long',
}, async ({ page }) => {
  const { url } = await call('employee/qrcode', {}, await signInAdministrator())
  const token = new URL(String(url)).hash.slice(1)
  const email = uniqueEmail('walkin')
  const last_name = `Walkin ${uniqueNumber()}`
  const { nonce } = await call('user/invite/code', { token, email })
  const code = /\b\d{6}\b/.exec(await mailTo(email))?.[0]
  const password = 'Rhubarb#42'
  await call('user/invite/join', {
    ...{ token, account: 'new', email, code, nonce, password, confirm_password: password, terms: true },
    ...{ first_name: 'Wanda', last_name },
  })
  await openAs(page, 'administrator', '/employee')
  await expect(page.getByText(/joined with the company link and (is|are) waiting/)).toBeVisible()
  await page.getByRole('button', { name: 'Show' }).click()
  await search(page, last_name)
  const row = people(page).getByRole('row').filter({ hasText: last_name })
  await expect(row).toContainText('Waiting for a role')
  await row.getByRole('link', { name: `Accept Wanda ${last_name}` }).click()
  const panel = page.getByRole('tabpanel', { name: 'Details' })
  await expect(panel.getByLabel('Role').locator('option:checked')).toHaveText('Employee')
  await panel.getByLabel('Department', { exact: true }).fill('office')
  await option(page, 'Office').click()
  await panel.getByRole('button', { name: 'Accept' }).click()
  await expect(page.getByText(`Wanda ${last_name} accepted`).last()).toBeVisible()
  await page.goto('/employee')
  await search(page, last_name)
  await expect(row).toContainText('Employee')
  const workno = (await row.getByRole('cell').nth(2).innerText()).trim()
  await call('personal/login', { code: '10000001', workno, password })
})

test('a user disables and enables an employee, and exports the employee’s data as a file', { tag: '@long' }, async ({
  page,
}) => {
  const person = await addEmployee()
  await openAs(page, 'administrator', '/employee')
  await open(page, person, 'More')
  await page.getByRole('button', { name: 'Disable' }).click()
  await expect(dialog(page)).toHaveCount(0)
  await expect(await rowOf(page, person)).toContainText('Disabled')
  await open(page, person, 'More')
  await page.getByRole('button', { name: 'Enable' }).click()
  await expect(dialog(page)).toHaveCount(0)
  await expect(await rowOf(page, person)).toContainText('Employee')
  await open(page, person, 'More')
  const loading = page.waitForEvent('download')
  await dialog(page).getByRole('button', { name: 'Export' }).click()
  expect((await loading).suggestedFilename()).toMatch(/\.zip$/)
})

test('a user types the employee ID to erase an employee, and the name disappears from every list without a reload', {
  tag: '@long',
}, async ({ page }) => {
  const person = await addEmployee()
  await openAs(page, 'administrator', '/employee')
  await open(page, person, 'More')
  await page.getByRole('button', { name: 'Erase' }).click()
  const question = page.getByRole('dialog', { name: `Permanently erase ${person.name}?` })
  await expect(question.getByRole('button', { name: 'Erase' })).toBeDisabled()
  expect(await axeFindings(page)).toEqual([])
  await question.getByLabel(/^Type the employee ID/).fill(person.workno)
  await question.getByRole('button', { name: 'Erase' }).click()
  // The page of an erased person says so without a reload.
  await expect(page.getByText('Deleted employee.')).toBeVisible({ timeout: 40_000 })
  await expect(page.getByRole('region', { name: 'Background tasks' })).toContainText(/Erasing a person|Person erased/)
  await page.goto('/employee')
  await search(page, person.workno)
  await expect(page.getByText('No results')).toBeVisible()
  await page.getByLabel('Status').selectOption('Deleted')
  const former = page.getByRole('table', { name: 'Deleted' }).getByRole('row').filter({ hasText: person.workno })
  await expect(former).toContainText('Erased person')
  await expect(former).not.toContainText(person.name)
  await settled(page)
  expect(await axeFindings(page)).toEqual([])
})

test('a user imports hundreds of employees in the background, and scrolling loads them all', {
  tag: '@long',
}, async ({ page }) => {
  test.setTimeout(180_000)
  const token = await newCompany('Many & More')
  const { list } = (await call('department/all', {}, token)) as { list: Row[] }
  const total = 300
  const lines = Array.from({ length: total }, (_, at) => `Crowd,Number ${at},${1000 + at},${list[0]?.name}`)
  const sheet = {
    name: 'people.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from(['First name,Last name,Employee ID,Department', ...lines].join('\n')),
  }
  await openAs(page, { token }, '/employee')
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  const template = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Excel template' }).click()
  expect((await template).suggestedFilename()).toBe('Employees - Template.xlsx')
  await page.getByLabel('Choose a file').setInputFiles(sheet)
  await page.getByRole('button', { name: `Import ${total} employees` }).click()
  // The import goes on without the wizard and the page.
  await page.keyboard.press('Escape')
  const notice = page.getByRole('region', { name: 'Background tasks' })
  await expect(notice).toContainText(/Importing employees|Employees imported/)
  await page.goto('/department')
  await expect(notice).toContainText('Employees imported', { timeout: 90_000 })
  await expect(notice).toContainText(`${total} employees imported`)
  await notice.getByRole('button', { name: 'Show' }).click()
  await expect(page.getByRole('heading', { name: `${total} employees imported` })).toBeVisible()
  await page.locator('.panel-foot').getByRole('button', { name: 'Close' }).click()

  const rows = people(page).getByRole('row').filter({ hasText: 'Crowd' })
  await expect(rows.nth(5)).toBeVisible()
  const seen = new Set<string>()
  await expect
    .poll(
      async () => {
        // The page reads and scrolls in one step. Otherwise the rows could change between the read of a name and its
        // employee ID.
        const names = await people(page).evaluate(box => {
          const text = (box as HTMLElement).innerText
          box.scrollBy(0, 250)
          return text.match(/Number \d+/g) ?? []
        })
        for (const name of names) seen.add(name)
        return seen.size
      },
      { timeout: 90_000, intervals: [50] },
    )
    .toBe(total)
  // The document contains only the rows in sight.
  expect(await rows.count()).toBeLessThan(80)
})

test('a manager sees only employees of managed departments and cannot assign roles', { tag: '@long' }, async ({
  page,
}) => {
  await openAs(page, 'manager', '/employee')
  // Only managers of the whole company get the invitation link of the company.
  await expect(page.getByRole('button', { name: 'Add employee' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Invite' })).toHaveCount(0)
  await search(page, 'brandt')
  await expect(page.getByText('No results')).toBeVisible()
  await search(page, 'Daniel Evans')
  await expect(page.getByLabel('Status').getByRole('option', { name: 'Deleted' })).toHaveCount(0)
  await page.getByRole('link', { name: 'Daniel Evans' }).click()
  await page.getByRole('tab', { name: 'Details' }).click()
  await expect(page.getByRole('tabpanel', { name: 'Details' }).getByLabel('Role')).toBeDisabled()
  await expect(page.getByRole('tab', { name: 'History' })).toHaveCount(0)
  await page.getByRole('button', { name: 'More actions for Daniel Evans' }).click()
  await expect(page.getByRole('menuitem', { name: 'Delete' })).toBeVisible()
  // Only administrators disable, export and erase.
  await expect(page.getByRole('menuitem', { name: 'More' })).toHaveCount(0)
})

test('the site stores a face if the company stores templates, shows the face on demand and removes it', {
  tag: '@long',
}, async ({ page }) => {
  const token = await newCompany('Face to Face')
  const { version, name, retentionMonths } = await call('company/get', {}, token)
  await call('company/update', { version, name, retentionMonths, storesTemplates: true }, token)
  await openAs(page, { token }, '/employee')
  await open(page, { name: 'Olga Owner', workno: '1' }, 'Card & biometrics')
  const panel = page.getByRole('tabpanel', { name: 'Card & biometrics' })
  await panel.getByLabel('Choose a picture').setInputFiles({ name: 'face.jpg', mimeType: 'image/jpeg', buffer: jpeg })
  await expect(panel.getByText(/^Enrolled /)).toBeVisible()
  await panel.getByRole('button', { name: 'Show', exact: true }).click()
  const face = panel.getByRole('img', { name: 'Face of Olga Owner' })
  await expect.poll(() => face.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(0)
  await settled(page)
  expect(await axeFindings(page)).toEqual([])
  await panel.getByRole('button', { name: 'Remove' }).click()
  await page
    .getByRole('dialog', { name: 'Remove the face of Olga Owner?' })
    .getByRole('button', { name: 'Remove' })
    .click()
  await expect(face).toHaveCount(0)
  await expect(panel.getByText('Not enrolled')).toHaveCount(3)
})

test('the hint of the search field fits into the field in every language and at every width', {
  tag: '@long',
}, async ({ page }) => {
  const token = await newCompany()
  await openAs(page, { token }, '/employee')
  for (const language of ['en', 'zh', 'es', 'el']) {
    await page.evaluate(language => localStorage.setItem('language', language), language)
    for (const path of ['/employee', '/department']) {
      await page.goto(path)
      for (const width of [1440, 1024, 390]) {
        await page.setViewportSize({ width, height: 900 })
        const room = await page.getByRole('searchbox').evaluate((field: HTMLInputElement) => {
          const { fontSize, fontFamily, paddingLeft, paddingRight } = getComputedStyle(field)
          const pen = document.createElement('canvas').getContext('2d')
          if (!pen) throw new Error('Nothing to measure with')
          pen.font = `${fontSize} ${fontFamily}`
          const inner = field.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight)
          return inner - pen.measureText(field.placeholder).width
        })
        // The button that clears the field needs 24 px.
        expect(room, `${path} ${language} ${width}`).toBeGreaterThan(24)
      }
    }
  }
})

test('a user confirms which worked days a later hire date removes, and rehires a person who left', {
  tag: '@long',
}, async ({ page }) => {
  const token = await newCompany('Come & Go')
  const { list } = (await call('department/all', {}, token)) as { list: Row[] }
  const person = { first_name: 'Ann', last_name: 'Back', workno: '101', department: list[0]?.id, role: 3 }
  const [hireDay, workedDay] = [dayFromToday(-60), dayFromToday(-30)]
  const { id } = await call('employee/add', { ...person, hireDay }, token)
  for (const time of ['09:00', '17:00'])
    await call('record/add', { employee: id, date: workedDay, time, reason: 'Terminal was off' }, token)
  await expect
    .poll(async () => {
      const filters = { employee: id, from: workedDay, to: workedDay }
      return ((await call('report/grid', { size: 10, filters }, token)) as { list: Row[] }).list.length
    })
    .toBe(1)
  await openAs(page, { token }, `/employee/${id}?tab=details`)
  const panel = page.getByRole('tabpanel', { name: 'Details' })
  const fill = async (label: string, day: string) => {
    const field = panel.getByRole('combobox', { name: label })
    await field.fill(day)
    await field.press('Tab')
  }
  await fill('Hire date', dayFromToday(-5))
  await page.getByRole('button', { name: 'Save' }).click()
  const question = page.getByRole('dialog', { name: 'Remove 1 day from the reports?' })
  await expect(question).toContainText('worked 8.00 hours')
  await settled(page)
  expect(await axeFindings(page)).toEqual([])
  await question.getByRole('button', { name: 'Cancel' }).click()

  // The person left and returned, so the user enters an end date and rehires the person.
  await fill('Hire date', hireDay)
  await fill('End date', dayFromToday(-20))
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Former employee.')).toBeVisible()
  await page.getByRole('button', { name: 'More actions for Ann Back' }).click()
  await page.getByRole('menuitem', { name: 'More' }).click()
  await page.getByRole('button', { name: 'Rehire' }).click()
  const rehire = page.getByRole('dialog', { name: 'Rehire Ann Back?' })
  await settled(page)
  expect(await axeFindings(page)).toEqual([])
  await rehire.getByRole('button', { name: 'Rehire' }).click()
  await expect(page.getByText('Ann Back rehired').last()).toBeVisible()
  await expect(page.getByText('Former employee.')).toHaveCount(0)
  await expect(panel.getByText(/^Earlier employment: /)).toBeVisible()
  const filters = { employee: id, from: workedDay, to: workedDay }
  const { list: kept } = (await call('report/grid', { size: 10, filters }, token)) as { list: Row[] }
  expect(kept).toMatchObject([{ workno: '101', overtimeMinutes: 480 }])
})
