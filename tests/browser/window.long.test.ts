import { call, expect, newCompany, openAs, settled, test } from './site.ts'

// The content of a page scrolls, and the window does not.

for (const [width, height] of [
  [1440, 720],
  [1024, 768],
  [390, 844],
] as const)
  test(`the window itself never scrolls at ${width} px`, async ({ page }) => {
    await page.setViewportSize({ width, height })
    const boss = await newCompany('Pane & Sons', 'UTC')
    const { list } = (await call('department/all', {}, boss)) as { list: { id: string }[] }
    const serialNumber = `PANE${Date.now()}${width}`
    await call('device/add', { serialNumber, name: 'Gate', department: list[0]?.id }, boss)
    for (const path of [
      ...[`/device?sn=${serialNumber}`, '/device', '/dashboard', '/employee', '/record', '/temperature'],
      ...['/schedule', '/shift', '/exception', '/leave', '/system/audit'],
    ]) {
      await openAs(page, { token: boss }, path)
      await settled(page)
      const length = await page.evaluate(() => document.documentElement.scrollHeight)
      expect(length, path).toBe(height)
    }
  })
