import { dayIn, eveningZone } from '../kit/evening.ts'
import { openSocket } from '../kit/socket.ts'
import { address, axeFindings, call, expect, newCompany, openAs, settled, test } from './site.ts'

// Temperatures of punches, in the unit of the company.

const zone = eveningZone()
const day = dayIn(zone)
test.use({ timezoneId: zone })

const addMeasuringCompany = async () => {
  const boss = await newCompany('Olive & Sons', zone)
  const { list } = (await call('department/all', {}, boss)) as { list: { id: string }[] }
  const department = list[0]?.id
  for (const [i, first_name] of ['Ada', 'Ben', 'Carl'].entries())
    await call('employee/add', { first_name, last_name: 'Warm', workno: String(11 + i), department }, boss)
  const { version, ...settings } = await call('company/prevention', {}, boss)
  await call('company/prevention/update', { ...settings, temp_unit: 1, fever_threshold: 100, version }, boss)
  const sn = `WARM${Date.now()}${Math.random().toString(36).slice(2, 6)}`.toUpperCase()
  const { serverPath } = await call('device/add', { serialNumber: sn, name: 'Gate', department }, boss)
  const terminal = await openSocket(address(), { path: String(serverPath) })
  terminal.say({ cmd: 'reg', sn, cpusn: 'c1', devinfo: { modelname: 'AiFace', firmware: 'v1' } })
  await terminal.hear({ ret: 'reg' })
  let logindex = 0
  const punch = async (enrollid: number, time: string, more: object) => {
    const record = [{ enrollid, time: `${day} ${time}`, mode: 8, inout: 0, event: 0, ...more }]
    terminal.say({ cmd: 'sendlog', sn, count: 1, logindex: ++logindex, record })
    expect(await terminal.hear({ ret: 'sendlog' })).toMatchObject({ result: true })
  }
  await punch(11, '08:00:00', { temp: 36.6, mask: 1 })
  await punch(12, '08:01:00', { temp: 38.5, mask: 0 })
  return { boss, punch, sn }
}

test('the open page shows new temperatures, marks high temperatures and filters the list', async ({ page }) => {
  const { boss, punch, sn } = await addMeasuringCompany()
  await openAs(page, { token: boss }, '/temperature')
  const rows = page.locator('.grid-body .grid-row')
  await expect(rows).toHaveCount(2)
  await expect(page.getByRole('heading', { level: 1, name: 'Temperature' })).toBeVisible()
  await expect(rows.filter({ hasText: 'Ada' })).toContainText('97.9')
  await expect(rows.filter({ hasText: 'Ben' })).toContainText('101.3')
  await expect(rows.filter({ hasText: 'Ben' }).locator('.tag.danger')).toContainText('High temperature')
  await expect(page.locator('.measured')).toContainText(/Measured\s*2/)
  await expect(page.locator('.measured')).toContainText(/High \(from 100\.0 °F\)\s*1/)
  await settled(page)
  expect(await axeFindings(page)).toEqual([])

  await test.step('the page shows a new measurement without a reload', async () => {
    await punch(13, '08:02:00', { temp: 37, mask: 0 })
    await expect(rows).toHaveCount(3)
    await expect(page.locator('.measured')).toContainText(/Without a mask\s*2/)
  })

  await test.step('the count of high temperatures filters the list', async () => {
    await page.getByRole('button', { name: /^High/ }).click()
    await expect(rows).toHaveCount(1)
    await expect(rows).toContainText('Ben')
    await expect(page).toHaveURL(/temperature=1/)
    await expect(page.locator('.measured')).toContainText(/Measured\s*1/)
    await expect(page.locator('.measured')).toContainText(/Without a mask\s*1/)
  })

  await test.step('the mask and a terminal filter the list', async () => {
    await page.getByRole('button', { name: /^High/ }).click()
    await page.getByLabel('Mask').selectOption('1')
    await expect(rows).toHaveCount(1)
    await expect(rows).toContainText('Ada')
    await page.getByLabel('Mask').selectOption('')
    await rows.first().getByRole('button', { name: 'Gate' }).click()
    await expect(page).toHaveURL(/device=WARM/)
    await expect(rows).toHaveCount(3)
  })

  await test.step('in a narrow window the filters leave room for the list', async () => {
    const initialSize = page.viewportSize() ?? { width: 1280, height: 720 }
    await page.goto('/temperature')
    await page.setViewportSize({ width: 390, height: 844 })
    await expect(rows).toHaveCount(3)
    await expect(page.getByLabel('Mask')).toBeHidden()
    await expect(rows.first()).toBeInViewport()
    const tag = rows.getByText('Without a mask').first()
    await tag.scrollIntoViewIfNeeded()
    // The tag and its text fit into the cell.
    expect(
      await tag.evaluate(
        element =>
          element.getBoundingClientRect().right <= (element.parentElement?.getBoundingClientRect().right ?? 0) &&
          element.scrollWidth <= element.clientWidth,
      ),
    ).toBe(true)
    await page.getByRole('button', { name: 'Filters', exact: true }).click()
    const panel = page.getByRole('dialog', { name: 'Filters' })
    await panel.getByLabel('Mask').selectOption('0')
    await panel.getByRole('button', { name: 'Done' }).click()
    await expect(rows).toHaveCount(2)
    await page.getByRole('button', { name: 'Filters (1)' }).click()
    await panel.getByRole('button', { name: 'Reset' }).click()
    await panel.getByRole('button', { name: 'Done' }).click()
    await expect(rows).toHaveCount(3)
    await expect(page.getByLabel('Mask')).toBeHidden()
    await page.setViewportSize(initialSize)
    await expect(page.getByLabel('Mask')).toBeVisible()
  })

  await test.step('the page of the terminal uses the same unit', async () => {
    const terminal = await page.context().newPage()
    await terminal.goto(`/device?sn=${sn}&tab=log`)
    await expect(terminal.locator('.grid-row').filter({ hasText: 'Ben' })).toContainText('101.3')
    await expect(terminal.locator('.grid').getByText('°F')).toBeVisible()
    await terminal.close()
  })

  await test.step('the list of records uses the same unit without the permission for temperatures', async () => {
    const records = await page.context().newPage()
    await records.route('**/api/temperature/*', route =>
      route.fulfill({ json: { code: 60005, message: 'Not allowed' } }),
    )
    await records.goto('/record')
    await expect(records.locator('.grid-row').filter({ hasText: 'Ben' })).toContainText('101.3')
    await expect(records.locator('.grid').getByText('°F')).toBeVisible()
    await records.close()
  })

  await test.step('a user exports the list', async () => {
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export' }).click()
    await page.getByRole('menuitem', { name: /CSV/ }).click()
    expect((await download).suggestedFilename()).toContain('.csv')
  })
})
