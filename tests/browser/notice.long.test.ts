import { randomUUID } from 'node:crypto'
import { dayIn, eveningZone } from '../kit/evening.ts'
import { axeFindings, call, expect, mailTo, newCompany, openAs, settled, test } from './site.ts'

// Notifications arrive on the open page, link to their subject on either side, and follow the user's choice. Also tests
// the company's settings for punches in the browser.

const zone = eveningZone()
const today = dayIn(zone)
test.use({ timezoneId: zone })

const password = 'Rhubarb#42'

/** Registers a company with an employee who sends requests. */
const addCompany = async () => {
  const boss = await newCompany('Olive & Sons', zone)
  const { list } = (await call('department/all', {}, boss)) as { list: { id: string }[] }
  const { company } = (await call('auth/get', {}, boss)) as { company: { company_num: string } }
  const person = { first_name: 'Ann', last_name: 'Asker', workno: '7', department: list[0]?.id, password }
  const { id } = await call('employee/add', person, boss)
  const { token } = await call('personal/login', { code: company.company_num, workno: '7', password })
  return { boss, ann: String(token), id: String(id) }
}

test('a manager gets a notification of a request at once, and it links to the request', async ({ page }) => {
  const { boss, ann } = await addCompany()
  await openAs(page, { token: boss }, '/dashboard')
  const bell = page.getByRole('button', { name: /^Notifications/ })
  await expect(bell).toHaveAccessibleName('Notifications, 0 unread')
  await bell.click()
  await expect(page.getByRole('dialog', { name: 'Notifications' })).toContainText('No notifications yet')
  await page.keyboard.press('Escape')
  await expect(bell).toBeFocused()

  const overtime = { date: today, from: '22:00', to: '23:00' }
  const request = String((await call('personal/request/overtime/add', overtime, ann)).id)
  await expect(bell).toHaveAccessibleName('Notifications, 1 unread')
  await bell.click()
  const list = page.getByRole('dialog', { name: 'Notifications' })
  const line = list.getByRole('button', { name: 'Ann Asker requested Overtime' })
  await expect(line).toBeVisible()
  await settled(page)
  expect(await axeFindings(page)).toEqual([])
  await line.click()
  await expect(page).toHaveURL(/\/approve\?/)
  expect(new URL(page.url()).searchParams.get('id')).toBe(request)
  await expect(bell).toHaveAccessibleName('Notifications, 0 unread')
})

test('an employee gets a notification of a decision on a phone', async ({ page }) => {
  const { boss, ann, id } = await addCompany()
  const overtime = { date: today, from: '22:00', to: '23:00' }
  const request = String((await call('personal/request/overtime/add', overtime, ann)).id)
  await page.setViewportSize({ width: 390, height: 844 })
  await openAs(page, { token: ann }, '/dashboard')
  const bell = page.getByRole('button', { name: /^Notifications/ })
  await expect(bell).toHaveAccessibleName('Notifications, 0 unread')
  await call('approve/update', { requests: [{ employee: id, id: request }], status: 1 }, boss)
  await expect(bell).toHaveAccessibleName('Notifications, 1 unread')
  await bell.click()
  await settled(page)
  expect(await axeFindings(page)).toEqual([])
  const widest = await page.evaluate(() => document.documentElement.scrollWidth)
  expect(widest).toBeLessThanOrEqual(390)
  await page.getByRole('button', { name: /Olga Owner approved: Overtime/ }).click()
  await expect(page).toHaveURL(/\/request\?/)
})

test('a notification for the employee side switches the user to that side', async ({ page }) => {
  const { boss } = await addCompany()
  const { token } = await call('personal/login/switch', {}, boss)
  await call('personal/request/overtime/add', { date: today, from: '22:00', to: '23:00' }, String(token))
  const { list } = (await call('personal/request/grid', {}, String(token))) as { list: { id: string }[] }
  const back = String((await call('user/login/switch', {}, String(token))).token)
  const { employee } = (await call('auth/get', {}, back)) as { employee: { id: string } }
  const { list: departments } = (await call('department/all', {}, back)) as { list: { id: string }[] }
  const email = `second-${randomUUID()}@example.com`
  const second = { first_name: 'Sue', last_name: 'Second', workno: '8', department: departments[0]?.id, role: 1, email }
  const { id: secondId } = await call('employee/add', second, back)
  await call('employee/send_qrcode', { ids: [secondId] }, back)
  const link = /\/join#([\w-]{43})/
  const invitation = link.exec(await mailTo(email, link))?.[1]
  const join = { token: invitation, account: 'new', password, confirm_password: password, terms: true }
  const { token: secondToken } = await call('user/invite/join', join)
  const text = 'Whatever for?'
  await call('approve/comment/add', { employee: employee.id, id: list[0]?.id, text }, String(secondToken))

  await openAs(page, { token: back }, '/dashboard')
  const bell = page.getByRole('button', { name: /^Notifications/ })
  await expect(bell).toHaveAccessibleName('Notifications, 1 unread')
  await bell.click()
  await page.getByRole('button', { name: /Sue Second commented on: Overtime/ }).click()
  await expect(page).toHaveURL(/\/request\?/)
  await expect(page.getByRole('dialog', { name: 'Overtime' }).getByText(text)).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(bell).toHaveAccessibleName('Notifications, 0 unread')
})

test('a user chooses notifications in the profile', async ({ page }) => {
  const { boss, ann } = await addCompany()
  await openAs(page, { token: boss }, '/dashboard')
  await page.locator('.person').click()
  await page.getByRole('menuitem', { name: 'My profile' }).click()
  const requestNotice = page.getByRole('checkbox', { name: 'New request: In the app' })
  await expect(requestNotice).toBeChecked()
  await requestNotice.uncheck()
  await settled(page)
  expect(await axeFindings(page)).toEqual([])
  await expect
    .poll(async () => JSON.stringify((await call('notice/params', {}, boss)).list))
    .toContain('{"kind":"request.asked","isInApp":false,"isByMail":true}')
  await call('personal/request/overtime/add', { date: today, from: '22:00', to: '23:00' }, ann)
  await call('personal/request/overtime/add', { date: today, from: '20:00', to: '21:00' }, ann)
  await page.reload()
  await expect(page.getByRole('button', { name: 'Notifications, 0 unread' })).toBeVisible()
})

test('an administrator sets where employees may punch in the browser', async ({ page }) => {
  const { boss, ann } = await addCompany()
  await page.context().grantPermissions(['geolocation'])
  await page.context().setGeolocation({ latitude: 37.97555, longitude: 23.73489 })
  await openAs(page, { token: boss }, '/system/request')
  await page.getByRole('switch', { name: /Allow browser clock-in/ }).check()
  await page.getByRole('switch', { name: /Ask for location/ }).check()
  await page.getByRole('button', { name: 'Add location' }).click()
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByLabel('Location', { exact: true })).toBeFocused()
  await expect(page.getByText('Enter degrees from −90 to 90')).toBeVisible()
  await page.getByRole('button', { name: 'Remove Location' }).click()
  await page.getByRole('button', { name: 'Add my current location' }).click()
  await page.getByLabel('Location', { exact: true }).fill('Workshop')
  await expect(page.getByLabel('Latitude')).toHaveValue('37.97555')
  await settled(page)
  expect(await axeFindings(page)).toEqual([])
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Saved', { exact: true }).last()).toBeVisible()
  expect(await call('company/punch', {}, boss)).toMatchObject({
    ...{ isOn: true, isPlaceAsked: true, outside: 'refuse' },
    places: [{ name: 'Workshop', latitude: 37.97555, longitude: 23.73489, radiusMetres: 150 }],
  })
  expect(await call('personal/punch/get', {}, ann)).toMatchObject({ isAllowed: true, isPlaceNeeded: true })
  const punched = await call('personal/punch/add', { latitude: 37.9756, longitude: 23.7349 }, ann)
  expect(punched).toMatchObject({ place: 'Workshop' })
  await page.goto(`/record?from=${today}&to=${today}`)
  await expect(page.getByRole('link', { name: 'Workshop' })).toHaveAttribute('href', /openstreetmap\.org.*37\.9756/)
  await expect(page.getByRole('row', { name: /Ann Asker/ })).toContainText('Browser')
})
