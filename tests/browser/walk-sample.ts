import { test } from './site.ts'
import { type Look, languages, sights, themes, walkSight, windows } from './walk.ts'

// A sample of the walk: every page is looked at in each language, each width and each theme, but not in all of them at once.

const at = <T>(list: readonly T[], index: number) => list[index % list.length] as T

for (const [number, sight] of sights.entries()) {
  test(`the ${sight.kind} at ${sight.address} has no finding`, async ({ page }) => {
    const looks = languages.map(
      (language, turn): Look => ({
        language,
        // Both take turns at their own pace, so that over the pages every language is seen in every look.
        theme: at(themes, turn + number),
        window: at(windows, turn + Math.floor(number / 2)),
      }),
    )
    await walkSight(page, sight, looks)
  })
}
