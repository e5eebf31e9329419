import { axeFindings, expect, openAs, settled, test, type Who } from './site.ts'

// Every page, as it is seen: no error, no axe finding, nothing wider than the window, and a picture to look at.

const pages: [path: string, who: Who | 'stranger'][] = [
  ['/login', 'stranger'],
  ['/login/employee', 'stranger'],
  ['/register', 'stranger'],
  ['/forget/email', 'stranger'],
  ['/login/link', 'stranger'],
  ['/login/sign', 'stranger'],
  ['/expired', 'stranger'],
  ['/terms', 'stranger'],
  ['/privacy', 'stranger'],
  ['/help', 'stranger'],
  ['/404', 'stranger'],
  ['/dashboard', 'administrator'],
  ['/guid', 'administrator'],
  ['/organization?choose', 'administrator'],
  ['/organization/new', 'administrator'],
  ['/printGlobal', 'administrator'],
  ['/department', 'administrator'],
  ['/employee', 'administrator'],
  ['/device', 'administrator'],
  ['/schedule', 'administrator'],
  ['/shift', 'administrator'],
  ['/shift/params', 'administrator'],
  ['/approve', 'administrator'],
  ['/leave', 'administrator'],
  ['/record', 'administrator'],
  ['/exception', 'administrator'],
  ['/report', 'administrator'],
  ['/temperature', 'administrator'],
  ['/system/company', 'administrator'],
  ['/system/basic', 'administrator'],
  ['/system/basic?show=temperature', 'administrator'],
  ['/system/role', 'administrator'],
  ['/system/request', 'administrator'],
  ['/system/audit', 'administrator'],
  ['/system/application', 'administrator'],
  ['/system/application?tab=keys', 'administrator'],
  ['/dashboard', 'manager'],
  ['/dashboard', 'employee'],
  ['/timecard', 'employee'],
  ['/timecard?view=list', 'employee'],
  ['/request', 'employee'],
  ['/request?new=leave', 'employee'],
]

const looks = [
  { width: 390, height: 844, theme: 'light', language: 'el' },
  { width: 1024, height: 768, theme: 'dark', language: 'es' },
  { width: 390, height: 844, theme: 'dark', language: 'zh' },
]

// Every page is seen wide, light and in English, and in one of the other looks, which take turns.
const walk = pages.flatMap(([path, who], number) => {
  const other = looks[number % looks.length]
  const plain = { width: 1440, height: 900, theme: 'light', language: 'en' }
  return [plain, ...(other ? [other] : [])].map(look => ({ path, who, ...look }))
})

for (const { path, who, width, height, theme, language } of walk) {
  test.describe(() => {
    test.use({ viewport: { width, height }, hasTouch: width <= 1024 })
    test(`${path} of the ${who} has no finding, ${width} wide, ${theme}, in ${language}`, async ({ page }) => {
      await openAs(page, who, path, { theme, language })
      await expect(page.locator('h1')).toHaveCount(1)
      await settled(page)
      const name = `${path.slice(1).replaceAll('/', '-')}-${who}-${width}-${theme}-${language}`
      await page.screenshot({ path: `tests/browser/shots/${name}.png` })
      expect(await axeFindings(page)).toEqual([])
      await expect(page.locator('html')).toHaveAttribute('lang', language)
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width)
    })
  })
}
