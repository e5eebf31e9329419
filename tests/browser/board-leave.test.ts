import type { Page } from '@playwright/test'
import { drag, onDay, pick } from './board.ts'
import { axeFindings, call, expect, newCompany, openAs, settled, test } from './site.ts'

// Leave on the schedule board: what the cells show, who counts as present, and shifts assigned during leave.

test.use({ timezoneId: 'Etc/UTC', viewport: { width: 1440, height: 900 } })

const month = `${new Date().getUTCFullYear() + 1}-06`
const day = (number: number) => `${month}-${String(number).padStart(2, '0')}`
/** The numbers of a row below the board, by its name. */
const counts = (page: Page, name: string) => page.locator('.board-sum').filter({ hasText: name }).getByRole('gridcell')

/** Registers a company with the employees Ada and Ben, who have an early shift on the first ten days of the month. */
const addCompany = async () => {
  const boss = await newCompany('Olive & Sons', 'Etc/UTC')
  const { list } = (await call('department/all', {}, boss)) as { list: { id: string }[] }
  const { company_num } = await call('company/get', {}, boss)
  const password = 'Rhubarb#42'
  const add = async (first_name: string, workno: string) => {
    const form = { first_name, last_name: 'Aaron', workno, department: list[0]?.id, password }
    return String((await call('employee/add', form, boss)).id)
  }
  const [ada, ben] = [await add('Ada', '11'), await add('Ben', '12')]
  const times = { punchStart: '05:00', onDuty: '06:00', offDuty: '14:00', punchEnd: '15:00' }
  const { id: shift } = await call('shift/add', { name: 'Early', ...times }, boss)
  const days = Array.from({ length: 10 }, (_, i) => day(i + 1))
  await call('schedule/update', { employees: [ada, ben], days, shift }, boss, { 'x-timezone': 'Etc/UTC' })
  const { token } = await call('personal/login', { code: company_num, workno: '12', password })
  return { boss, ada, ben: String(token) }
}

test('approved leave appears on the board, in its headcounts and in the absence calendar, and a stroke over it asks first', {
  tag: '@long',
}, async ({ page }) => {
  test.setTimeout(120_000)
  const { boss, ada, ben } = await addCompany()
  // The page misses changes before its live connection is up.
  const isLive = page
    .waitForEvent('websocket')
    .then(socket =>
      socket.waitForEvent('framereceived', { predicate: ({ payload }) => String(payload).includes('home.login') }),
    )
  await openAs(page, { token: boss }, `/schedule?month=${month}`)
  await isLive
  await expect(counts(page, 'At work').nth(2)).toHaveText('2')

  await test.step('leave of other users appears without a reload', async () => {
    const leave = { leaveType: 3, date: day(3), toDate: day(5), isAllDay: true }
    await call('leave/add', { ...leave, employees: [ada] }, boss)
    await call('personal/request/leave/add', { ...leave, date: day(5), toDate: day(6) }, ben)
    await expect(onDay(page, 0, 3)).toHaveAccessibleName(/: Early 06:00–14:00\. Annual leave, approved$/)
    await expect(onDay(page, 1, 6)).toHaveAccessibleName(/: Early 06:00–14:00\. Annual leave, requested$/)
    await settled(page)
    expect(await axeFindings(page)).toEqual([])
  })

  await test.step('the headcounts leave out the person on approved leave', async () => {
    for (const [number, count] of [
      [2, '2'],
      [3, '1'],
      [5, '1'],
      [6, '2'],
    ] as const)
      await expect(counts(page, 'At work').nth(number - 1)).toHaveText(count)
    await expect(counts(page, 'On leave').nth(2)).toHaveText('1')
    await expect(counts(page, 'On leave').nth(5)).toHaveText('–')
  })

  const question = page.getByRole('dialog', { name: 'Assign shifts during approved leave?' })
  await test.step('a stroke over leave asks once and names the person and the days', async () => {
    await call(
      'shift/add',
      {
        ...{ name: 'Late', punchStart: '13:00', onDuty: '14:00', offDuty: '22:00', punchEnd: '23:00' },
      },
      boss,
    )
    await pick(page, 'Late')
    await drag(page, [0, 1], [1, 3])
    await expect(question).toContainText('Ada Aaron is on approved leave: 2 days.')
    await question.getByRole('button', { name: 'Cancel' }).click()
    await expect(page.getByRole('button', { name: 'Save', exact: true })).toBeDisabled()
    await drag(page, [0, 1], [1, 3])
    await question.getByRole('button', { name: 'Leave those days out' }).click()
    await expect(page.getByRole('button', { name: 'Save 4 days' })).toBeVisible()
    await expect(onDay(page, 0, 3)).toHaveAccessibleName(/: Early 06:00–14:00\. Annual leave, approved$/)
  })

  await test.step('undo takes back the whole stroke, also one that the manager agreed to', async () => {
    await page.keyboard.press('Control+z')
    await drag(page, [0, 1], [1, 3])
    await question.getByRole('button', { name: 'Assign anyway' }).click()
    await expect(page.getByRole('button', { name: 'Save 6 days' })).toBeVisible()
    await expect(counts(page, 'At work').nth(2)).toHaveText('1')
    await page.keyboard.press('Control+z')
    await expect(page.getByRole('button', { name: 'Save', exact: true })).toBeDisabled()
  })

  await test.step('the row of people on leave leads to the absence calendar', async () => {
    await page.getByRole('link', { name: 'On leave' }).click()
    await expect(page.getByRole('button', { name: /^Ada Aaron: Annual leave, .*Approved$/ })).toBeVisible()
    await expect(page.getByRole('row', { name: 'Away' }).getByRole('cell').nth(2)).toHaveText('1')
  })
})

test('a manager drags shifts to another day and person, copies them with Ctrl, and undoes each move in one step', {
  tag: '@long',
}, async ({ page }) => {
  const { boss } = await addCompany()
  await openAs(page, { token: boss }, `/schedule?month=${month}`)
  await expect(onDay(page, 0, 1)).toBeVisible()
  const early = /: Early 06:00–14:00 \(not saved\)$/
  // Ada has shifts until the tenth. A click selects the day, and a drag from it moves its shift.
  await onDay(page, 0, 9).click()
  await drag(page, [0, 8], [1, 11])
  await expect(onDay(page, 1, 12)).toHaveAccessibleName(early)
  await expect(onDay(page, 0, 9)).toHaveAccessibleName(/: day off \(not saved\)$/)
  await expect(onDay(page, 1, 12)).toBeFocused()
  await page.keyboard.press('Control+z')
  await expect(onDay(page, 0, 9)).toHaveAccessibleName(/: Early 06:00–14:00$/)
  await expect(page.getByRole('button', { name: 'Save', exact: true })).toBeDisabled()

  // Two people with two days each, copied by a week. Days off between the shifts would stay as they are.
  await onDay(page, 0, 9).click()
  await onDay(page, 1, 10).click({ modifiers: ['Shift'] })
  await page.keyboard.down('Control')
  await drag(page, [0, 8], [0, 15])
  await page.keyboard.up('Control')
  await expect(page.getByRole('button', { name: 'Save 4 days' })).toBeVisible()
  await expect(onDay(page, 1, 17)).toHaveAccessibleName(early)
  await expect(onDay(page, 0, 9)).toHaveAccessibleName(/: Early 06:00–14:00$/)
})
