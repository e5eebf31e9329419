import type { Page } from '@playwright/test'

// Moves on the schedule board.

type Place = readonly [row: number, column: number]

export const cell = (page: Page, ...[row, column]: Place) =>
  page.locator(`[data-row="${row}"][data-column="${column}"]`)

export const brush = (page: Page, name: string) => page.getByRole('radio', { name: new RegExp(`^${name}(?! off)`) })

/** Presses the label of a brush. The radio itself is one clipped pixel, which a running animation can hide. */
export const pick = (page: Page, name: string) => page.locator('.brush', { has: brush(page, name) }).click()

/** Draws with the mouse from one cell to another. */
export const drag = async (page: Page, from: Place, to: Place) => {
  const [start, end] = [await cell(page, ...from).boundingBox(), await cell(page, ...to).boundingBox()]
  if (!start || !end) throw new Error('The cells are not in sight')
  await page.mouse.move(start.x + 8, start.y + 8)
  await page.mouse.down()
  await page.mouse.move(end.x + 8, end.y + 8, { steps: 5 })
  await page.mouse.up()
}
