import { expect, test } from './site.ts'
import { kinds, landing, openFor, routes, routesOfSite } from './walk.ts'

test('the walk knows every route of the site', () => {
  expect([...routes].sort()).toEqual(routesOfSite().sort())
})

/** Pages that are no page of the frame: where they lead depends on more than on who asks, and their own tests say where. */
const isApart = (route: string) => /^\/(login|organization|print|register|join)/.test(route)

for (const kind of kinds) {
  test(`${kind}: every route opens, leads to sign-in, or is missing`, async ({ page }) => {
    // Some thirty pages, one after the other.
    test.slow()
    await openFor(page, kind, '/404')
    for (const route of routes.filter(route => !isApart(route))) {
      await page.goto(route)
      await expect(page, route).toHaveURL(new URL(landing(kind, route), page.url()).href)
    }
  })
}
