import type { Page } from '@playwright/test'
import { openSocket } from '../kit/socket.ts'
import { address, axeFindings, call, expect, openAs, pickPerson, test } from './site.ts'
import {
  complies,
  foundCompany,
  neverReloads,
  newSerialNumber,
  panel,
  play,
  rows,
  slow,
  step,
  tab,
} from './terminal.ts'

// The other ways a terminal is set up by what its page says: over HTTP, and by company number and password; what is done where other
// hardware comes, and where records would be lost.

test.describe.configure({ timeout: 180_000 })
test.use({ viewport: { width: 1440, height: 900 } })

let token = ''
let department = ''

test.beforeEach(async () => {
  ;({ token, department } = await foundCompany())
})

const add = async (page: Page, serialNumber: string, authentication?: string) => {
  await openAs(page, { token }, '/device')
  await page.getByRole('button', { name: 'Add terminal' }).first().click()
  await panel(page).getByLabel('Serial number', { exact: true }).fill(serialNumber)
  await panel(page).getByLabel('Name').fill('Main gate')
  if (authentication) await panel(page).getByLabel('Authentication').selectOption(authentication)
  await panel(page).getByRole('button', { name: 'Continue' }).click()
  await expect(page.getByRole('heading', { name: 'Main gate' })).toBeVisible()
}

/** What is to be typed into the terminal, by the name of its field. */
const linesOf = async (page: Page): Promise<Record<string, string>> => {
  const lines = page.locator('.setup dl > div')
  const [names, values] = [await lines.locator('dt').allInnerTexts(), await lines.locator('dd').allInnerTexts()]
  return Object.fromEntries(names.map((name, i) => [name, values[i]?.trim() ?? '']))
}

test('a terminal that comes over HTTP is set up line by line, enrols a finger, punches and waits to be emptied', async ({
  page,
}) => {
  const serialNumber = newSerialNumber()
  await add(page, serialNumber)
  await page.getByText('ADMS / PUSH').click()
  await complies(page)
  const { 'Server address': server = '', Port: port, 'TLS / SSL': secure } = await linesOf(page)
  // As the menu of the terminal puts its fields together.
  const typed = `${secure === 'On' ? 'https' : 'http'}://${server.replace(/^[^/]+/, host => `${host}:${port}`)}`
  const command = await page.locator('.command code').innerText()
  expect(command).toBe(`npm run terminal -- --profile adms --address '${typed}' --sn ${serialNumber}`)

  await neverReloads(page, async () => {
    // Whoever looks on does not wait half a minute for each question.
    const terminal = play(command, '--delay', '1')
    try {
      await expect(step(page, 'Connected (done)'), terminal.said()).toBeVisible(slow)
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
      await complies(page)

      await tab(page, 'Maintenance').click()
      await page.getByRole('button', { name: 'Reset', exact: true }).click()
      const question = page.getByRole('dialog', { name: 'Reset Main gate?' })
      await question.getByLabel(`Type the serial number ${serialNumber} to confirm`).fill(serialNumber)
      await question.getByRole('button', { name: 'Reset' }).click()
      await tab(page, 'Commands').click()
      for (const what of ['Request new records', 'Request all records'])
        await expect(rows(page, what).first()).toContainText('Done', slow)
      // It has to be quiet for two minutes first.
      await expect(rows(page, 'Factory reset')).toContainText('Waiting')
    } finally {
      await terminal.end()
    }

    await test.step('another box with its address waits until somebody has seen both', async () => {
      const other = 'MAC=00:17:61:00:00:99,~DeviceName=K99,FWVersion=Ver 9'
      const { status } = await fetch(`${typed}/iclock/cdata?SN=${serialNumber}&table=options`, {
        method: 'POST',
        body: other,
      })
      expect(status).toBe(403)
      const approval = page.getByRole('region', { name: 'Different hardware wants to connect.' })
      await expect(approval.getByRole('row', { name: /Model/ })).toContainText('K99', slow)
      await expect(approval.getByRole('row', { name: /MAC/ })).toContainText('00:17:61:00:00:99')
      await expect(approval.getByRole('row', { name: /MAC/ })).toContainText('02:')
      // What waits to be sent turns still.
      expect(await axeFindings(page)).toEqual([])
      await approval.getByRole('button', { name: 'Approve new hardware' }).click()
      await panel(page).getByRole('button', { name: 'Approve new hardware' }).click()
      await expect(approval).toHaveCount(0)
      await fetch(`${typed}/iclock/cdata?SN=${serialNumber}&options=all`)
      await expect(page.getByRole('status').getByText('Online')).toBeVisible(slow)
    })
  })
})

test('a terminal is let in by company number and communication password', async ({ page }) => {
  await call('company/password', { comm_pwd: '471100' }, token)
  const serialNumber = newSerialNumber()
  await add(page, serialNumber, 'claim+password')
  const { company } = (await call('auth/get', {}, token)) as { company: { company_num: string } }
  expect(await linesOf(page)).toMatchObject({ 'Server path': '/web', 'Company ID': company.company_num })
  await complies(page)
  await page.getByText('ADMS / PUSH').click()
  await expect(page.getByText("This type of terminal can't send a password.")).toBeVisible()
  await expect(page.locator('.command')).toHaveCount(0)
  await page.getByText('Websocket', { exact: true }).click()
  const command = await page.locator('.command code').innerText()
  await neverReloads(page, async () => {
    const guess = play(command.replace('…', '000000'))
    try {
      await expect.poll(guess.said, slow).toContain('The server refused')
    } finally {
      await guess.end()
    }
    // What came and was not let in is told where somebody waits for it.
    await expect(step(page, 'Waiting to connect (problem)')).toContainText('wrong cloud password', slow)
    const terminal = play(command.replace('…', '471100'))
    try {
      await expect(step(page, 'Approved (done)'), terminal.said()).toBeVisible(slow)
      await expect(page.getByRole('status').getByText('Online')).toBeVisible(slow)
    } finally {
      await terminal.end()
    }
  })
})

test('a terminal that takes no path is shown when it comes, and let in by its serial number', async ({ page }) => {
  const serialNumber = newSerialNumber()
  await add(page, serialNumber)
  const bare = (await page.locator('.command code').innerText()).replace(/\?[^']*/, '')
  await neverReloads(page, async () => {
    const stranger = play(bare)
    const notice = page.locator('.device-notice').filter({ hasText: 'without a server path' })
    try {
      await expect(notice, stranger.said()).toContainText('AiFace, ai518_f43h_v1.27', slow)
      await complies(page)
    } finally {
      await stranger.end()
    }
    await notice.getByRole('button', { name: 'Accept by serial number' }).click()
    const question = page.getByRole('dialog', { name: 'Accept Main gate without a secret?' })
    await complies(page)
    await question.getByRole('button', { name: 'Accept by serial number' }).click()
    // The same box once more, as it tries again by itself.
    const terminal = play(bare)
    try {
      await expect(step(page, 'Approved (done)')).toContainText('AiFace', slow)
      await expect(notice).toHaveCount(0)
      await expect(page.getByText('This terminal is identified by its serial number only')).toBeVisible()
    } finally {
      await terminal.end()
    }
  })
})

test('who does not deliver everything is emptied only by who types its number and takes the loss', async ({ page }) => {
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
    await complies(page)
    await reset.click()
    // It cannot give its records, whatever it is asked.
    await neverReloads(page, async () => {
      await expect
        .poll(
          () => {
            const asked = terminal.unheard.splice(0).map(({ cmd }) => cmd)
            for (const cmd of new Set(asked)) {
              const isRecords = cmd === 'getnewlog' || cmd === 'getalllog'
              terminal.say({ ret: cmd, result: !isRecords, ...(isRecords && { reason: 1 }) })
            }
            return asked.includes('initsys')
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
