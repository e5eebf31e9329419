import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from '@playwright/test'
import { Webhook } from 'standardwebhooks'
import { openSocket } from '../kit/socket.ts'
import { startStack } from '../kit/stack.ts'
import { address, axeFindings, call, expect, newCompany, openAs, settled, test } from './site.ts'

// Developer mode: webhook endpoints, with a receiver on this machine, and API keys. The page stays open while the receiver fails
// and recovers.

/** The tests wait for deliveries and their retries. */
test.describe.configure({ timeout: 120_000 })

interface Delivery {
  headers: Record<string, string>
  body: string
}

/** Starts a webhook receiver, which answers with the status in `status` and keeps each delivery in `heard`. */
const startReceiver = async () => {
  const heard: Delivery[] = []
  const receiver = { heard, status: 200, url: '', end: async () => {} }
  const flatten = (headers: IncomingHttpHeaders) =>
    Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    heard.push({ headers: flatten(request.headers), body: Buffer.concat(chunks).toString() })
    response.writeHead(receiver.status, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ taken: receiver.status === 200 }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/attendance`
  receiver.end = async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  }
  return receiver
}

let receiver: Awaited<ReturnType<typeof startReceiver>>
let token = ''
test.beforeEach(async () => {
  ;[receiver, token] = await Promise.all([startReceiver(), newCompany()])
})
test.afterEach(() => receiver.end())

const receivedTypes = () => receiver.heard.map(({ body }) => JSON.parse(body).type)

const yesterday = () => new Date(Date.now() - 24 * 3600_000).toISOString().slice(0, 10)

/** Delivers a punch of an unassigned number. In a new company, the punch is the only event of its group. */
const punchUnknownNumber = async () => {
  const { list } = (await call('department/all', {}, token)) as { list: { id: string }[] }
  const sn = `TOLD${randomUUID().slice(0, 8)}`.toUpperCase()
  const { serverPath } = await call('device/add', { serialNumber: sn, name: 'Gate', department: list[0]?.id }, token)
  const terminal = await openSocket(address(), { path: String(serverPath) })
  terminal.say({ cmd: 'reg', sn, devinfo: {} })
  await terminal.hear({ ret: 'reg', result: true })
  const punch = { enrollid: 77, time: `${yesterday()} 12:00:00`, mode: 8, inout: 0, event: 0 }
  terminal.say({ cmd: 'sendlog', count: 1, logindex: 1, record: [punch] })
  await terminal.hear({ ret: 'sendlog', result: true })
  terminal.close()
}

const addEndpoint = async (events: string[] = ['record']) => {
  const { id } = await call('webhooks/endpoint/add', { url: receiver.url, events }, token)
  return `/system/Application?endpoint=${id}`
}

const open = async (page: Page, path = '/system/Application') => {
  await openAs(page, { token }, path)
  await settled(page)
}
const rows = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text })
const panel = (page: Page) => page.getByRole('dialog')

test('a user adds an endpoint, sees its secret once and follows a test until the receiver accepts it', async ({
  page,
}) => {
  await open(page)
  await page.getByRole('button', { name: 'Add endpoint' }).click()
  await panel(page).getByRole('button', { name: 'Add endpoint' }).click()
  await expect(panel(page).getByText('Cannot be empty here')).toBeVisible()
  const field = panel(page).getByLabel('URL')
  await field.fill('https://10.1.2.3/')
  await panel(page).getByRole('button', { name: 'Add endpoint' }).click()
  await expect(panel(page).getByText('Enter a public URL that begins with https://')).toBeVisible()
  await expect(field).toBeFocused()
  await field.fill(receiver.url)
  for (const group of ['Employee information', 'Terminal information', 'Time attendance status'])
    await panel(page).getByRole('checkbox', { name: group }).uncheck()
  await settled(page)
  expect(await axeFindings(page)).toEqual([])
  await panel(page).getByRole('button', { name: 'Add endpoint' }).click()

  const secretField = panel(page).getByRole('textbox', { name: 'Secret', exact: true })
  await expect(secretField).toHaveValue(/^whsec_/)
  const secret = await secretField.inputValue()
  await settled(page)
  expect(await axeFindings(page)).toEqual([])
  await test.step('the page asks before it closes an unsaved secret', async () => {
    await panel(page).getByRole('button', { name: 'Close' }).click()
    const question = page.getByRole('dialog', { name: 'Have you saved the secret?' })
    await question.getByRole('button', { name: 'Back to the secret' }).click()
    await expect(secretField).toHaveValue(secret)
  })
  await test.step('the secret stays in sight when the test fails', async () => {
    await page.route('**/api/webhooks/endpoint/test', route => route.abort())
    await panel(page).getByRole('button', { name: 'I’ve saved it – send a test' }).click()
    await expect(page.locator('.toast', { hasText: 'No response from the server' })).toBeVisible({ timeout: 60_000 })
    await expect(secretField).toHaveValue(secret)
    await page.unroute('**/api/webhooks/endpoint/test')
  })
  await panel(page).getByRole('button', { name: 'I’ve saved it – send a test' }).click()
  await expect(panel(page).getByRole('heading', { name: 'webhook.ping' })).toBeVisible()
  await expect(panel(page).getByRole('status').getByText('Delivered')).toBeVisible({ timeout: 20_000 })
  await expect(panel(page).getByText('Response 200')).toBeVisible()
  await expect(panel(page).getByRole('figure', { name: 'Response to attempt 1' })).toContainText('"taken": true')
  await expect(panel(page).getByRole('figure', { name: 'Payload' })).toContainText('"type": "webhook.ping"')
  await settled(page)
  expect(await axeFindings(page)).toEqual([])
  const [first] = receiver.heard
  expect(new Webhook(secret).verify(first?.body ?? '', first?.headers ?? {})).toMatchObject({ type: 'webhook.ping' })
  await expect(panel(page)).toContainText(String(first?.headers['webhook-id']))

  await page.keyboard.press('Escape')
  await expect(page.getByRole('heading', { name: receiver.url })).toBeVisible()
  await expect(rows(page, 'webhook.ping')).toContainText('Delivered')
  await expect(page.locator('body')).not.toContainText('whsec_')
  await settled(page)
  expect(await axeFindings(page)).toEqual([])

  await test.step('the log shows a new event without a reload, and the filters narrow the log', async () => {
    await punchUnknownNumber()
    await expect(rows(page, 'record.created')).toContainText('Delivered', { timeout: 20_000 })
    await page.getByLabel('Status').selectOption('Failed')
    await expect(page.getByText('No matching deliveries in the last 30 days.')).toBeVisible()
    await expect(page).toHaveURL(/state=failed/)
    await page.getByLabel('Status').selectOption('Delivered')
    await expect(rows(page, 'Delivered')).toHaveCount(2)
    await page.getByLabel('Event').selectOption('webhook.ping')
    await expect(rows(page, 'Delivered')).toHaveCount(1)
    await expect(page).toHaveURL(/type=webhook.ping/)
    await page.getByLabel('Event').selectOption('All')
    await expect(rows(page, 'Delivered')).toHaveCount(2)
    // The row names the unassigned number.
    await expect(rows(page, 'record.created').getByText('77', { exact: true })).toBeVisible()
  })
  await page.getByRole('link', { name: 'All endpoints' }).click()
  await expect(page.getByText('1 of 4 endpoints')).toBeVisible()
  await expect(page.getByRole('list', { name: 'Endpoints' }).getByRole('link')).toContainText([
    /\/attendance.*Time attendance records.*On/,
  ])
})

test('an endpoint shows its failures and their start until the next successful delivery', async ({ page }) => {
  receiver.status = 500
  await open(page, await addEndpoint())
  await expect(page.getByRole('heading', { name: 'No deliveries yet' })).toBeVisible()
  await punchUnknownNumber()
  await expect(rows(page, 'record.created')).toContainText('Response 500: receiver error', { timeout: 20_000 })
  await expect(rows(page, 'record.created')).toContainText('Waiting')
  await expect(page.getByText(/\d+ failed attempts? since/)).toBeVisible()
  await rows(page, 'record.created').getByRole('button').click()
  // Attempt 2 follows after five seconds, attempt 3 after five minutes.
  await expect(panel(page).getByText('Attempt 2')).toBeVisible({ timeout: 30_000 })
  await expect(panel(page).getByRole('button', { name: 'Resend' })).toBeDisabled()
  await page.keyboard.press('Escape')
  receiver.status = 200
  await punchUnknownNumber()
  await expect(rows(page, 'Response 200')).toContainText('Delivered', { timeout: 20_000 })
  await expect(page.getByText('failed attempt')).toHaveCount(0)
  await expect(rows(page, 'Waiting')).toContainText('Response 500')
})

test('status 410 disables an endpoint; the user enables it and resends one or all missed deliveries', async ({
  page,
}) => {
  receiver.status = 410
  await open(page, await addEndpoint())
  await punchUnknownNumber()
  const notice = page.getByText('the receiver answered that it no longer exists (410)')
  await expect(notice).toBeVisible({ timeout: 20_000 })
  await expect(rows(page, 'record.created')).toContainText('Failed')
  await expect(page.getByText('Tests still work.')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Resend…' })).toBeDisabled()
  await settled(page)
  expect(await axeFindings(page)).toEqual([])
  receiver.status = 200
  await page.getByRole('button', { name: 'Enable' }).click()
  await expect(notice).toHaveCount(0)
  await page.getByRole('button', { name: 'Resend…' }).click()
  const question = page.getByRole('dialog', { name: 'Resend deliveries?' })
  await question.getByLabel('Since', { exact: true }).selectOption('Custom…')
  await question.getByRole('combobox', { name: 'Day' }).fill('2020-01-01')
  await question.getByRole('combobox', { name: 'Day' }).press('Tab')
  await question.getByLabel('Since', { exact: true }).selectOption('14 days ago')
  // The form proposes the end of today.
  await question.getByLabel('Until', { exact: true }).selectOption('Custom…')
  await expect(question.getByRole('combobox', { name: 'Day' })).toBeVisible()
  await settled(page)
  expect(await axeFindings(page)).toEqual([])
  await question.getByRole('button', { name: 'Resend' }).click()
  await expect(page.locator('.toast', { hasText: 'Resending 1 delivery' })).toBeVisible()
  await expect(rows(page, 'record.created')).toContainText('Delivered', { timeout: 20_000 })
  await rows(page, 'record.created').getByRole('button').click()
  await expect(panel(page).getByText('Response 410: endpoint no longer exists; disabled')).toBeVisible()
  const deliveryCount = receiver.heard.length
  await panel(page).getByRole('button', { name: 'Resend' }).click()
  await expect(panel(page).getByText('Attempt 3')).toBeVisible({ timeout: 20_000 })
  expect(receiver.heard.length).toBeGreaterThan(deliveryCount)
  expect(new Set(receiver.heard.map(({ headers }) => headers['webhook-id'])).size).toBe(1)

  await test.step('a resend can include delivered events', async () => {
    await page.keyboard.press('Escape')
    await expect(rows(page, 'record.created')).toContainText('Delivered', { timeout: 20_000 })
    await page.getByRole('button', { name: 'Resend…' }).click()
    await question.getByRole('checkbox', { name: 'Include delivered events' }).check()
    const before = receiver.heard.length
    await question.getByRole('button', { name: 'Resend' }).click()
    await expect(page.locator('.toast', { hasText: 'Resending 1 delivery' }).last()).toBeVisible()
    await expect.poll(() => receiver.heard.length).toBe(before + 1)
  })
})

test('a user edits an endpoint, adds a secret beside the previous secret and deletes the endpoint', async ({
  page,
}) => {
  const endpoint = await call('webhooks/endpoint/add', { url: receiver.url, events: ['terminal'] }, token)
  await open(page, `/system/Application?endpoint=${endpoint.id}`)
  await page.getByRole('button', { name: 'Edit' }).click()
  await panel(page).getByRole('checkbox', { name: 'Time attendance records' }).check()
  await panel(page).getByRole('button', { name: 'Save' }).click()
  await expect(panel(page)).toHaveCount(0)
  await expect(page.locator('main').getByText('Time attendance records')).toBeVisible()

  await page.getByRole('button', { name: 'Edit' }).click()
  await panel(page).getByRole('button', { name: 'New secret' }).click()
  const question = page.getByRole('dialog', { name: 'Create a new secret?' })
  await question.getByLabel('Your own secret').fill('too short')
  await question.getByRole('button', { name: 'New secret' }).click()
  await expect(question.getByText('24 to 64 characters without spaces')).toBeVisible()
  await question.getByLabel('Your own secret').fill('')
  await settled(page)
  expect(await axeFindings(page)).toEqual([])
  await question.getByRole('button', { name: 'New secret' }).click()
  const field = panel(page).getByRole('textbox', { name: 'Secret', exact: true })
  await expect(field).toHaveValue(/^whsec_/)
  const secret = await field.inputValue()
  await expect(panel(page).getByText('The previous secret also signs until')).toBeVisible()
  await panel(page).getByRole('button', { name: 'I’ve saved it', exact: true }).click()
  await expect(page.locator('main').getByText('The previous secret also signs until')).toBeVisible()

  await page.getByRole('button', { name: 'Send test' }).click()
  await expect(panel(page).getByRole('status').getByText('Delivered')).toBeVisible({ timeout: 20_000 })
  const [delivery] = receiver.heard
  for (const signing of [secret, String(endpoint.secret)])
    expect(new Webhook(signing).verify(delivery?.body ?? '', delivery?.headers ?? {})).toMatchObject({
      type: 'webhook.ping',
    })
  await page.keyboard.press('Escape')

  await page.getByRole('button', { name: 'Edit' }).click()
  await panel(page).getByRole('switch', { name: 'Enabled' }).uncheck()
  await panel(page).getByRole('button', { name: 'Save' }).click()
  const disabling = page.getByRole('dialog', { name: 'Disable the endpoint' })
  await disabling.getByRole('button', { name: 'Disable' }).click()
  await expect(page.getByText('Disabled: no events are recorded for this endpoint.')).toBeVisible()
  await punchUnknownNumber()
  await page.getByRole('button', { name: 'Edit' }).click()
  await panel(page).getByRole('button', { name: 'Delete' }).click()
  const deletion = page.getByRole('dialog', { name: 'Delete the endpoint' })
  await deletion.getByRole('button', { name: 'Delete' }).click()
  await expect(page.getByRole('heading', { name: 'No webhooks yet' })).toBeVisible()
  await expect(page).toHaveURL(/\/system\/Application$/)
  expect(receivedTypes()).toEqual(['webhook.ping'])

  await test.step('the link of a deleted endpoint says that the endpoint no longer exists', async () => {
    await page.goto(`/system/Application?endpoint=${endpoint.id}`)
    await expect(page.getByRole('heading', { name: 'This endpoint no longer exists' })).toBeVisible()
  })
})

test('the server refuses a stale save, so another tab does not undo a newer change', async ({ page, context }) => {
  await open(page, await addEndpoint(['employee', 'terminal']))
  const otherTab = await context.newPage()
  await otherTab.goto(page.url())
  await otherTab.getByRole('button', { name: 'Edit' }).click()
  await expect(panel(otherTab).getByRole('checkbox', { name: 'Employee information' })).toBeChecked()

  await page.getByRole('button', { name: 'Edit' }).click()
  await panel(page).getByRole('checkbox', { name: 'Employee information' }).uncheck()
  await panel(page).getByRole('button', { name: 'Save' }).click()
  await expect(panel(page)).toHaveCount(0)
  // The page of the other tab shows the change. The open form of that tab still shows the old values.
  await expect(otherTab.locator('.endpoint-head').getByText('Employee information')).toHaveCount(0)
  await panel(otherTab).getByRole('checkbox', { name: 'Terminal information' }).uncheck()
  await panel(otherTab).getByRole('button', { name: 'Save' }).click()
  await expect(otherTab.locator('.toast', { hasText: 'Someone else changed this' })).toBeVisible()
  await expect(panel(otherTab).getByRole('button', { name: 'Save' })).toBeVisible()
  const events = async () => {
    const { list } = await call('webhooks/endpoint/grid', {}, token)
    return (list as { events: string[] }[]).map(({ events }) => events)
  }
  expect(await events()).toEqual([['terminal']])

  await test.step('the reopened form starts from the current values', async () => {
    await panel(otherTab).getByRole('button', { name: 'Cancel' }).click()
    await otherTab.getByRole('dialog').getByRole('button', { name: 'Discard' }).click()
    await otherTab.getByRole('button', { name: 'Edit' }).click()
    await expect(panel(otherTab).getByRole('checkbox', { name: 'Employee information' })).not.toBeChecked()
    await panel(otherTab).getByRole('checkbox', { name: 'Terminal information' }).uncheck()
    await panel(otherTab).getByRole('button', { name: 'Save' }).click()
    await expect(panel(otherTab)).toHaveCount(0)
    expect(await events()).toEqual([[]])
  })
})

test('a company has at most four endpoints, and the page shows the changes of other users', async ({ page }) => {
  await open(page)
  for (let count = 0; count < 4; count++) await addEndpoint([])
  await expect(page.getByText('4 of 4 endpoints')).toBeVisible({ timeout: 20_000 })
  await expect(page.getByText('Tests only')).toHaveCount(4)
  await expect(page.getByRole('button', { name: 'Add endpoint' })).toBeDisabled()
})

test('a user creates an API key with permissions and sees the key once; the server refuses a deleted key', async ({
  page,
}) => {
  await open(page)
  await page.getByRole('link', { name: 'API keys' }).click()
  await page.getByRole('button', { name: 'Create API key' }).click()
  await panel(page).getByLabel('Name').fill('Payroll')
  await panel(page).getByRole('button', { name: 'Create API key' }).click()
  await expect(panel(page).getByText('Select at least one function')).toBeVisible()
  await panel(page).getByRole('checkbox', { name: 'Departments' }).check()
  await settled(page)
  expect(await axeFindings(page)).toEqual([])
  await panel(page).getByRole('button', { name: 'Create API key' }).click()
  const field = panel(page).getByRole('textbox', { name: 'API key' })
  await expect(field).toHaveValue(/^attk_/)
  const key = await field.inputValue()
  await settled(page)
  expect(await axeFindings(page)).toEqual([])
  await page.keyboard.press('Escape')
  await page
    .getByRole('dialog', { name: 'Have you saved the key?' })
    .getByRole('button', { name: 'I’ve saved it' })
    .click()
  const callWithKey = (path: string) =>
    fetch(`${address()}/api/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
      body: '{}',
    }).then(response => response.json())
  expect(await callWithKey('department/grid')).toMatchObject({ code: 0 })
  expect(await callWithKey('device/grid')).toMatchObject({ code: 60005 })
  await expect(page.locator('body')).not.toContainText(key)
  await settled(page)
  expect(await axeFindings(page)).toEqual([])
  await test.step('the list shows the keys of other users without a reload', async () => {
    const { id } = await call('apikey/add', { name: 'Another', permissions: [9] }, token)
    const keys = page.getByRole('list', { name: 'API keys' }).getByRole('listitem')
    await expect(keys).toContainText(['Payroll', 'Another'], { timeout: 20_000 })
    await call('apikey/delete', { id }, token)
    await expect(keys).toHaveCount(1, { timeout: 20_000 })
  })
  await page.getByRole('list', { name: 'API keys' }).getByRole('button').click()
  await panel(page).getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('dialog', { name: 'Delete API key Payroll?' }).getByRole('button', { name: 'Delete' }).click()
  await expect(page.getByRole('heading', { name: 'No API keys yet' })).toBeVisible()
  expect((await callWithKey('department/grid')).code).not.toBe(0)
})

test('the site has no Application entry and page if the server has no developer mode', async ({ page }) => {
  const previousAddress = process.env.SITE_ADDRESS
  const stack = await startStack({ site: true, environment: { DEVELOPER_MODE: 'off' } })
  process.env.SITE_ADDRESS = stack.address
  try {
    await openAs(page, { token: await newCompany() }, `${stack.address}/system/audit`)
    await settled(page)
    const menu = page.getByRole('navigation', { name: 'System' })
    await expect(menu.getByRole('link', { name: 'Audit log' })).toBeVisible()
    await expect(menu.getByRole('link', { name: 'Application' })).toHaveCount(0)
    await page.goto(`${stack.address}/system/Application`)
    await expect(page).toHaveURL(/\/404$/)
    await page.close()
  } finally {
    process.env.SITE_ADDRESS = previousAddress
    await stack.stop()
  }
})
