import { expect, test } from './site.ts'
import {
  addressesOf,
  goTo,
  type Kind,
  kinds,
  type Look,
  landing,
  languages,
  openFor,
  routes,
  routesOfSite,
  type Sight,
  themes,
  walk,
  windows,
} from './walk.ts'

test('the walk knows every route of the site', () => {
  expect([...routes].sort()).toEqual(routesOfSite().sort())
})

/** Pages outside the frame. Their target depends on more than the kind of user, so their own tests cover them. */
const isOutsideFrame = (route: string) => /^\/(login|organization|print|register|join)/.test(route)

for (const kind of kinds) {
  test(`${kind}: every route opens, leads to sign-in, or is missing`, async ({ page }) => {
    await openFor(page, kind, '/404')
    await expect(page.locator('h1')).toHaveCount(1)
    for (const route of routes.filter(route => !isOutsideFrame(route) && route !== '/404')) {
      await goTo(page, route)
      await expect(page, route).toHaveURL(new URL(landing(kind, route), page.url()).href)
      if (landing(kind, route) !== '/404') await goTo(page, '/404')
    }
  })
}

// A sample of the walk. It opens every page for each kind of user that may open the page. It covers each language,
// width and theme, but not every combination.

const at = <T>(list: readonly T[], index: number) => list[index % list.length] as T

const addresses = [...new Set(kinds.flatMap(addressesOf))]
const sample = addresses.flatMap((address, number) => {
  const openers = kinds.filter(kind => addressesOf(kind).includes(address))
  return Array.from({ length: Math.max(languages.length, openers.length) }, (_, turn) => {
    // Theme and width change at different rates, so over all pages the sample covers every look in every language.
    const language = at(languages, turn + number)
    const look = { language, theme: at(themes, turn + (number >> 1)), window: at(windows, turn + (number >> 2)) }
    return { address, kind: at(openers, turn), look }
  })
})

const sightsOf = (kind: Kind, language: Look['language']): Sight[] =>
  sample
    .filter(entry => entry.kind === kind && entry.look.language === language)
    .map(({ address, look }) => ({ address, looks: [look] }))

for (const kind of kinds) {
  for (const language of languages) {
    test(`the ${kind}, in ${language}, finds nothing wrong with any page`, async ({ page }) => {
      // The test opens several pages in sequence.
      test.slow()
      await walk(page, kind, language, sightsOf(kind, language))
    })
  }
}
