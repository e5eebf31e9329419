import { addMonths } from '../../shared/local-day.ts'
import { addEarlyAndLate, cell, drag, pick } from './board.ts'
import { axeFindings, call, expect, newCompany, openAs, settled, test } from './site.ts'

// Working-time warnings on the schedule board: they show before a save, and never prevent one.

test.use({ timezoneId: 'Etc/UTC', viewport: { width: 1440, height: 900 } })

const month = addMonths(`${new Date().toISOString().slice(0, 7)}-01`, 2).slice(0, 7)

test('a planner sees that a rest is too short before saving, and saves anyway', async ({ page }) => {
  const boss = await newCompany('Olive & Sons', 'Etc/UTC')
  await addEarlyAndLate(boss)
  const { version } = await call('attparams/index', {}, boss)
  const kinds = [{ code: 'N', name: 'Normal', color: '#2f6fde', account: true }]
  const set = { name: 'Rest', kinds, base: [{ kind: 'N' }], extra: [], checks: { restBetween: 660 } }
  await call('attparams/hours/update', { version, set, isCompanySet: true }, boss)
  await openAs(page, { token: boss }, `/schedule?month=${month}`)
  await expect(cell(page, 0, 4)).toBeVisible()
  await pick(page, 'Late')
  await drag(page, [0, 4], [0, 4])
  await pick(page, 'Early')
  await drag(page, [0, 5], [0, 5])
  const notice = page.getByRole('region', { name: 'Working-time warnings' })
  await expect(notice).toContainText(/Olga Owner, .*: (3(\.0)?\sh|180\smin) of rest missing before the shift/)
  await settled(page)
  expect(await axeFindings(page)).toEqual([])
  await page.getByRole('button', { name: 'Save 2 days', exact: true }).click()
  await expect(page.locator('.toasts')).toContainText('2 days saved')
  await expect(notice).toBeHidden()
})
