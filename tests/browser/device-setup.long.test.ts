import type { Page } from '@playwright/test'
import { openSocket } from '../kit/socket.ts'
import { address, axeFindings, call, expect, openAs, pickPerson, test } from './site.ts'
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

// A user sets up a terminal from its page: over HTTP, and by company number and password. Also tests replaced hardware
// and a reset that would lose records.

test.describe.configure({ timeout: 180_000 })
test.use({ viewport: { width: 1440, height: 900 } })

let token = ''
let department = ''

test.beforeEach(async () => {
  ;({ token, department } = await addCompany())
})

const addTerminal = async (page: Page, serialNumber: string, authentication?: string) => {
  await openAs(page, { token }, '/device')
  await page.getByRole('button', { name: 'Add terminal' }).first().click()
  await panel(page).getByLabel('Serial number', { exact: true }).fill(serialNumber)
  await panel(page).getByLabel('Name').fill('Main gate')
  if (authentication) await panel(page).getByLabel('Authentication').selectOption(authentication)
  await panel(page).getByRole('button', { name: 'Continue' }).click()
  await expect(page.getByRole('heading', { name: 'Main gate' })).toBeVisible()
}

/** The values that the page tells the user to type into the terminal, by field name. */
const setupValues = async (page: Page): Promise<Record<string, string>> => {
  const lines = page.locator('.setup dl > div')
  const [names, values] = [await lines.locator('dt').allInnerTexts(), await lines.locator('dd').allInnerTexts()]
  return Object.fromEntries(names.map((name, i) => [name, values[i]?.trim() ?? '']))
}

test('a user sets up a terminal over HTTP; it enrols a finger, punches and waits for its reset', async ({ page }) => {
  const serialNumber = newSerialNumber()
  await addTerminal(page, serialNumber)
  await page.getByText('ADMS / PUSH').click()
  await checkPage(page)
  const { 'Server address': server = '', Port: port, 'TLS / SSL': tls } = await setupValues(page)
  // A terminal builds the URL from its menu fields in the same way.
  const serverUrl = `${tls === 'On' ? 'https' : 'http'}://${server.replace(/^[^/]+/, host => `${host}:${port}`)}`
  const command = await page.locator('.command code').innerText()
  expect(command).toBe(`npm run terminal -- --profile adms --address '${serverUrl}' --sn ${serialNumber}`)

  await neverReloads(page, async () => {
    // A delay of 1 s: by default, the terminal waits half a minute between polls.
    const terminal = runSimulator(command, '--delay', '1')
    try {
      await expect(step(page, 'Connected (done)'), terminal.output()).toBeVisible(slow)
      await expect(step(page, 'Approved (done)')).toContainText('K40 Pro', slow)
      await expect(step(page, 'Employees synced (done)')).toContainText('2 employees', slow)

      await page.getByRole('button', { name: 'Enrol', exact: true }).click()
      await pickPerson(page, panel(page).getByRole('combobox', { name: 'Employee' }), 'Bert', 'Bert Berger · 7')
      await panel(page).getByRole('button', { name: 'Start' }).click()
      await expect(panel(page).getByText('Enrolled on this terminal only')).toBeVisible(slow)
      await panel(page).locator('footer').getByRole('button', { name: 'Close' }).click()
      await tab(page, 'Employees').click()
      await expect(rows(page, 'Bert Berger')).toContainText('1 finger', slow)

      await tab(page, 'Punches').click()
      terminal.punch('7')
      await expect(rows(page, 'Bert Berger')).toContainText('Face', slow)
      await checkPage(page)

      await tab(page, 'Maintenance').click()
      await page.getByRole('button', { name: 'Reset', exact: true }).click()
      const question = page.getByRole('dialog', { name: 'Reset Main gate?' })
      await question.getByLabel(`Type the serial number ${serialNumber} to confirm`).fill(serialNumber)
      await question.getByRole('button', { name: 'Reset' }).click()
      await tab(page, 'Commands').click()
      for (const command of ['Request new records', 'Request all records'])
        await expect(rows(page, command).first()).toContainText('Done', slow)
      // The reset waits until the terminal is quiet for two minutes.
      await expect(rows(page, 'Factory reset')).toContainText('Waiting')
    } finally {
      await terminal.end()
    }

    await test.step('other hardware with the same address waits until the user approves it', async () => {
      const options = 'MAC=00:17:61:00:00:99,~DeviceName=K99,FWVersion=Ver 9'
      const { status } = await fetch(`${serverUrl}/iclock/cdata?SN=${serialNumber}&table=options`, {
        method: 'POST',
        body: options,
      })
      expect(status).toBe(403)
      const approval = page.getByRole('region', { name: 'Different hardware wants to connect.' })
      await expect(approval.getByRole('row', { name: /Model/ })).toContainText('K99', slow)
      await expect(approval.getByRole('row', { name: /MAC/ })).toContainText('00:17:61:00:00:99')
      await expect(approval.getByRole('row', { name: /MAC/ })).toContainText('02:')
      // The page never settles, because a spinner turns for the waiting command.
      expect(await axeFindings(page)).toEqual([])
      await approval.getByRole('button', { name: 'Approve new hardware' }).click()
      await panel(page).getByRole('button', { name: 'Approve new hardware' }).click()
      await expect(approval).toHaveCount(0)
      await fetch(`${serverUrl}/iclock/cdata?SN=${serialNumber}&options=all`)
      await expect(page.getByRole('status').getByText('Online')).toBeVisible(slow)
    })
  })
})

test('a terminal connects by company number and communication password', async ({ page }) => {
  await call('company/password', { comm_pwd: '471100' }, token)
  const serialNumber = newSerialNumber()
  await addTerminal(page, serialNumber, 'claim+password')
  const { company } = (await call('auth/get', {}, token)) as { company: { company_num: string } }
  expect(await setupValues(page)).toMatchObject({ 'Server path': '/web', 'Company ID': company.company_num })
  await checkPage(page)
  await page.getByText('ADMS / PUSH').click()
  await expect(page.getByText("This type of terminal can't send a password.")).toBeVisible()
  await expect(page.locator('.command')).toHaveCount(0)
  await page.getByText('Websocket', { exact: true }).click()
  const command = await page.locator('.command code').innerText()
  await neverReloads(page, async () => {
    const wrongPassword = runSimulator(command.replace('…', '000000'))
    try {
      await expect.poll(wrongPassword.output, slow).toContain('The server refused')
    } finally {
      await wrongPassword.end()
    }
    // The setup steps show the refused connection.
    await expect(step(page, 'Waiting to connect (problem)')).toContainText('wrong cloud password', slow)
    const terminal = runSimulator(command.replace('…', '471100'))
    try {
      await expect(step(page, 'Approved (done)'), terminal.output()).toBeVisible(slow)
      await expect(page.getByRole('status').getByText('Online')).toBeVisible(slow)
    } finally {
      await terminal.end()
    }
  })
})

test('the page shows a terminal without a server path, and the user accepts it by its serial number', async ({
  page,
}) => {
  const serialNumber = newSerialNumber()
  await addTerminal(page, serialNumber)
  const commandWithoutPath = (await page.locator('.command code').innerText()).replace(/\?[^']*/, '')
  await neverReloads(page, async () => {
    const unprovenTerminal = runSimulator(commandWithoutPath)
    const notice = page.locator('.device-notice').filter({ hasText: 'without a server path' })
    try {
      await expect(notice, unprovenTerminal.output()).toContainText('AiFace, ai518_f43h_v1.27', slow)
      await checkPage(page)
    } finally {
      await unprovenTerminal.end()
    }
    await notice.getByRole('button', { name: 'Accept by serial number' }).click()
    const question = page.getByRole('dialog', { name: 'Accept Main gate without a secret?' })
    await checkPage(page)
    await question.getByRole('button', { name: 'Accept by serial number' }).click()
    // A real terminal retries automatically. The simulator has ended, so the test starts another simulator.
    const terminal = runSimulator(commandWithoutPath)
    try {
      await expect(step(page, 'Approved (done)')).toContainText('AiFace', slow)
      await expect(notice).toHaveCount(0)
      await expect(page.getByText('This terminal is identified by its serial number only')).toBeVisible()
    } finally {
      await terminal.end()
    }
  })
})

test('a reset that loses records needs the typed serial number and the user’s acceptance of the loss', async ({
  page,
}) => {
  const serialNumber = newSerialNumber()
  const { serverPath } = await call('device/add', { serialNumber, name: 'Back door', department }, token)
  const terminal = await openSocket(address(), { path: String(serverPath) })
  try {
    terminal.say({ cmd: 'reg', sn: serialNumber, cpusn: 'chip-1', devinfo: { modelname: 'Old box', usednewlog: 5 } })
    expect(await terminal.hear({ ret: 'reg' })).toMatchObject({ result: true })
    await terminal.hear({ cmd: 'getnewlog' })
    terminal.say({ ret: 'getnewlog', result: false, reason: 1 })
    await openAs(page, { token }, `/device?sn=${serialNumber}`)
    await tab(page, 'Maintenance').click()
    await page.getByRole('button', { name: 'Reset', exact: true }).click()
    const question = page.getByRole('dialog', { name: 'Reset Back door?' })
    await expect(question).toContainText('5 records are not delivered yet.')
    await question.getByRole('checkbox', { name: 'Erase even if records are lost' }).check()
    const reset = question.getByRole('button', { name: 'Reset' })
    await expect(reset).toBeDisabled()
    await question.getByLabel(`Type the serial number ${serialNumber} to confirm`).fill(serialNumber)
    await checkPage(page)
    await reset.click()
    // The terminal refuses every request for its records.
    await neverReloads(page, async () => {
      await expect
        .poll(
          () => {
            const commands = terminal.unheard.splice(0).map(({ cmd }) => cmd)
            for (const cmd of new Set(commands)) {
              const isRecords = cmd === 'getnewlog' || cmd === 'getalllog'
              terminal.say({ ret: cmd, result: !isRecords, ...(isRecords && { reason: 1 }) })
            }
            return commands.includes('initsys')
          },
          { ...slow, intervals: [100] },
        )
        .toBe(true)
      await expect(page.getByRole('status').filter({ hasText: 'Factory reset' })).toContainText('Done', slow)
    })
  } finally {
    terminal.close()
  }
})
