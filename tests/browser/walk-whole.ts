import { test } from './site.ts'
import { addressesOf, kinds, languages, themes, walk, windows } from './walk.ts'

// The full walk: `npm run walk`. A part is one kind of user in one language. `npm run walk -- --grep "founder, in el"`
// runs one part. `--last-failed` runs the parts that failed or did not finish.

for (const kind of kinds) {
  for (const language of languages) {
    test(`the ${kind}, in ${language}, in every look`, async ({ page }) => {
      const looks = windows.flatMap(window => themes.map(theme => ({ language, theme, window })))
      const sights = addressesOf(kind).map(address => ({ address, looks }))
      await walk(page, kind, language, sights)
    })
  }
}
