import { addDays, addMonths } from '../../shared/local-day.ts'
import { dayIn } from '../kit/evening.ts'
import { axeFindings, call, endOf, expect, newCompany, openAs, settled, test } from './site.ts'

// The time account: an administrator sets the cap, a manager opens an account, and a day off takes its hours.

test.use({ timezoneId: 'Etc/UTC', viewport: { width: 1440, height: 900 } })

const opened = `${addMonths(dayIn('Etc/UTC'), -2).slice(0, 7)}-01`
const freeDay = addDays(opened, 9)
const headers = { 'x-timezone': 'Etc/UTC' }

test('a manager opens a time account, a day off takes its hours, and the month end cuts what is above the cap', async ({
  page,
}) => {
  const boss = await newCompany('Olive & Sons', 'Etc/UTC')
  const { list } = (await call('department/all', {}, boss)) as { list: { id: string }[] }
  const person = { first_name: 'Flora', last_name: 'Flex', workno: '7', department: list[0]?.id }
  const { id } = await call('employee/add', person, boss)
  const clock = { punchStart: '08:00', onDuty: '09:00', offDuty: '17:00', punchEnd: '18:00', breaks: [] }
  const { id: shift } = await call('shift/add', { name: 'Day', ...clock }, boss)
  const plan = { from: freeDay, shifts: [shift], rows: [{ employees: [id], cells: [[0]] }] }
  const preview = await endOf(await call('schedule/preview', { plan }, boss, headers), boss)
  await endOf(await call('schedule/plan', { plan, preview }, boss, headers), boss)

  await test.step('the administrator sets the cap, and lets a type of leave take from the account', async () => {
    await openAs(page, { token: boss }, '/system/request')
    await page.getByLabel('Maximum balance at month end').fill('20')
    await page.getByRole('checkbox', { name: /From the time account.*Other/ }).check()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await expect(page.locator('.toasts')).toContainText('Saved')
  })

  const card = page.getByRole('region', { name: 'Time account' })
  await test.step('the manager opens the account with a balance', async () => {
    await page.goto(`/employee/${id}?tab=leave`)
    await card.getByRole('button', { name: 'Open time account' }).click()
    const panel = page.getByRole('dialog', { name: 'Open time account' })
    await panel.getByRole('combobox', { name: 'First day' }).fill(opened)
    await panel.getByLabel('Opening balance').fill('30')
    await panel.getByLabel('Reason').fill('Hours from last year')
    await panel.getByRole('button', { name: 'Open time account' }).click()
    // A day of eight hours without work is missing.
    await expect(card.locator('.time-account-balance')).toContainText('1,200')
  })

  await test.step('a day off takes its hours, and the cap cuts the rest at the end of the month', async () => {
    const leave = { employees: [id], leaveType: 10, isAllDay: true, date: freeDay, toDate: freeDay, notes: 'Day off' }
    await call('leave/add', leave, boss)
    await page.reload()
    await expect(card).toContainText('At the end of a month, hours above 1,200')
    await expect(card.locator('li', { hasText: 'lost' })).toContainText('120')
    await settled(page)
    expect(await axeFindings(page)).toEqual([])
  })

  await test.step('a payout with its reason lowers the balance, and can be taken back', async () => {
    await card.getByRole('button', { name: 'Add entry' }).click()
    const panel = page.getByRole('dialog', { name: 'Add entry' })
    await panel.getByLabel('Type').selectOption('Payout')
    await panel.getByLabel('Hours', { exact: true }).fill('5')
    await panel.getByLabel('Reason').fill('Paid in cash')
    await panel.getByRole('button', { name: 'Add entry' }).click()
    await expect(card.locator('.time-account-balance')).toContainText('900')
    await card.getByRole('button', { name: /^Reverse: Payout/ }).click()
    const question = page.getByRole('dialog', { name: 'Reverse the entry?' })
    await question.getByLabel('Reason').fill('Wrong person')
    await question.getByRole('button', { name: 'Reverse' }).click()
    await expect(card.locator('.time-account-balance')).toContainText('1,200')
    await page.screenshot({ path: 'tests/browser/shots/time-account.png', fullPage: true })
  })
})
