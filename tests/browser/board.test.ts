import { readFileSync } from 'node:fs'
import type { Page } from '@playwright/test'
import { addMonths } from '../../shared/local-day.ts'
import { brush, cell, drag, pick } from './board.ts'
import { axeFindings, call, expect, newCompany, openAs, settled, test } from './site.ts'

// The schedule board: assigning, copying, repeating, conflicts, saving and undoing.

test.use({ timezoneId: 'Etc/UTC', viewport: { width: 1440, height: 900 } })

/** The month `count` months from now. Every future day is open, and the demo company has no schedule from the second month on. */
const monthAway = (count: number) => addMonths(`${new Date().toISOString().slice(0, 7)}-01`, count).slice(0, 7)

const save = (page: Page, days = '') => page.getByRole('button', { name: days ? `Save ${days}` : 'Save', exact: true })
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const dialog = (page: Page, name: string) => page.getByRole('dialog', { name })
const isSaved = (page: Page) => expect(save(page)).toBeDisabled({ timeout: 20_000 })

const openMonth = async (page: Page, month: string) => {
  await openAs(page, 'administrator', `/schedule?month=${month}`)
  await expect(cell(page, 0, 0)).toBeVisible()
}

test('a manager assigns days by dragging, undoes and redoes them, saves, and undoes the save', async ({ page }) => {
  await openMonth(page, monthAway(2))
  await pick(page, 'Late')
  await drag(page, [4, 3], [6, 5])
  await expect(save(page, '9 days')).toBeVisible()
  await expect(cell(page, 5, 4)).toHaveAccessibleName(/: Late 14:00–22:00 \(not saved\)$/)
  await drag(page, [4, 8], [4, 9])
  await button(page, 'Undo').click()
  await expect(save(page, '9 days')).toBeVisible()
  await button(page, 'Redo').click()
  await save(page, '11 days').click()
  await isSaved(page)
  await page.reload()
  await expect(cell(page, 5, 4)).toHaveAccessibleName(/: Late 14:00–22:00$/)
  await pick(page, 'Late')
  await drag(page, [4, 15], [4, 16])
  await save(page, '2 days').click()
  await isSaved(page)
  await button(page, 'Undo save').click()
  await dialog(page, 'Undo the last save?').getByRole('button', { name: 'Undo' }).click()
  await expect(cell(page, 4, 15)).toHaveAccessibleName(/: day off$/, { timeout: 20_000 })
  await expect(cell(page, 4, 8)).toHaveAccessibleName(/: Late 14:00–22:00$/)
})

test('the board keeps unsaved days while the manager visits another page, and that page asks before a reload', {
  tag: '@long',
}, async ({ page }) => {
  await openMonth(page, monthAway(9))
  await pick(page, 'Late')
  await drag(page, [4, 3], [4, 4])
  await expect(save(page, '2 days')).toBeVisible()
  const menu = page.getByRole('navigation', { name: 'Main menu' })
  await menu.getByRole('link', { name: 'Dashboard' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Today' })).toBeVisible()
  const dialogs: string[] = []
  page.on('dialog', dialog => {
    dialogs.push(dialog.type())
    void dialog.accept()
  })
  await page.reload()
  expect(dialogs).toEqual(['beforeunload'])
})

for (const isSaved of [true, false])
  test(`the browser ${isSaved ? 'does not ask' : 'asks'} before a reload after a save ${isSaved ? 'succeeds' : 'fails'} on another page`, {
    tag: '@long',
  }, async ({ page }) => {
    await openMonth(page, monthAway(9))
    await pick(page, 'Late')
    const row = isSaved ? 5 : 6
    await drag(page, [row, 3], [row, 4])
    const begun = page.waitForResponse('**/api/schedule/plan').then(answer => answer.json())
    if (!isSaved)
      await page.route(/\/api\/task\/grid$/, async route => {
        const response = await route.fetch()
        const [{ data }, answer] = await Promise.all([begun, response.json()])
        const list = answer.data.list.map((task: { id: string }) =>
          task.id === data.task ? { ...task, state: 'failed', problemCount: 0 } : task,
        )
        return route.fulfill({ response, json: { ...answer, data: { ...answer.data, list } } })
      })
    // The board gets no answer about the result of the task or about the saved days.
    await page.route(/\/api\/(task\/get|schedule\/grid)$/, () => {})
    await save(page, '2 days').click()
    await begun
    await page.getByRole('navigation', { name: 'Main menu' }).getByRole('link', { name: 'Dashboard' }).click()
    const notice = page.getByRole('region', { name: 'Background tasks' })
    await expect(notice).toContainText(isSaved ? 'Schedule saved' : 'Failed')
    const dialogs: string[] = []
    page.on('dialog', dialog => {
      dialogs.push(dialog.type())
      void dialog.accept()
    })
    await page.reload()
    expect(dialogs).toEqual(isSaved ? [] : ['beforeunload'])
    await page.unrouteAll({ behavior: 'ignoreErrors' })
  })

test('a manager works the board by keyboard, and the selection stays', { tag: '@long' }, async ({ page }) => {
  await openMonth(page, monthAway(3))
  await cell(page, 0, 0).focus()
  await page.keyboard.press('2')
  await expect(brush(page, 'Day')).toBeChecked()
  await page.keyboard.press('Shift+ArrowRight')
  await page.keyboard.press('Shift+ArrowDown')
  await page.keyboard.press('Enter')
  await expect(save(page, '4 days')).toBeVisible()
  await expect(cell(page, 1, 1)).toBeFocused()
  await expect(page.locator('.board [aria-selected="true"]')).toHaveCount(4)
  await page.keyboard.press('Delete')
  await expect(save(page)).toBeDisabled()
  await page.keyboard.press('Control+z')
  await expect(save(page, '4 days')).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.locator('.board [aria-selected="true"]')).toHaveCount(1)
  await page.keyboard.press('Control+End')
  await expect(page.locator('[data-column]:focus')).toHaveAccessibleName(/^Yannis Zervas, .*: day off$/)
  await page.keyboard.press('Control+Home')
  await page.keyboard.press('Control+s')
  await isSaved(page)
  await expect(cell(page, 1, 1)).toHaveAccessibleName(/: Day 09:00–18:00$/)
})

test('a manager copies a week as shift names, and pastes shift names from a spreadsheet', {
  tag: '@long',
}, async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await openMonth(page, monthAway(4))
  const [first = 0] = await page
    .locator('.board-weeks [data-first]')
    .evaluateAll(weeks =>
      weeks.flatMap(week =>
        week.textContent?.startsWith('Week') ? [Number((week as HTMLElement).dataset.first)] : [],
      ),
    )
  await pick(page, 'Early')
  await drag(page, [2, first], [3, first + 4])
  await cell(page, 2, first).click({ modifiers: ['Shift'] })
  await cell(page, 2, first).focus()
  await page.keyboard.press('w')
  await page.keyboard.press('Control+c')
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain('Early\tEarly\tEarly\tEarly\tEarly\t\t')
  await pick(page, 'Select')
  await cell(page, 2, first + 7).click()
  await page.keyboard.press('Control+v')
  await expect(cell(page, 2, first + 11)).toHaveAccessibleName(/: Early 06:00–14:00 \(not saved\)$/)
  await expect(cell(page, 2, first + 12)).toHaveAccessibleName(/: day off$/)
  await page.evaluate(() => navigator.clipboard.writeText('early\tLate\r\nNight\t\r\n'))
  await cell(page, 6, 2).click()
  await page.keyboard.press('Control+v')
  await expect(cell(page, 6, 3)).toHaveAccessibleName(/: Late 14:00–22:00 \(not saved\)$/)
  await expect(cell(page, 7, 2)).toHaveAccessibleName(/: Night 22:00–06:00 \+1 \(not saved\)$/)
  await page.evaluate(() => navigator.clipboard.writeText('Siesta'))
  await page.keyboard.press('Control+v')
  await expect(page.locator('.toasts')).toContainText('No shift is called Siesta. Nothing was pasted.')
})

test('a manager assigns a rotation of two weeks, shifted by a week per employee, beyond the visible month', {
  tag: '@long',
}, async ({ page }) => {
  await openMonth(page, monthAway(5))
  await pick(page, 'Select')
  await drag(page, [8, 0], [9, 0])
  await button(page, 'Repeat…').click()
  await page.getByText('Rotation').click()
  const week = (number: number) => page.getByRole('row', { name: new RegExp(`^Week ${number}`) }).getByRole('combobox')
  for (let day = 0; day < 7; day++) {
    await week(1)
      .nth(day)
      .selectOption(day < 5 ? 'Night' : 'Day off')
    await week(2)
      .nth(day)
      .selectOption(day < 4 ? 'Late' : 'Day off')
  }
  await page.getByLabel('Starting week').selectOption('person')
  await page.getByRole('combobox', { name: 'From' }).fill(`${monthAway(5)}-01`)
  await page.getByRole('combobox', { name: 'Until' }).fill(`${monthAway(6)}-14`)
  await page.keyboard.press('Tab')
  expect(await axeFindings(page)).toEqual([])
  await button(page, 'Assign').click()
  await expect(page.locator('.panel-head')).toHaveCount(0)
  await page.getByRole('button', { name: /^Save \d+ days$/ }).click()
  await isSaved(page)
  await page.goto(`/schedule?from=${monthAway(6)}-01&to=${monthAway(6)}-14`)
  await expect(cell(page, 0, 0)).toBeVisible()
  const names = (row: number) =>
    Promise.all(Array.from({ length: 14 }, (_, column) => cell(page, row, column).getAttribute('aria-label')))
  await expect(cell(page, 8, 3)).toHaveAccessibleName(/Night|Late|day off/)
  const [first, second] = [(await names(8)).join(), (await names(9)).join()]
  // The second employee is a week further in the rotation. Both employees have the same number of each shift, in a
  // different order.
  const count = (text: string, shift: string) => text.split(`: ${shift} `).length - 1
  expect([count(first, 'Night'), count(first, 'Late')]).toEqual([5, 4])
  expect([count(second, 'Night'), count(second, 'Late')]).toEqual([5, 4])
  expect(first.replaceAll('Iris Jansen', '')).not.toEqual(second.replaceAll('Jonas Keller', ''))
})

test('the board names employee, day and shifts of an overlap, and saves only after the manager resolves it', {
  tag: '@long',
}, async ({ page }) => {
  await openMonth(page, monthAway(7))
  await pick(page, 'Day')
  await cell(page, 9, 15).click()
  await page.getByText('As second shift').click()
  await pick(page, 'Early')
  await cell(page, 9, 15).click()
  const conflicts = page.getByRole('region', { name: 'Conflicts' })
  await expect(conflicts).toContainText('1 conflict. Resolve it to save.')
  await expect(conflicts).toContainText(/Jonas Keller: Early 06:00–14:00 on .* overlaps Day 09:00–18:00 on /)
  await expect(cell(page, 9, 15)).toHaveClass(/conflict/)
  await expect(save(page, '1 day')).toBeDisabled()
  await settled(page)
  expect(await axeFindings(page)).toEqual([])
  await cell(page, 0, 0).click({ modifiers: ['Shift'] })
  await conflicts.getByRole('button', { name: /^Jonas Keller/ }).click()
  await expect(cell(page, 9, 15)).toBeFocused()
  await page.keyboard.press('Delete')
  await expect(conflicts).toHaveCount(0)
  await pick(page, 'Night')
  await cell(page, 9, 15).focus()
  await page.keyboard.press('Enter')
  await save(page, '1 day').click()
  await isSaved(page)
  await expect(cell(page, 9, 15)).toHaveAccessibleName(/: Night 22:00–06:00 \+1$/)
})

test('the focus returns to the same cell after a question, a save or a discard', { tag: '@long' }, async ({ page }) => {
  await openMonth(page, monthAway(5))
  const place = cell(page, 2, 9)
  const isBack = () => expect(place).toBeFocused()
  await place.click()
  await page.keyboard.press('2')
  await page.keyboard.press('Enter')
  await save(page, '1 day').click()
  await expect(page.getByText('1 day saved').last()).toBeVisible()
  await isBack()
  // The board asks before it replaces a scheduled shift. After Escape, Cancel or Save, the focus returns to its former
  // place.
  await page.keyboard.press('3')
  await page.keyboard.press('Enter')
  const replace = dialog(page, 'Replace scheduled shifts?')
  await page.keyboard.press('Control+s')
  await expect(replace).toBeVisible()
  await page.keyboard.press('Escape')
  await isBack()
  await save(page, '1 day').click()
  await replace.getByRole('button', { name: 'Cancel' }).click()
  await expect(save(page, '1 day')).toBeFocused()
  await save(page, '1 day').click()
  await replace.getByRole('button', { name: 'Save' }).click()
  await expect(save(page)).toBeDisabled()
  await isBack()
  await button(page, 'Undo save').click()
  await dialog(page, 'Undo the last save?').getByRole('button', { name: 'Undo' }).click()
  await expect(page.getByText('1 day restored').last()).toBeVisible()
  await isBack()
  await page.keyboard.press('Delete')
  await button(page, 'Discard').click()
  await isBack()
})

test('the board asks before it replaces scheduled shifts', { tag: '@long' }, async ({ page }) => {
  await openMonth(page, monthAway(8))
  await page.getByPlaceholder('Name or employee ID').fill('Katerina')
  await expect(page.locator('.board-row')).toHaveCount(1)
  await pick(page, 'Day')
  await cell(page, 0, 20).click()
  await save(page, '1 day').click()
  await isSaved(page)
  await pick(page, 'Night')
  await cell(page, 0, 20).click()
  await save(page, '1 day').click()
  await dialog(page, 'Replace scheduled shifts?').getByRole('button', { name: 'Save' }).click()
  await isSaved(page)
  await expect(cell(page, 0, 20)).toHaveAccessibleName(/Night 22:00–06:00 \+1$/)
})

test('a manager exports the schedule, edits the sheet and imports it', { tag: '@long' }, async ({ page }) => {
  await openAs(page, 'administrator', `/schedule?from=${monthAway(12)}-01&to=${monthAway(12)}-03`)
  await expect(cell(page, 0, 0)).toBeVisible()
  await page.getByPlaceholder('Name or employee ID').fill('Leo')
  await expect(page.locator('.board-row')).toHaveCount(1)
  const download = page.waitForEvent('download')
  await button(page, 'Export').click()
  await page.getByText('CSV').click()
  const text = readFileSync(await (await download).path(), 'utf8').trimEnd()
  // The last three columns are the days. They have no shifts.
  const separator = text.includes(';') ? ';' : ','
  const lines = text.split(/\r?\n/)
  expect(lines).toHaveLength(2)
  const columns = lines[1]?.split(separator) ?? []
  const filled = [...columns.slice(0, -3), 'Early', 'Late', ''].join(separator)
  await button(page, 'Import').click()
  await page.locator('#import-file').setInputFiles({
    name: 'schedule.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from([lines[0], filled].join('\r\n')),
  })
  await page.getByRole('button', { name: 'Import schedule of 1 employee' }).click({ timeout: 20_000 })
  await expect(page.getByRole('heading', { name: '2 days changed' })).toBeVisible({ timeout: 20_000 })
  await page.locator('.panel-foot').getByRole('button', { name: 'Close' }).click()
  await expect(cell(page, 0, 1)).toHaveAccessibleName(/: Late 14:00–22:00$/)
})

test('the import explains each problem of a sheet in words and names the template', { tag: '@long' }, async ({
  page,
}) => {
  await openAs(page, 'administrator', `/schedule?from=${monthAway(12)}-11&to=${monthAway(12)}-12`)
  await button(page, 'Import').click()
  const download = page.waitForEvent('download')
  await button(page, 'CSV template').click()
  const template = readFileSync(await (await download).path(), 'utf8')
  const [headings = ''] = template.split(/\r?\n/)
  const check = async (text: string) => {
    const file = { name: 'schedule.csv', mimeType: 'text/csv', buffer: Buffer.from(text) }
    await page.locator('#import-file').setInputFiles(file)
    await expect(page.getByRole('heading', { name: /problems? found/ })).toBeVisible({ timeout: 20_000 })
    const problems = await page.locator('.problem-table tbody td:last-child').allTextContents()
    await button(page, 'Choose another file').click()
    return problems
  }
  expect(await check(template)).toEqual(['Empty row; the example row of the template is not imported'])
  const separator = headings.includes(';') ? ';' : ','
  const rows = [
    ['1', '', '', '', 'Siesta', 'Early + Late'],
    ['1', '', '', '', '', ''],
    ['987654', '', '', '', '', ''],
    ['3', '', '', '', 'Early + Day', ''],
  ]
  expect(await check([headings, ...rows.map(row => row.join(separator))].join('\n'))).toEqual([
    'No shift has this name; write two shifts of a day as Early + Late',
    'This employee is in more than one row',
    'No employee you manage has this employee ID',
    expect.stringMatching(/^Chloe Dimou: Early on .* overlaps Day on /),
  ])
  await page.locator('.panel-head').getByRole('button', { name: 'Close' }).click()
  await expect(page.getByRole('region', { name: 'Background tasks' })).toContainText('Template ready')
})

test('weeks begin on the first weekday of the company, and the board shows the hours of a weekly shift', {
  tag: '@long',
}, async ({ page }) => {
  const token = await newCompany('Sunday Traders', 'Etc/UTC')
  const company = await call('company/get', {}, token)
  const { version, timezone, dateformat_id, timeformat_id, splitTime } = company
  const leaveTypes = (company.leaveTypes as { name: string }[]).map(({ name: _, ...type }) => type)
  const times = { version, timezone, dateformat_id, timeformat_id, splitTime, leaveTypes, firstWeekday: 0 }
  await call('company/time/update', times, token)
  const weekly = { targetMinutes: 2310, breakMinutes: 30, breakThresholdMinutes: 360, overtimeCounts: true }
  await call('shift/add', { name: 'Flexible', kind: 'weekly', weekly }, token)
  await openAs(page, { token }, `/schedule?week=${monthAway(2)}-10`)
  await expect(page.locator('.board-days [data-first]')).toHaveCount(7)
  await expect(page.locator('.board-days [data-first]').first()).toHaveText(/^Sun/)
  await expect(brush(page, 'Select')).toBeChecked()
  await pick(page, 'Flexible')
  await cell(page, 0, 0).click()
  await expect(cell(page, 0, 0)).toHaveAccessibleName(/: Flexible 38:30 h\/week \(not saved\)$/)
  await page.keyboard.press('w')
  await expect(page.locator('.board [aria-selected="true"]')).toHaveCount(7)
  await button(page, 'Repeat…').click()
  await page.getByText('Rotation').click()
  await expect(page.getByRole('columnheader', { name: /^[A-Z][a-z]{2}$/ }).first()).toHaveText('Sun')
})

test('a paste begins at the selection, and the board reports the days outside the visible range', {
  tag: '@long',
}, async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await openAs(page, 'administrator', `/schedule?from=${monthAway(13)}-01&to=${monthAway(13)}-05`)
  await pick(page, 'Late')
  await drag(page, [1, 0], [2, 2])
  await pick(page, 'Select')
  await cell(page, 1, 0).click()
  for (const key of ['Shift+ArrowRight', 'Shift+ArrowRight', 'Shift+ArrowDown']) await page.keyboard.press(key)
  await page.keyboard.press('Control+c')
  for (const key of ['ArrowDown', 'ArrowDown', 'Control+v']) await page.keyboard.press(key)
  await expect(save(page, '12 days')).toBeVisible()
  await expect(cell(page, 3, 0)).toHaveAccessibleName(/: Late 14:00–22:00 \(not saved\)$/)
  await cell(page, 5, 3).click()
  await button(page, 'Paste').click()
  await expect(page.locator('.toasts')).toContainText('2 days are outside the visible range and were not pasted')
  await expect(save(page, '16 days')).toBeVisible()
})

test('the board counts the employees at work below, with unsaved days', { tag: '@long' }, async ({ page }) => {
  await openAs(page, 'administrator', `/schedule?weeks=${monthAway(9)}-10`)
  await expect(page.getByRole('columnheader', { name: /^Week \d+$/ })).toHaveCount(2)
  await expect(page.locator('.board-days [data-first]')).toHaveCount(14)
  await pick(page, 'Late')
  await drag(page, [1, 2], [3, 3])
  await expect(page.getByRole('gridcell', { name: /^At work, .*: 3$/ })).toHaveCount(2)
  await expect(page.getByRole('gridcell', { name: /^Late, .*: 3$/ })).toHaveCount(2)
  await button(page, 'Discard').click()
  await expect(page.getByRole('gridcell', { name: /^At work, .*: 0$/ })).toHaveCount(14)
})

test('a manager changes past days only after a preview of the results', { tag: '@long' }, async ({ page }) => {
  await openMonth(page, monthAway(-1))
  const past = page.locator('.board-cell.past', { hasNot: page.locator('span') })
  const name = (await past.first().getAttribute('aria-label'))?.replace(/: day off$/, '')
  await expect(past.first()).toHaveAttribute('aria-readonly', 'true')
  await pick(page, 'Late')
  await past.first().click()
  await dialog(page, 'Change days before today?').getByRole('button', { name: 'Change past days' }).click()
  await past.first().click()
  await save(page, '1 day').click()
  const question = dialog(page, 'Change past days?')
  await expect(question.getByRole('button', { name: 'Save changes' })).toBeEnabled({ timeout: 20_000 })
  await question.getByRole('button', { name: 'Save changes' }).click()
  await isSaved(page)
  await expect(page.getByRole('gridcell', { name: `${name}: Late 14:00–22:00`, exact: true })).toBeVisible()
})

test('the board keeps unsaved days and a running save while the manager visits another page', {
  tag: '@long',
}, async ({ page }) => {
  await openMonth(page, monthAway(10))
  await pick(page, 'Day')
  await drag(page, [5, 4], [5, 6])
  await expect(save(page, '3 days')).toBeEnabled()
  const leave = async () => {
    await page.getByRole('navigation').getByRole('link', { name: 'Shifts', exact: true }).last().click()
    await expect(page.getByRole('heading', { level: 1, name: 'Shifts' })).toBeVisible()
  }
  const back = () => page.getByRole('navigation').getByRole('link', { name: 'Schedule', exact: true }).click()
  await leave()
  await back()
  // The server could finish before the manager leaves the board, so until then the answers say `running`.
  let isLeft = false
  const begun = page.waitForResponse('**/api/schedule/plan').then(answer => answer.json())
  await page.route(/\/api\/task\/(get|grid)$/, async route => {
    const response = await route.fetch()
    if (isLeft) return route.fulfill({ response })
    const [{ data }, answer] = await Promise.all([begun, response.json()])
    const keepRunning = ({ finishedAt, ...task }: { id: string; finishedAt?: string }) =>
      task.id === data.task ? { ...task, state: 'running', step: 'write' } : { ...task, finishedAt }
    const { list } = answer.data
    return route.fulfill({
      response,
      json: { ...answer, data: list ? { ...answer.data, list: list.map(keepRunning) } : keepRunning(answer.data) },
    })
  })
  await save(page, '3 days').click()
  await leave()
  await expect(page.getByRole('region', { name: 'Background tasks' })).toContainText('Saving the schedule')
  isLeft = true
  await back()
  await isSaved(page)
  await page.unrouteAll({ behavior: 'ignoreErrors' })
})

test.describe('on a phone', () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true })
  test('a tap assigns a shift; in selection mode, one tap starts a range and the next tap ends it', {
    tag: '@long',
  }, async ({ page }) => {
    await openAs(page, 'administrator', `/schedule?week=${monthAway(11)}-10`)
    await pick(page, 'Late')
    await cell(page, 2, 0).tap()
    await expect(cell(page, 2, 0)).toHaveAccessibleName(/: Late 14:00–22:00 \(not saved\)$/)
    await pick(page, 'Select')
    await cell(page, 1, 0).tap()
    await cell(page, 3, 1).tap()
    await expect(page.getByRole('region', { name: 'Selection' })).toContainText('6 days of 3 people')
    await button(page, 'Clear').tap()
    await expect(save(page)).toBeDisabled()
  })
})

test.describe('in another time zone', () => {
  test.use({ timezoneId: 'Asia/Tokyo' })
  test('a manager can assign shifts, and the board explains why saving is off', { tag: '@long' }, async ({ page }) => {
    await openMonth(page, monthAway(2))
    await expect(page.getByRole('alert')).toContainText("The cloud system's time zone does not match the local one")
    await pick(page, 'Day')
    await cell(page, 14, 20).click()
    await expect(save(page, '1 day')).toBeDisabled()
  })
})
