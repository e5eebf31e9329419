import { test } from './site.ts'
import { languages, sights, themes, walkSight, windows } from './walk.ts'

// The whole walk: `npm run walk`.

const looks = languages.flatMap(language =>
  windows.flatMap(window => themes.map(theme => ({ language, theme, window }))),
)

for (const sight of sights) {
  test(`the ${sight.kind} at ${sight.address} has no finding in any look`, async ({ page }) => {
    await walkSight(page, sight, looks)
  })
}
