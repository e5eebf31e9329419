import type { Page } from '@playwright/test'
import { axeFindings, call, expect, newCompany, openAs, settled, test } from './site.ts'

// Leave allowances: rules, manual grants, and balances that follow the requests.

const year = new Date().getUTCFullYear()
const row = (page: Page, name: string) => page.locator('.grid-row').filter({ hasText: name })

/** Registers a company with two employees. One of them signs in on the employee side. */
const addCompany = async () => {
  const boss = await newCompany('Olive & Sons', 'Etc/UTC')
  const { list } = (await call('department/all', {}, boss)) as { list: { id: string }[] }
  const { company_num } = await call('company/get', {}, boss)
  const person = (first_name: string, workno: string) => ({
    ...{ first_name, last_name: 'Leaver', workno, department: list[0]?.id, hireDay: `${year - 3}-03-01` },
  })
  const password = 'Rhubarb#42'
  await call('employee/add', person('Ben', '12'), boss)
  const { id } = await call('employee/add', { ...person('Ada', '11'), password }, boss)
  const { token } = await call('personal/login', { code: company_num, workno: '11', password })
  return { boss, ada: { id, token: String(token) } }
}

test('rules set the allowance, a manager grants more, and the balance follows the requests', async ({ page }) => {
  test.setTimeout(120_000)
  const { boss, ada } = await addCompany()

  await test.step('the page links to the allowances if no rule exists', async () => {
    await openAs(page, { token: boss }, '/leave')
    await expect(row(page, 'Ada Leaver')).toBeVisible()
    await page.getByRole('link', { name: 'Set allowances' }).click()
    await expect(page.getByText('No allowances yet.')).toBeVisible()
  })

  await test.step('a manager adds a rule, and the form refuses an invalid one', async () => {
    await page.getByRole('button', { name: 'Add rule' }).click()
    await page.getByLabel('Days per year').fill('20,3')
    await page.getByRole('button', { name: 'Save' }).click()
    await expect(page.getByText('Whole or half days, up to 366.')).toBeVisible()
    await page.getByLabel('Days per year').fill('20.5')
    await settled(page)
    expect(await axeFindings(page)).toEqual([])
    await page.getByRole('button', { name: 'Save' }).click()
    await expect(page.getByText('Unsaved changes')).toBeHidden()
    // A second rule of the same type and year shows an error at its field.
    await page.getByRole('button', { name: 'Add rule' }).click()
    await page.getByLabel('Type', { exact: true }).nth(1).selectOption({ label: 'Vacation' })
    await page.getByRole('button', { name: 'Save' }).click()
    await expect(page.getByText('There is already a rule for this type and year.')).toBeVisible()
    await page.getByRole('button', { name: 'Discard' }).click()
    await expect(page.getByLabel('Days per year')).toHaveCount(1)
  })

  await test.step('every employee has the allowance', async () => {
    await page.goto('/leave')
    await expect(row(page, 'Ada Leaver')).toContainText('20.5 of 20.5')
    await expect(row(page, 'Ben Leaver')).toContainText('20.5 of 20.5')
  })

  await test.step('a request lowers the balance on the open page', async () => {
    // A Monday and a Tuesday in a month without a schedule.
    const form = { leaveType: 1, date: '2099-06-01', toDate: '2099-06-02', isAllDay: true }
    await page.goto('/leave?year=2099&type=1')
    await expect(row(page, 'Ada Leaver')).toContainText('20.5')
    await call('personal/request/leave/add', form, ada.token)
    await expect(row(page, 'Ada Leaver').getByRole('cell').nth(4)).toHaveText('2')
    await expect(row(page, 'Ben Leaver').getByRole('cell').nth(4)).toHaveText('0')
    await settled(page)
    expect(await axeFindings(page)).toEqual([])
  })

  await test.step('a manager grants an employee more with a reason, and the employee reads it', async () => {
    await page.getByRole('button', { name: 'Ada Leaver' }).click()
    const panel = page.getByRole('dialog')
    await expect(panel).toContainText('Ada Leaver, 2099')
    await expect(panel).toContainText('some days are not scheduled yet')
    await expect(panel.getByRole('listitem')).toContainText('2 days')
    await settled(page)
    expect(await axeFindings(page)).toEqual([])
    await panel.getByRole('button', { name: 'Change: Vacation' }).click()
    await panel.getByLabel('Allowance for this year').fill('25')
    await panel.getByLabel('Adjustment').fill('-1.5')
    await expect(panel.getByRole('status')).toHaveText('23.5 days in 2099, plus days carried over.')
    await panel.getByRole('button', { name: 'Save' }).click()
    // A grant needs a reason.
    await expect(panel.getByLabel('Reason')).toBeFocused()
    await panel.getByLabel('Reason').fill('Ten years with us')
    await panel.getByRole('button', { name: 'Save' }).click()
    await expect(panel).toContainText('Set to 25 instead of the usual 20.5.')
    await expect(panel).toContainText('Adjusted by −1.5. Reason: Ten years with us')
    await page.keyboard.press('Escape')
    await expect(row(page, 'Ada Leaver').getByRole('cell').nth(1)).toHaveText('23.5')
    const { balances } = (await call('personal/report/leave', { year: 2099 }, ada.token)) as {
      balances: { leaveType: number; limit?: { own?: { reason: string } } }[]
    }
    expect(balances.find(({ leaveType }) => leaveType === 1)?.limit?.own?.reason).toBe('Ten years with us')
  })

  await test.step('the audit log names the manager of the grant', async () => {
    await page.goto('/system/audit?noun=leave')
    await expect(page.getByText('added the leave of Ada Leaver')).toBeVisible()
  })
})

test('approved and requested leave appears in the calendar of the month, and a manager decides there', {
  tag: '@long',
}, async ({ page }) => {
  const { boss, ada } = await addCompany()
  const { list } = (await call('employee/grid', { filters: { search: 'Ben' } }, boss)) as { list: { id: string }[] }
  const leave = { leaveType: 3, isAllDay: true }
  await openAs(page, { token: boss }, `/leave?view=calendar&month=${year + 1}-06`)
  await expect(page.getByText('Nobody is on leave this month.')).toBeVisible()

  await test.step('leave of other users appears without a reload', async () => {
    const days = { date: `${year + 1}-06-01`, toDate: `${year + 1}-06-03` }
    await call('leave/add', { ...leave, ...days, employees: [list[0]?.id] }, boss)
    await call('personal/request/leave/add', { ...leave, ...days, date: days.toDate }, ada.token)
    await expect(page.getByRole('button', { name: /^Ben Leaver: Annual leave, .*Approved$/ })).toBeVisible()
    await expect(page.getByRole('button', { name: /^Ada Leaver: Annual leave, .*Pending$/ })).toBeVisible()
    await settled(page)
    expect(await axeFindings(page)).toEqual([])
  })

  await test.step('the last row counts who is away', async () => {
    const away = page.getByRole('row', { name: 'Away' }).getByRole('cell')
    await expect(away.nth(0)).toHaveText('1')
    await expect(away.nth(2)).toHaveText('1+1')
    await expect(away.nth(3)).toHaveText('–')
  })

  await test.step('a press on a requested leave opens the request, and the approval fills the day', async () => {
    await page.getByRole('button', { name: /^Ada Leaver/ }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click()
    const question = page.getByRole('dialog', { name: 'Approve this request?' })
    await question.getByRole('button', { name: 'Approve' }).click()
    await expect(page.getByRole('dialog').getByText('Approved by Olga Owner')).toBeVisible()
    await page.keyboard.press('Escape')
    await expect(page.getByRole('button', { name: /^Ada Leaver: Annual leave, .*Approved$/ })).toBeVisible()
    await expect(page.getByRole('row', { name: 'Away' }).getByRole('cell').nth(2)).toHaveText('2')
  })

  await test.step('a press on a free day enters leave for that person', async () => {
    await page.keyboard.press('Escape')
    await page
      .getByRole('row', { name: /Ben Leaver/ })
      .getByRole('cell')
      .nth(2)
      .click()
    await expect(page.getByRole('dialog')).toContainText('Ben Leaver')
  })
})
