import { openSocket } from '../kit/socket.ts'
import { address, call, expect, openAs, pickPerson, test } from './site.ts'
import {
  addCompany,
  checkPage,
  neverReloads,
  newSerialNumber,
  panel,
  rows,
  runSimulator,
  slow,
  step,
  tab,
} from './terminal.ts'

// Terminals, with the simulator as a stock terminal. A user sets it up from its page, and the page shows every change without a
// reload.

test.describe.configure({ timeout: 180_000 })
test.use({ viewport: { width: 1440, height: 900 } })

let token = ''
let department = ''

test.beforeEach(async () => {
  ;({ token, department } = await addCompany())
})

test('the server refuses the stale form of another tab', { tag: '@long' }, async ({ page, context }) => {
  const serialNumber = newSerialNumber()
  await call('device/add', { serialNumber, name: 'Gate', department }, token)
  await openAs(page, { token }, `/device?sn=${serialNumber}`)
  const otherTab = await context.newPage()
  await otherTab.goto(page.url())
  await otherTab.getByRole('button', { name: 'Edit' }).click()
  await expect(panel(otherTab).getByLabel('Name')).toHaveValue('Gate')

  await page.getByRole('button', { name: 'Edit' }).click()
  await panel(page).getByLabel('Name').fill('East gate')
  await panel(page).getByRole('button', { name: 'Save' }).click()
  await expect(page.getByRole('heading', { name: 'East gate' })).toBeVisible()
  // The page of the other tab shows the change. The open form of that tab still shows the old values.
  await expect(panel(otherTab).getByRole('heading', { name: 'East gate' })).toBeVisible()
  await panel(otherTab).getByLabel('Volume').selectOption('5')
  await panel(otherTab).getByRole('button', { name: 'Save' }).click()
  await expect(otherTab.locator('.toast', { hasText: 'Someone else changed this' })).toBeVisible()
  const { list } = await call('device/grid', {}, token)
  expect(list).toMatchObject([{ name: 'East gate', voice: 3 }])
})

test('the list and the page of a terminal update the time since its last message', async ({ page }) => {
  const serialNumber = newSerialNumber()
  const form = { serialNumber, name: 'Gate', department, authentication: 'claim' }
  await call('device/add', form, token)
  const socket = await openSocket(address())
  socket.say({ cmd: 'reg', sn: serialNumber, devinfo: {} })
  await socket.hear({ ret: 'reg', result: true })
  await page.clock.install()
  for (const [path, read] of [
    ['/device', 'device/grid'],
    [`/device?sn=${serialNumber}`, 'device/get'],
  ] as const) {
    const { lastSeenAt = '' } = await call('device/get', { serialNumber }, token)
    await page.clock.setSystemTime(new Date(String(lastSeenAt)))
    await openAs(page, { token }, path)
    await expect(page.locator('time').first()).toHaveText('this minute')
    const again = page.waitForRequest(`**/api/${read}`)
    await page.clock.runFor(60_000)
    await again
    await expect(page.locator('time').first()).toHaveText('1 minute ago')
  }
  socket.close()
})

test('a user adds a terminal, enrols a finger, opens the door and resets it, and the page shows each step', {
  tag: '@long',
}, async ({ page }) => {
  const serialNumber = newSerialNumber()
  await openAs(page, { token }, '/device')
  await page.getByRole('button', { name: 'Add terminal' }).first().click()
  await panel(page).getByLabel('Serial number', { exact: true }).fill(serialNumber)
  await panel(page).getByLabel('Name').fill('Main gate')
  await panel(page).getByRole('button', { name: 'Continue' }).click()

  await expect(page).toHaveURL(new RegExp(`sn=${serialNumber}`))
  await expect(page.getByRole('heading', { name: 'Main gate' })).toBeVisible()
  await expect(step(page, 'Added (done)')).toBeVisible()
  await expect(step(page, 'Waiting to connect (in progress)')).toBeVisible()
  await expect(page.getByRole('img', { name: `QR code with the address for ${serialNumber}` })).toBeVisible()
  await checkPage(page)
  // Only this page shows the secret, and only until a reload.
  const command = await page.locator('.command code').innerText()
  await neverReloads(page, async () => {
    const terminal = runSimulator(command)
    try {
      await expect(step(page, 'Connected (done)'), terminal.output()).toBeVisible(slow)
      await expect(step(page, 'Approved (done)')).toContainText('AiFace')
      await expect(page.getByRole('status').getByText('Online')).toBeVisible(slow)
      await expect(step(page, 'Employees synced (done)')).toContainText('2 employees', slow)
      await expect(step(page, 'First punch (in progress)')).toBeVisible()

      await test.step('a user starts an enrolment on the page', async () => {
        await page.getByRole('button', { name: 'Enrol', exact: true }).click()
        const field = panel(page).getByRole('combobox', { name: 'Employee' })
        await panel(page).getByRole('button', { name: 'Start' }).click()
        await expect(panel(page).getByText('Please select employee')).toBeVisible()
        await checkPage(page)
        await pickPerson(page, field, 'Bert', 'Bert Berger · 7')
        await checkPage(page)
        await panel(page).getByRole('button', { name: 'Start' }).click()
        await expect(panel(page).getByText('Enrolled on this terminal only')).toBeVisible(slow)
        await expect(panel(page).getByRole('list', { name: 'Progress' }).getByRole('listitem')).toHaveText([
          'Terminal is ready',
          'Captured',
          'Saved',
        ])
        await checkPage(page)
        await panel(page).locator('footer').getByRole('button', { name: 'Close' }).click()
        await tab(page, 'Employees').click()
        await expect(rows(page, 'Bert Berger')).toContainText('1 finger', slow)
        await expect(rows(page, 'Bert Berger')).toContainText('Synced', slow)
        await checkPage(page)
      })

      await test.step('the log shows a punch at once', async () => {
        await tab(page, 'Punches').click()
        await expect(page.getByRole('heading', { name: 'No punches in 31 days' })).toBeVisible()
        terminal.punch('7')
        await expect(rows(page, 'Bert Berger')).toContainText('Face', slow)
        await checkPage(page)
        await tab(page, 'Setup').click()
        await expect(step(page, 'First punch received (done)')).toBeVisible()
      })

      await test.step('the page asks before it opens the door, and shows the result', async () => {
        await page.getByRole('button', { name: 'Open door' }).click()
        await panel(page).getByRole('button', { name: 'Open door' }).click()
        await expect(page.getByRole('status').filter({ hasText: 'Open the door' })).toContainText('Done', slow)
      })

      await test.step('a user resets the terminal by typing its serial number', async () => {
        await tab(page, 'Maintenance').click()
        await checkPage(page)
        await page.getByRole('button', { name: 'Reset', exact: true }).click()
        const question = page.getByRole('dialog', { name: 'Reset Main gate?' })
        await expect(question).toContainText('exist only on this terminal')
        const reset = question.getByRole('button', { name: 'Reset' })
        await expect(reset).toBeDisabled()
        await expect(question.getByRole('checkbox')).toHaveCount(0)
        await question.getByLabel(`Type the serial number ${serialNumber} to confirm`).fill(serialNumber.toLowerCase())
        await checkPage(page)
        await reset.click()
        await expect(page.getByRole('status').filter({ hasText: 'Factory reset' })).toContainText('Done', slow)
        await tab(page, 'Commands').click()
        for (const command of ['Factory reset', 'Request all records', 'Enrol: Finger 1'])
          await expect(rows(page, command).first()).toContainText('Done', slow)
        await checkPage(page)
        await page.getByLabel('Type').selectOption('Maintenance')
        await expect(rows(page, 'Factory reset')).toHaveCount(1)
        await expect(rows(page, 'Enrol: Finger 1')).toHaveCount(0)
        await expect(page).toHaveURL(/kind=care/)
        await tab(page, 'Employees').click()
        // The finger existed only on the terminal.
        await expect(rows(page, 'Bert Berger').filter({ hasText: 'Synced' })).toContainText('Name only', slow)
      })
    } finally {
      await terminal.end()
    }
  })

  await test.step('the page does not show the secret again, and asks before it creates a new one', async () => {
    await page.reload()
    await tab(page, 'Setup').click()
    await expect(page.getByText('The server path contains a secret that is shown only once.')).toBeVisible()
    await expect(page.locator('main')).not.toContainText('/web?c=')
    await page.getByRole('button', { name: 'New secret path' }).click()
    await panel(page).getByRole('button', { name: 'New secret path' }).click()
    await expect(page.locator('.setup dl')).toContainText('/web?c=')
    await page.getByText('ADMS / PUSH').click()
    await expect(page.locator('.setup dl')).toContainText(/127\.0\.0\.1\/iclock\/\d+\/[a-z2-7]{26}/)
  })

  await test.step('a user removes the terminal, and its old link says so', async () => {
    await tab(page, 'Maintenance').click()
    await page.getByRole('button', { name: 'Remove' }).click()
    await panel(page).getByRole('button', { name: 'Remove' }).click()
    await expect(page).toHaveURL(/\/device$/)
    await expect(page.getByRole('heading', { name: 'No terminals yet' })).toBeVisible()
    await page.goto(`/device?sn=${serialNumber}`)
    await expect(page.getByRole('heading', { name: `Terminal ${serialNumber} not found` })).toBeVisible()
  })
})

/** Connects a terminal that the test controls message by message. */
const connect = async (serialNumber: string, serverPath: unknown, cpusn: string) => {
  const terminal = await openSocket(address(), { path: String(serverPath) })
  const devinfo = { modelname: cpusn === 'chip-1' ? 'Old box' : 'New box', firmware: 'ai518_f43h_v1.27', usednewlog: 0 }
  terminal.say({ cmd: 'reg', sn: serialNumber, cpusn, devinfo })
  return terminal
}

test('other hardware waits for approval, and a user reviews unreadable messages', {
  tag: '@long',
}, async ({ page }) => {
  const serialNumber = newSerialNumber()
  const { serverPath } = await call('device/add', { serialNumber, name: 'Back door', department }, token)
  const first = await connect(serialNumber, serverPath, 'chip-1')
  expect(await first.hear({ ret: 'reg' })).toMatchObject({ result: true })
  const record = [{ enrollid: 8, time: '2026-13-40 25:61:00', mode: 3, inout: 0, event: 0 }]
  first.say({ cmd: 'sendlog', sn: serialNumber, count: 1, logindex: 1, record })
  await first.hear({ ret: 'sendlog' })
  const unassignedNumber = 9_000_000 + (Date.now() % 1_000_000)
  const yesterday = new Date(Date.now() - 24 * 3_600_000).toISOString().slice(0, 10)
  const punch = { enrollid: unassignedNumber, time: `${yesterday} 08:01:00`, mode: 3, inout: 0, event: 0 }
  first.say({ cmd: 'sendlog', sn: serialNumber, count: 1, logindex: 2, record: [punch] })
  await first.hear({ ret: 'sendlog' })
  first.close()

  await openAs(page, { token }, `/device?sn=${serialNumber}`)
  await test.step('a user sees an unreadable message in its original form, and discards it after a question', async () => {
    await page.getByRole('button', { name: 'Review' }).click()
    const unreadable = panel(page).getByRole('region', { name: serialNumber })
    await expect(unreadable).toContainText('Invalid time')
    await expect(unreadable).toContainText('Employee ID 8, 2026-13-40 25:61')
    await expect(panel(page).getByRole('heading', { name: 'Back door' })).toBeVisible()
    await expect(unreadable.locator('pre')).toBeHidden()
    await unreadable.getByText('Original message').click()
    await expect(unreadable.locator('pre')).toContainText('2026-13-40')
    await checkPage(page)
    await unreadable.getByRole('button', { name: 'Retry' }).click()
    await expect(page.locator('.toast', { hasText: 'Still unreadable' })).toBeVisible()
    await unreadable.getByRole('button', { name: 'Discard' }).click()
    await page.getByRole('dialog', { name: 'Discard this message?' }).getByRole('button', { name: 'Discard' }).click()
    await expect(panel(page).getByText('No unreadable messages.')).toBeVisible()
    await page.keyboard.press('Escape')
  })

  await test.step('the page shows an unassigned number with its time, and a link assigns it', async () => {
    await expect(page.getByText(`${unassignedNumber} (${yesterday} 08:01)`)).toBeVisible(slow)
    await page.getByRole('link', { name: 'Assign IDs' }).click()
    await expect(panel(page).getByText(`Employee ID ${unassignedNumber}`)).toBeVisible()
    await page.goBack()
    await tab(page, 'Punches').click()
    await expect(rows(page, `Employee ID ${unassignedNumber}`)).toContainText('08:01:00', slow)
    await checkPage(page)
    await rows(page, `Employee ID ${unassignedNumber}`).getByRole('link', { name: 'Assign' }).click()
    await expect(panel(page).getByText(`Employee ID ${unassignedNumber}`)).toBeVisible()
    await panel(page).getByRole('button', { name: 'Close' }).first().click()
    await expect(page).toHaveURL(/\/record$/)
    await page.goto(`/device?sn=${serialNumber}`)
  })

  await test.step('a user cancels a waiting command and requests it again', async () => {
    await tab(page, 'Maintenance').click()
    await page.getByRole('button', { name: 'Request now' }).click()
    await tab(page, 'Commands').click()
    await rows(page, 'Request new records').getByRole('button', { name: 'Cancel command' }).click()
    await panel(page).getByRole('button', { name: 'Cancel command' }).click()
    await expect(rows(page, 'Request new records')).toContainText('Cancelled')
    await rows(page, 'Request new records').getByRole('button', { name: 'Try again' }).click()
    await panel(page).getByRole('button', { name: 'Try again' }).click()
    await expect(rows(page, 'Request new records')).toHaveCount(2)
    await expect(rows(page, 'Request new records').first()).toContainText('Waiting')
  })

  const second = await connect(serialNumber, serverPath, 'chip-2')
  try {
    const approval = page.getByRole('region', { name: 'Different hardware wants to connect.' })
    await expect(approval.getByRole('row', { name: /Model/ })).toContainText('New box', slow)
    await expect(approval.getByRole('row', { name: /Model/ })).toContainText('Old box')
    await expect(approval.getByRole('row', { name: /Hardware number/ })).toContainText('chip-2')
    await expect(page.getByRole('status').getByText('Needs approval')).toBeVisible()
    await checkPage(page)
    await approval.getByRole('button', { name: 'Approve new hardware' }).click()
    await panel(page).getByRole('button', { name: 'Approve new hardware' }).click()
    await expect(approval).toHaveCount(0)
    await expect(page.getByRole('status').getByText('Offline')).toBeVisible()
  } finally {
    second.close()
  }
  const third = await connect(serialNumber, serverPath, 'chip-2')
  try {
    await expect(page.getByRole('status').getByText('Online')).toBeVisible(slow)
    await tab(page, 'About').click()
    await expect(page.locator('main')).toContainText('chip-2')
    await checkPage(page)
  } finally {
    third.close()
  }
})

test('a user discards all records of a terminal with a wrong clock, and the list shows its firmware and clock', {
  tag: '@long',
}, async ({ page }) => {
  const serialNumber = newSerialNumber()
  const { serverPath } = await call('device/add', { serialNumber, name: 'Back door', department }, token)
  const terminal = await connect(serialNumber, serverPath, 'chip-1')
  expect(await terminal.hear({ ret: 'reg' })).toMatchObject({ result: true })
  const times = ['2035-01-01 08:00:00', '2035-01-01 08:01:00', '2035-01-01 08:02:00']
  const record = times.map(time => ({ enrollid: 7, time, mode: 3, inout: 0, event: 0 }))
  terminal.say({ cmd: 'sendlog', sn: serialNumber, count: 3, logindex: 1, record })
  await terminal.hear({ ret: 'sendlog' })
  await openAs(page, { token }, '/device')
  await expect(rows(page, 'Back door')).toContainText('ai518_f43h_v1.27')
  for (const width of [1440, 1024, 390]) {
    await page.setViewportSize({ width, height: 900 })
    await checkPage(page)
    expect(await page.locator('.grid').evaluate(grid => grid.scrollWidth - grid.clientWidth)).toBeLessThanOrEqual(0)
  }
  await page.getByRole('button', { name: 'Review' }).click()
  await expect(panel(page).getByText('Employee ID 7, 2035-01-01 08:01')).toBeVisible()
  await panel(page).getByRole('button', { name: 'Discard all' }).click()
  const question = page.getByRole('dialog', { name: 'Discard all unreadable messages of Back door' })
  await question.getByRole('button', { name: 'Discard all' }).click()
  await expect(panel(page).getByText('No unreadable messages.')).toBeVisible()
  terminal.close()
})

test('filters by status and warnings narrow the list, and stay when the user returns to the list', {
  tag: '@long',
}, async ({ page }) => {
  const [pathSerialNumber, unprovenSerialNumber] = [newSerialNumber(), newSerialNumber()]
  await call('device/add', { serialNumber: pathSerialNumber, name: 'Gate one', department }, token)
  const form = { serialNumber: unprovenSerialNumber, name: 'Gate two', department, authentication: 'claim' }
  await call('device/add', form, token)
  await openAs(page, { token }, '/device')
  await expect(rows(page, 'Gate')).toHaveCount(2)
  await page.getByLabel('Warnings').selectOption('With warnings')
  await expect(rows(page, 'Gate')).toHaveCount(1)
  await checkPage(page)
  await rows(page, 'Gate two').getByRole('button', { name: 'Gate two' }).click()
  await expect(page.getByText('This terminal is identified by its serial number only')).toBeVisible()
  await page.getByRole('link', { name: 'All terminals' }).click()
  await expect(page).toHaveURL(/warned=yes/)
  await expect(rows(page, 'Gate')).toHaveCount(1)
  await page.getByLabel('Status').selectOption('Online')
  await expect(page.getByRole('heading', { name: 'No results' })).toBeVisible()
})
