import type { Page } from '@playwright/test'
import { call } from './site.ts'

// Moves on the schedule board.

type Place = readonly [row: number, column: number]

export const cell = (page: Page, ...[row, column]: Place) =>
  page.locator(`[data-row="${row}"][data-column="${column}"]`)

/** The cell of a date of the month shown. */
export const onDay = (page: Page, row: number, date: number) => cell(page, row, date - 1)

/** Adds the shifts Early, 06:00–14:00, and Late, 14:00–22:00. */
export const addEarlyAndLate = async (token: string) => {
  const early = { punchStart: '05:00', onDuty: '06:00', offDuty: '14:00', punchEnd: '15:00' }
  const late = { punchStart: '13:00', onDuty: '14:00', offDuty: '22:00', punchEnd: '23:00' }
  await call('shift/add', { name: 'Early', ...early }, token)
  await call('shift/add', { name: 'Late', ...late }, token)
}

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
